// The list of runs as one reads it: runs of an experiment below it, sorted by any column.

import type { ExperimentRow, LabRow, ListedRun } from "../wire/types";

export type Column = "name" | "state" | "rounds" | "people" | "outcome" | "changed" | "calls" | "cost" | "failures";

/** An experiment, or a study, which is read in the Lab. */
export type Whole = ExperimentRow & { isStudy?: boolean };

/** A study as a line of the list. */
export const ofStudy = (row: LabRow): Whole => ({
  id: row.id, title: row.title, arms: row.arms, seeds: row.seeds, state: row.state === "unfinished" ? "stopped" : row.state,
  done: row.done, all: row.all, made: row.changed, verdict: row.verdict, isStudy: true,
});

/** An experiment or a study with its runs, or a run by itself. */
export interface Listed {
  id: string;
  title: string;
  state: string;
  run: ListedRun | null;
  whole: Whole | null;
  runs: ListedRun[];
  done: number;
  all: number;
  people: number | null;
  satisfaction: number | null;
  verdict: string;
  changed: number;
  calls: number;
  cost: number | null;
  failures: number | null;
  error: string;
}

function ofRun(run: ListedRun): Listed {
  return {
    id: run.id, title: run.title, state: run.state, run, whole: null, runs: [], done: run.round ?? 0, all: run.rounds ?? 0,
    people: run.agents ?? null, satisfaction: run.satisfaction ?? null, verdict: "", changed: run.changed, calls: run.calls ?? 0,
    cost: run.cost ?? null, failures: run.failures ?? null, error: run.error,
  };
}

function sum(values: (number | null | undefined)[]): number | null {
  return values.some((one) => one == null) ? null : values.reduce<number>((all, one) => all + (one ?? 0), 0);
}

function ofWhole(whole: Whole, runs: ListedRun[]): Listed {
  const errors = [...new Set(runs.map((one) => one.error).filter(Boolean))];
  const known = runs.map((one) => one.satisfaction).filter((one): one is number => one != null);
  return {
    id: whole.id, title: whole.title, state: whole.state, run: null, whole, runs, done: whole.done, all: whole.all,
    people: runs.find((one) => one.agents)?.agents ?? null,
    satisfaction: known.length ? known.reduce((all, one) => all + one, 0) / known.length : null,
    verdict: whole.verdict, changed: Math.max(whole.made, ...runs.map((one) => one.changed)),
    calls: runs.reduce((all, one) => all + (one.calls ?? 0), 0), cost: sum(runs.map((one) => one.cost)), failures: sum(runs.map((one) => one.failures)),
    error: errors.length > 1 ? `${errors[0]} (and ${errors.length - 1} more)` : errors[0] ?? "",
  };
}

/** One line for each experiment and study with its runs below it, and one for every other run. */
export function grouped(runs: ListedRun[], wholes: Whole[]): Listed[] {
  const known = new Set(wholes.map((one) => one.id));
  const inside = new Map<string, ListedRun[]>();
  for (const run of runs) if (known.has(run.group)) inside.set(run.group, [...(inside.get(run.group) ?? []), run]);
  return [
    ...wholes.map((one) => ofWhole(one, inside.get(one.id) ?? [])),
    ...runs.filter((one) => !known.has(one.group)).map(ofRun),
  ];
}

const VALUE: Record<Column, (one: Listed) => string | number | null> = {
  name: (one) => one.id.toLowerCase(), state: (one) => one.state, rounds: (one) => (one.all ? one.done / one.all : 0), people: (one) => one.people,
  outcome: (one) => one.satisfaction, changed: (one) => one.changed, calls: (one) => one.calls, cost: (one) => one.cost, failures: (one) => one.failures,
};

/** In the order of a column; what has no value there comes last either way. */
export function sorted(lines: Listed[], by: Column, down: boolean): Listed[] {
  const value = VALUE[by];
  return [...lines].sort((one, two) => {
    const [a, b] = [value(one), value(two)];
    if (a === b) return one.id < two.id ? -1 : 1;
    if (a === null) return 1;
    if (b === null) return -1;
    return (a < b ? -1 : 1) * (down ? -1 : 1);
  });
}

export const runLines = (runs: ListedRun[]): Listed[] => runs.map(ofRun);

/** Lines that have all words in what they show; of an experiment, also in a run of it. */
export function matching(lines: Listed[], words: string): Listed[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const text = (one: Listed): string => [
    one.id, one.title, one.state, one.verdict, one.error, one.run?.recommender, one.run?.mind, one.whole?.arms.join(" "),
  ].join(" ").toLowerCase();
  return lines.filter((one) => wanted.every((word) => text(one).includes(word)));
}
