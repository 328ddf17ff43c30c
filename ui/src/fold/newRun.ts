// The form for a new run: what it holds, what it sends, and how it is filled from another run.

import type { OwnRecommender, RunScenario, Session } from "../wire/types";

export interface Form {
  title: string; agents: string; rounds: string; seed: string; seeds: string;
  /** Recommenders to compare the first with. */
  others: string[];
  dataset: string; recommender: string;
  mind: string; memory: string; llm: string; model: string; key_env: string; budget: string;
  /** What a dataset or a recommender needs to be made, such as a path. */
  dataset_needs: string; recommender_needs: string;
}

export const FIRST: Form = {
  title: "A first look", agents: "200", rounds: "10", seed: "1", seeds: "1", others: [], dataset: "films", recommender: "popular",
  mind: "", memory: "none", llm: "", model: "", key_env: "", budget: "", dataset_needs: "", recommender_needs: "",
};

export type Way = "form" | "toml";
const NUMBERS = ["agents", "rounds", "seed", "seeds"] as const;
const WORDS = ["title", "mind", "memory", "llm", "model", "key_env", "budget"] as const;

const whole = (typed: string): number | string => (/^\d+$/.test(typed.trim()) ? Number(typed) : typed);

/** What can be seen without asking: numbers that are none. */
export function mistakes(form: Pick<Form, "agents" | "rounds" | "seed" | "seeds">): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [key, least] of [["agents", 1], ["rounds", 1], ["seed", 0], ["seeds", 1]] as const) {
    const typed = form[key].trim();
    if (!/^\d+$/.test(typed) || Number(typed) < least) found[key] = `Must be a whole number, at least ${least}`;
  }
  return found;
}

/** The form filled from what a run or an experiment was. */
export function filled(from: RunScenario): Form {
  const { recommenders, agents, rounds, seed, seeds, ...rest } = from.form;
  const arms = from.is_plain ? recommenders : recommenders.slice(0, 1);
  return {
    ...FIRST, ...rest, agents: `${agents}`, rounds: `${rounds}`, seed: `${seed}`, seeds: `${seeds}`,
    recommender: arms[0] ?? "", others: arms.slice(1),
  };
}

function served(form: Form, needs: Session["needs"]): Record<string, unknown> {
  if (form.others.length) return { recommenders: [form.recommender, ...form.others] };
  return { recommender: part("recommenders", form.recommender, form.recommender_needs, needs) };
}

function part(group: string, kind: string, given: string, needs: Session["needs"]): unknown {
  const need = needs[group]?.[kind];
  return need && given ? { kind, [need]: given } : kind;
}

/** What is sent: a whole form, or of a run that is like another one only what was changed. */
export function body(way: Way, form: Form, toml: string, needs: Session["needs"], like: RunScenario | null): Record<string, unknown> {
  if (way === "toml") return like ? { toml, like: like.id } : { toml };
  const before = like ? filled(like) : null;
  const isNew = (key: keyof Form): boolean => !before || JSON.stringify(form[key]) !== JSON.stringify(before[key]);
  const fields: Record<string, unknown> = {};
  for (const key of NUMBERS) if (isNew(key)) fields[key] = whole(form[key]);
  for (const key of WORDS) if (isNew(key) && form[key] !== "") fields[key] = form[key];
  if (isNew("dataset") || form.dataset_needs) fields["dataset"] = part("datasets", form.dataset, form.dataset_needs, needs);
  if (isNew("recommender") || isNew("others") || form.recommender_needs) Object.assign(fields, served(form, needs));
  return like ? { form: fields, like: like.id } : { form: fields };
}

/** How a recommender is called on the page: a class by its name and file, a service by its host. */
export function named(kind: string, own: OwnRecommender[]): string {
  const mine = own.find((one) => one.kind === kind);
  if (mine) return mine.file ? `${mine.name} (${mine.file})` : mine.name;
  const file = /([^/\\]+\.py):(\w+)$/.exec(kind);
  if (file) return `${file[2]} (${file[1]})`;
  return kind.replace(/^https?:\/\//, "");
}
