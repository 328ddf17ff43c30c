import { expect, test } from "vitest";
import { others } from "../src/screens/Part";
import { read } from "../src/parts/route";
import type { Control } from "../src/wire/types";

const control = (total: number, done: number, state: Control["state"] = "running"): Control => ({ state, visits_total: total, visits_done: done } as Control);

test("it is told who goes on when one is done", () => {
  expect(others(control(13, 0), true)).toBe("12 people of this round go on when you are done.");
  expect(others(control(3, 1), true)).toBe("1 person of this round goes on when you are done.");
  expect(others(control(3, 2), true)).toBe("Everybody else of this round is done; it ends when you are.");
});

test("it is told what one waits for", () => {
  expect(others(control(13, 3), false)).toBe("10 people are still to visit in this round.");
  expect(others(control(13, 13), false)).toBe("The next round is about to begin.");
  expect(others(control(13, 3, "paused"), false)).toBe("The run is paused: press Play above to go on.");
  expect(others(null, true)).toBe("");
});

test("the old address of taking part still works", () => {
  expect(read("#/run/one/play")).toEqual({ screen: "run", id: "one", tab: "part" });
});
