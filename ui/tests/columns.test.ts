import { describe, expect, it } from "vitest";
import { columns, range, short, told, toldBars, type Series } from "../src/charts/columns";

const one = (points: [number, number | null][], band?: [number, number, number][]): Series =>
  ({ name: "", colour: "", points, ...(band ? { band } : {}) });

describe("columns", () => {
  it("puts series on common places and leaves out what one of them lacks", () => {
    const found = columns([one([[1, 5], [3, 7]]), one([[2, 1], [3, null]], [[2, 0, 2]])]);
    expect(found.places).toEqual([1, 2, 3]);
    expect(found.values).toEqual([[5, null, 7], [null, 1, null]]);
    expect(found.bands).toEqual([null, [[null, 0, null], [null, 2, null]]]);
  });
});

describe("range", () => {
  const of = (...values: (number | null)[]) => range(columns([one(values.map((value, at) => [at + 1, value]))]));
  it("begins at zero where the curve stays visible", () => {
    expect(of(1, 9)).toMatchObject({ low: 0, isCropped: false });
    expect(of(0, 0)).toEqual({ low: 0, high: 1.06, isCropped: false });
  });
  it("tells that it is cropped where it does not hold zero", () => {
    const found = of(0.8, 0.9);
    expect(found.isCropped).toBe(true);
    expect(found.low).toBeGreaterThan(0);
    expect(found.low).toBeLessThan(0.8);
    expect(of(-0.9, -0.8).isCropped).toBe(true);
  });
  it("holds intervals, and zero between values of both signs", () => {
    const found = range(columns([one([[1, 0.5]], [[1, -0.2, 2]])]));
    expect(found.low).toBeLessThanOrEqual(-0.2);
    expect(found.high).toBeGreaterThanOrEqual(2);
    expect(found.isCropped).toBe(false);
  });
  it("has room for what never changes, and for nothing", () => {
    expect(of(3, 3).low).toBeLessThan(3);
    expect(of(3, 3).isCropped).toBe(true);
    expect(of(null)).toEqual({ low: 0, high: 1, isCropped: false });
  });
});

describe("words", () => {
  it("tell the first and the last known value", () => {
    expect(told("Picks by round", "total", [one([[1, null], [2, 5], [4, 8], [5, null]])])).toBe("Picks by round, total. 5 at round 2, 8 at round 4");
    expect(told("Picks", "", [{ ...one([]), name: "a" }])).toBe("Picks. a: no values");
  });
  it("tell bars, and of a curve its beginning and middle", () => {
    expect(toldBars("Ratings", "ratings", [{ name: "1★", value: 2 }, { name: "2★", value: 3 }], false)).toBe("Ratings, ratings. 1★ 2, 2★ 3");
    expect(toldBars("Popularity", "picks", [9, 4, 1].map((value, at) => ({ name: `${at}`, value })), true)).toContain("the middle one of 3 has 4");
  });
  it("are short at an axis", () => {
    expect([0.1 + 0.2, 1500, 20_000, 3_000_000].map(short)).toEqual(["0.3", "1500", "20k", "3M"]);
  });
});
