import { describe, expect, it } from "vitest";
import { change, plain, tell, type Known } from "../src/fold/events";
import { Live } from "../src/fold/live";
import { latestDialogues, latestPosts, latestSlates, slatesOf } from "../src/fold/views";
import { merged, grouped } from "../src/screens/Measures";
import { mistakes } from "../src/fold/newRun";
import { parting } from "../src/screens/Compare";
import { read, address } from "../src/parts/route";
import type { Values } from "../src/wire/types";
import { talk, visit } from "./chapters";

const known: Known = { person: (id) => `person ${id}`, item: (id) => `item ${id}`, topic: (id) => `topic ${id}` };

describe("slates", () => {
  it("mark what was picked on the page where it stood", () => {
    const found = slatesOf(visit(1, 1, 2,
      ["SlateShown", 2, [5, 6], 0], ["SlateAnnotated", 2, [0.5, null], ["liked by friends", ""]],
      ["Searched", 2, "west", 1], ["SlateShown", 2, [6, 8], 0, "search"],
      ["Picked", 2, 6, 0], ["Watched", 2, 6, 0.8], ["Rated", 2, 6, 4], ["Picked", 2, 5, 0]));
    expect(found).toHaveLength(2);
    expect(found[0]?.items.map((one) => one.picked)).toEqual([true, false]);
    expect(found[0]?.items[0]?.reason).toBe("liked by friends");
    expect(found[1]).toMatchObject({ surface: "search", query: "west" });
    expect(found[1]?.items[0]).toMatchObject({ picked: true, fraction: 0.8, stars: 4 });
  });

  it("come newest first", () => {
    const live = new Live();
    live.take(visit(1, 1, 0, ["SlateShown", 0, [1], 0], ["SlateShown", 0, [2], 1]));
    live.take(visit(2, 1, 1, ["SlateShown", 1, [3], 0]));
    expect(latestSlates(live, 2).map((one) => one.items[0]?.item)).toEqual([3, 2]);
  });
});

describe("talk", () => {
  it("keeps the order of what was said", () => {
    const live = new Live();
    live.take(talk(1, 1, 4, ["Said", 4, 5, "First"], ["Said", 5, 4, "Second"]));
    live.take(talk(2, 1, 6, ["Failed", 6, "no answer"]));
    const [found, ...rest] = latestDialogues(live, 9);
    expect(rest).toEqual([]);
    expect(found?.people).toEqual([4, 5]);
    expect(found?.lines.map((line) => line.text)).toEqual(["First", "Second"]);
  });

  it("shows the newest post first", () => {
    const live = new Live();
    live.take(visit(1, 1, 0, ["Posted", 0, "a", "One"], ["Posted", 0, "b", "Two"]));
    expect(latestPosts(live, 1).map((post) => post.text)).toEqual(["Two"]);
  });
});

describe("telling", () => {
  it("says an event in words", () => {
    expect(plain(tell(["Rated", 3, 9, 4]), known)).toBe("rates item 9 ★★★★☆");
    expect(plain(tell(["Forwarded", 1, "p", "q", 7, "Look"]), known)).toBe("passes on person 7: Look");
    expect(plain(tell(["MoodShifted", 1, 2, 1]), known)).toBe("is moved · topic 2");
    expect(plain(tell(["AttitudeShifted", 1, 0, -1]), { ...known, topic: () => "" })).toBe("is against");
    expect(tell(["TasteShifted", 1, 2, 0.1])).toEqual([]);
  });

  it("says a change with what is in it and leaves out what is empty", () => {
    expect(change({ type: "SwapRecommender", kind: "ease", options: {} })).toBe("swap recommender · kind ease");
    expect(change({ type: "AddPerson", profile: { id: 3, name: "Mara" }, friends: [1, 2] })).toBe("add person · profile Mara, friends 1 2");
  });
});

describe("numbers", () => {
  it("lay what streams in over what was measured before", () => {
    const rounds = merged([{ round: 1, values: { picks: 3 } }], new Map<number, Values>([[2, { picks: 5 }], [1, { visits: 1 }]]), null);
    expect(rounds).toEqual([{ round: 1, values: { picks: 3, visits: 1 } }, { round: 2, values: { picks: 5 } }]);
    expect(merged(rounds, new Map(), 1)).toHaveLength(1);
  });

  it("put a metric nobody knows under More", () => {
    expect(grouped(["picks", "mine"]).map(([title]) => title)).toEqual(["Choices", "More"]);
  });

  it("are checked as they are typed", () => {
    expect(mistakes({ agents: "20", rounds: "0", seed: "x", seeds: "1" })).toEqual({ rounds: "Must be a whole number, at least 1", seed: "Must be a whole number, at least 0" });
  });
});

describe("addresses", () => {
  it("come back as they were", () => {
    for (const route of [{ screen: "run", id: "exp~a b~1", tab: "ask" }, { screen: "compare", a: "x", b: "y/z" }, { screen: "list" }] as const) {
      expect(read(address(route))).toEqual(route);
    }
  });
});

describe("two runs", () => {
  it("part where one branched from the other, or both from the same", () => {
    const one = { id: "a", parent: null, branch_at: null };
    const branch = { id: "b", parent: "a", branch_at: 3 };
    const other = { id: "c", parent: "a", branch_at: 5 };
    expect([parting(one, branch), parting(branch, one), parting(branch, other), parting(one, undefined)]).toEqual([3, 3, 3, 0]);
    expect(parting(one, { id: "d", parent: "e", branch_at: 2 })).toBe(0);
  });
});
