import { describe, expect, it } from "vitest";
import { Live } from "../src/fold/live";
import { chapter, talk, visit } from "./chapters";

describe("the fold of a run", () => {
  it("takes every chapter once, however often it comes", () => {
    const live = new Live();
    const first = visit(1, 1, 3, ["Woke", 3, 0], ["SlateShown", 3, [5, 6], 0], ["Left", 3, 0.5, ""]);
    expect(live.take(first)).toBe(true);
    expect(live.take(first)).toBe(false);
    expect(live.chapters).toHaveLength(1);
    expect(live.here).toBe(1);
    expect(live.after).toBe(1);
  });

  it("begins after a number and drops what is older", () => {
    const live = new Live(10);
    expect(live.take(visit(10, 2, 1, ["Woke", 1, 0]))).toBe(false);
    expect(live.take(visit(11, 2, 1, ["Woke", 1, 0]))).toBe(true);
  });

  it("shows what each person does, and begins every round with idle people", () => {
    const live = new Live();
    live.take(visit(1, 1, 0, ["SlateShown", 0, [1], 0]));
    live.take(visit(2, 1, 1, ["SlateShown", 1, [1], 0], ["Picked", 1, 1, 0], ["Watched", 1, 1, 0.5]));
    live.take(visit(3, 1, 2, ["Posted", 2, "p1", "Go and see it", [1]]));
    live.take(talk(4, 1, 0, ["Said", 0, 3, "Hello"], ["Said", 3, 0, "Hello yourself"]));
    expect(live.activity).toEqual([3, 2, 4, 3]);
    live.take(chapter(5, 2, 0, -1, ["RoundStarted", 2, 0]));
    expect(live.activity).toEqual([0, 0, 0, 0]);
    expect(live.here).toBe(0);
  });

  it("shows those who gather as watching", () => {
    const live = new Live();
    live.take(talk(1, 1, 2, ["Gathered", 2, [2, 4], [7, 8], 0, 7, "average", [0.5, 0.4]]));
    expect(live.activity[4]).toBe(2);
  });

  it("remembers the last satisfaction, emotion and attitude", () => {
    const live = new Live();
    live.take(visit(1, 1, 4, ["Left", 4, 0.25, ""], ["MoodShifted", 4, 0, 2, "news"], ["AttitudeShifted", 4, 0, -1, "news"]));
    live.take(visit(2, 1, 5, ["Left", 5, null, "tired"]));
    expect(live.satisfaction[4]).toBe(0.25);
    expect(live.satisfaction[5]).toBeUndefined();
    expect([live.mood[4], live.attitude[4], live.hasMoods, live.hasAttitudes]).toEqual([2, -1, true, true]);
  });

  it("counts how far a post reaches and how often it is passed on", () => {
    const live = new Live();
    live.take(visit(1, 1, 0, ["Posted", 0, "p1", "Words"]));
    live.take(chapter(2, 1, 3, -1, ["Delivered", "p1", 0, [1, 2, 3], "Words"]));
    live.take(visit(3, 2, 1, ["Forwarded", 1, "p2", "p1", 0, "Words"]));
    live.take(chapter(4, 2, 3, -1, ["Delivered", "p9", -1, [0, 1], "An announcement"]));
    expect(live.posts.get("p1")).toMatchObject({ reach: 3, forwards: 1, author: 0 });
    expect(live.posts.get("p2")).toMatchObject({ source: "p1", author: 1 });
    expect(live.posts.get("p9")).toMatchObject({ author: -1, reach: 2 });
  });

  it("learns the names of who and what is added", () => {
    const live = new Live();
    live.take(chapter(1, 2, 0, -1,
      ["Intervened", { type: "AddPerson", profile: { id: 9, name: "Mara Lind" }, friends: [] }],
      ["Intervened", { type: "AddItem", item: { id: 77, title: "A Film of Our Own" } }]));
    expect(live.newPeople.get(9)).toBe("Mara Lind");
    expect(live.newItems.get(77)).toBe("A Film of Our Own");
    expect(live.ties).toBe(1);
  });

  it("keeps a bounded past and does not tell of what memories do by themselves", () => {
    const live = new Live();
    for (let n = 1; n <= 4000; n += 1) live.take(visit(n, 1, n % 50, ["SlateShown", n % 50, [1], 0]));
    live.take(chapter(4001, 1, 4, 3, ["Remembered", 3, 0, "a thought", 0.5, 0], ["Forgot", 3, 0]));
    expect(live.chapters.length).toBeLessThanOrEqual(1500);
    expect(live.chapters.at(-1)?.n).toBe(4000);
  });
});
