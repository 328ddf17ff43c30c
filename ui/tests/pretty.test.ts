import { expect, test } from "vitest";
import { latency, pretty } from "../src/fold/pretty";

test("JSON is indented, also inside a fence", () => {
  expect(pretty('{"a":1,"b":[2]}')).toBe('{\n  "a": 1,\n  "b": [\n    2\n  ]\n}');
  expect(pretty('```json\n{"a":1}\n```')).toBe('{\n  "a": 1\n}');
});

test("other texts, and JSON that is broken, stay as they are", () => {
  for (const text of ["I liked it.", '{"a": ', "5", ""]) expect(pretty(text)).toBe(text);
});

test("a latency is told to the tenth", () => {
  expect([latency(0.01), latency(0.42), latency(31.2)]).toEqual(["< 0.1 s", "0.4 s", "31 s"]);
});
