import { describe, expect, it } from "vitest";
import { grouped, matching, sorted } from "../src/fold/groups";
import { FIRST, body, filled, named } from "../src/fold/newRun";
import type { ExperimentRow, ListedRun, RunScenario } from "../src/wire/types";

const run = (id: string, more: Partial<ListedRun> = {}): ListedRun => ({
  id, title: id, state: "finished", error: "", group: "", changed: 10, round: 4, rounds: 4, agents: 40, calls: 0, cost: 0,
  failures: 0, satisfaction: 0.5, ...more,
});
const both: ExperimentRow = {
  id: "both", title: "Both", arms: ["random", "popular"], seeds: 1, state: "finished", done: 2, all: 2, made: 5, verdict: "popular +9 %",
};
const runs = [
  run("one", { satisfaction: 0.7, changed: 30, failures: 3 }), run("two", { satisfaction: null, calls: 8, cost: null }),
  run("both~random~seed-1", { group: "both", satisfaction: 0.4, calls: 2 }), run("both~popular~seed-1", { group: "both", satisfaction: 0.6, error: "it broke" }),
  run("gone~a~seed-1", { group: "gone" }),
];

describe("the list of runs", () => {
  it("folds the runs of an experiment below it and leaves all others beside", () => {
    const lines = grouped(runs, [both]);
    expect(lines.map((one) => one.id)).toEqual(["both", "one", "two", "gone~a~seed-1"]);
    expect(lines[0]).toMatchObject({ people: 40, satisfaction: 0.5, calls: 2, error: "it broke", verdict: "popular +9 %", changed: 10 });
    expect(lines[0]?.runs).toHaveLength(2);
  });

  it("sorts by every column, with what is unknown last either way", () => {
    const lines = grouped(runs, [both]);
    const ids = (by: Parameters<typeof sorted>[1], down: boolean) => sorted(lines, by, down).map((one) => one.id);
    expect(ids("changed", true)[0]).toBe("one");
    expect(ids("failures", true)[0]).toBe("one");
    expect(ids("outcome", true)).toEqual(["one", "both", "gone~a~seed-1", "two"]);
    expect(ids("outcome", false).at(-1)).toBe("two");
    expect(ids("cost", false).at(-1)).toBe("two");
    expect(ids("calls", true)[0]).toBe("two");
    for (const by of ["name", "state", "rounds", "people"] as const) expect(ids(by, false)).toHaveLength(4);
  });

  it("is searched by name, title, verdict and error", () => {
    const lines = grouped(runs, [both]);
    expect(matching(lines, "popular").map((one) => one.id)).toEqual(["both"]);
    expect(matching(lines, "broke both").map((one) => one.id)).toEqual(["both"]);
    expect(matching(lines, "")).toHaveLength(4);
  });
});

const like: RunScenario = {
  id: "one", title: "One", toml: "agents = 40", is_plain: true,
  form: { title: "One", agents: 40, rounds: 4, seed: 2, seeds: 3, dataset: "films", recommenders: ["random", "ease"], mind: "rule", memory: "none", llm: "", model: "" },
};

describe("a run like another", () => {
  it("sends only what was changed", () => {
    const form = filled(like);
    expect(form).toMatchObject({ agents: "40", seed: "2", recommender: "random", others: ["ease"] });
    expect(body("form", form, "", {}, like)).toEqual({ form: {}, like: "one" });
    expect(body("form", { ...form, agents: "50", others: [] }, "", {}, like)).toEqual({ form: { agents: 50, recommender: "random" }, like: "one" });
    expect(body("toml", form, "agents = 1", {}, like)).toEqual({ toml: "agents = 1", like: "one" });
  });

  it("is sent whole when it is like no other", () => {
    const sent = body("form", { ...FIRST, recommender: "http", recommender_needs: "http://x" }, "", { recommenders: { http: "url" } }, null) as { form: Record<string, unknown> };
    expect(sent.form).toMatchObject({ agents: 200, recommender: { kind: "http", url: "http://x" }, dataset: "films", memory: "none" });
    expect(sent.form).not.toHaveProperty("mind");
  });

  it("names classes by their file and services by their host", () => {
    expect(named("/tmp/x/.uploads/ab/mine.py:Mine", [])).toBe("Mine (mine.py)");
    expect(named("http://127.0.0.1:8090", [])).toBe("127.0.0.1:8090");
    expect(named("ease", [])).toBe("ease");
  });
});
