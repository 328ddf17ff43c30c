import { describe, expect, it } from "vitest";
import { Parser } from "../src/wire/stream";

describe("a stream of events", () => {
  it("is the same however it is cut", () => {
    const text = "retry: 1000\n\nid: 1\nevent: chapter\ndata: {\"n\":1}\n\n: still here\n\nevent: state\r\ndata: a\r\ndata: b\r\n\r\n";
    const whole = new Parser().push(text);
    expect(whole).toEqual([
      { event: "chapter", id: "1", data: "{\"n\":1}" },
      { event: "state", id: "1", data: "a\nb" },
    ]);
    for (let cut = 1; cut < text.length; cut += 1) {
      const parser = new Parser();
      expect([...parser.push(text.slice(0, cut)), ...parser.push(text.slice(cut))]).toEqual(whole);
    }
  });
});
