import { expect, test } from "vitest";
import { filtered, kindsOf, optionsIn, shareWords } from "../src/fold/tally";
import type { Answer, AnswerCounts } from "../src/wire/types";

const answer = (agent: number, text: string, choice = ""): Answer => ({ agent, name: `Person ${agent}`, text, calls: [], failure: "", choice, by: "model" });

test("answers are filtered by words and by choice", () => {
  const all = [answer(1, "I liked Heat", "yes"), answer(2, "Too long", "no"), answer(3, "I liked it, too", "no")];
  expect(filtered(all, "liked", "").map((one) => one.agent)).toEqual([1, 3]);
  expect(filtered(all, "LIKED too", "no").map((one) => one.agent)).toEqual([3]);
  expect(filtered(all, "", "no").map((one) => one.agent)).toEqual([2, 3]);
  expect(filtered(all, "person 2", "").map((one) => one.agent)).toEqual([2]);
});

test("a share is told with its interval", () => {
  expect(shareWords(0.4, 0.219, 0.613)).toBe("40 % (22 to 61)");
  expect(shareWords(1, null, null)).toBe("100 %");
  expect(shareWords(null, null, null)).toBe("–");
});

test("options are typed with commas, slashes or lines", () => {
  expect(optionsIn("yes, no / not sure\nyes")).toEqual(["yes", "no", "not sure"]);
  expect(optionsIn(" 1-5 ")).toEqual(["1-5"]);
  expect(optionsIn(" , ")).toEqual([]);
});

test("kinds of segments are listed once", () => {
  const row = (by: string): AnswerCounts => ({ by, name: "x", asked: 5, answered: 5, options: [], mean: null, low: null, high: null });
  expect(kindsOf([row("age"), row("age"), row("gender")])).toEqual(["age", "gender"]);
});
