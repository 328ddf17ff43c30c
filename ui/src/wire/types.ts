// What the server answers. Names follow the vocabulary of the design.

import type { AnyEvent } from "../types.gen";

export type { AnyChange, AnyEvent, Chapter } from "../types.gen";

export type RunState =
  | "running" | "paused" | "waiting" | "stopped" | "finished" | "failed" | "elsewhere";

export interface Session {
  version: string;
  token?: string;
  keys: Record<string, boolean>;
  minds: string[];
  memories: string[];
  recommenders: string[];
  datasets: string[];
  runs_folder: string;
  opened?: string | null;
}

export interface RunRow {
  id: string;
  title: string;
  state: RunState;
  round: number;
  rounds: number;
  agents: number;
  seed: number;
  cost: number | null;
  calls: number;
  started_here: boolean;
  parent?: string | null;
  branch_at?: number | null;
  recommender?: string;
  mind?: string;
}

export interface Control {
  state: RunState;
  speed: number;
  round: number;
  rounds: number;
  visits_done: number;
  visits_total: number;
  eta_s: number | null;
  calls: number;
  reused: number;
  tokens: number;
  cost: number | null;
  failures: number;
  algorithm: string;
  pending?: number;
  error?: string | null;
}

export interface Stand {
  control: Control;
  panel?: Panel;
}

export interface Count {
  item: number;
  title: string;
  count: number;
}

export interface Panel {
  people: number;
  here_now: number;
  items: number;
  interactions: number;
  most_popular: Count[];
  links: number;
  chats: number;
  posts: number;
}

export interface RunDetail extends RunRow {
  control: Control;
  panel: Panel;
  /** Arrival number of the last chapter. */
  n: number;
  memory: string;
}

export interface ScenarioRow {
  name: string;
  title: string;
  toml: string;
}

export interface Problem {
  where: string;
  message: string;
}

export interface Estimate {
  calls: number;
  tokens: number;
  cost: number | null;
  seconds: number | null;
}

export interface Check {
  ok: boolean;
  problems: Problem[];
  estimate: Estimate | null;
  toml: string;
}

export interface Names {
  people: string[];
  items: string[];
  /** What items can be tagged with, and people interested in. */
  tags: string[];
}

export interface PersonRow {
  id: number;
  name: string;
  gender?: string;
  age?: number | null;
  career?: string;
  interests?: string[];
  visits?: number;
  satisfaction?: number;
}

export interface Thought {
  id: number;
  text: string;
  store: string;
  weight: number;
  round: number;
  kind: string;
  recency: number;
  forgetting: number;
  enhancers: number[];
  accesses: number[];
  why: string;
}

export interface Memory {
  memory: string;
  counts: Record<string, number>;
  sensory: Thought[];
  short: Thought[];
  long: Thought[];
  lost: Thought[];
}

export interface Lived {
  item: number;
  title: string;
  at: number;
  fraction: number;
  stars: number;
  feeling: string;
}

export interface Tie {
  other: number;
  name: string;
  kind: string;
  closeness: number;
}


export interface Deed {
  n: number;
  round: number;
  step: number;
  phase: number;
  events: AnyEvent[];
  lines: string[];
  cause: string;
  calls: string[];
}

export interface Topic {
  topic: number;
  name: string;
  level: number;
  stance: number;
  aware: number;
}

export interface ProfileFields {
  id: number;
  name: string;
  gender: string;
  age: number | null;
  traits: string[];
  career: string;
  interests: string[];
  habits: Record<string, number>;
  activity: number;
  key: string;
}

export interface Person {
  id: number;
  at: number;
  profile: ProfileFields;
  taste: { tag: string; value: number }[];
  satisfaction: number;
  visits: number;
  silent: boolean;
  followers: number;
  history: Lived[];
  ties: Tie[];
  memory: Memory | null;
  inbox: { post: string; author: number; text: string }[];
  heard: { item: number; title: string; who: number; stance: number }[];
  topics?: Topic[];
  decisions: Deed[];
}

export interface Call {
  key: string;
  purpose: string;
  messages: { role: string; content: string }[];
  reply: string;
  outcome: string;
  why: string;
  model: string;
  tokens: { prompt: number; completion: number };
  cost: number | null;
  seconds: number;
}

export interface ItemRow {
  id: number;
  title: string;
  about?: string;
  tags?: string[];
  year?: number | null;
  picks?: number;
}

export interface GraphNode {
  id: number;
  name: string;
  community: number;
  degree: number;
  x?: number;
  y?: number;
  mood?: number | null;
  attitude?: number | null;
  satisfaction?: number | null;
}

export interface Community {
  id: number;
  size: number;
  label: string;
  /** How many are of each class of a legend. */
  shares?: Partial<Record<"satisfaction" | "emotion" | "attitude", number[]>>;
}

export interface Members extends Community {
  people: PersonRow[];
}

export interface GraphAnswer {
  nodes?: GraphNode[];
  communities?: Community[];
  of?: number[];
  edges: [number, number, ...(string | number)[]][];
}

export interface StoryLine {
  n: number;
  step: number;
  round: number;
  phase: number;
  agent: number;
  kind: string;
  text: string;
  cause: string;
  items: number[];
  calls: string[];
}

export interface Job {
  done: number;
  total: number;
  over: boolean;
  answers: { agent: number; name: string; text: string; calls: string[]; failure: string }[];
  error: string | null;
}

export interface Seat {
  seat: string;
  agent: number;
  name: string;
}

export interface Observation {
  /** Of the question: the answer names it, so that a late one answers no other. */
  number: number;
  /** Seconds left; null: as long as one likes. */
  deadline: number | null;
  round: number;
  turn: number;
  surface: string;
  now: string;
  menu: string[];
  page: number;
  slate: {
    item: number; title: string; about: string; tags: string[]; year: number | null; minutes: number; reason: string;
  }[];
  lived: { item: number; title: string; stars: number }[];
  inbox: { post: string; author: number; text: string }[];
  friends: { id: number; name: string; kind: string }[];
  lines: { agent: number; to: number; text: string }[];
  me: { id: number; name: string; age: number | null; interests: string[] };
  /** Moves made on this page that happen when it is left. */
  taken: ({ type: string } & Record<string, unknown>)[];
}

export type Change = { type: string } & Record<string, unknown>;

export interface Intervention extends Record<string, unknown> {
  round?: number;
  do: string;
  state: "pending" | "done";
}

export interface MetricRow {
  name: string;
  label: string;
  unit?: string;
  better?: string;
  a: number | null;
  b: number | null;
  difference: number | null;
  low: number | null;
  high: number | null;
  clear: boolean;
}

export interface Example {
  round: number;
  agent: number;
  name: string;
  text: string;
}

export interface Overlap {
  a: number;
  b: number;
  same: number;
  only_a: Example[];
  only_b: Example[];
}

export interface Parting {
  event: AnyEvent;
  text: string;
  cause: string;
  calls: string[];
}

export interface Comparison {
  rounds: number;
  verdict: string;
  metrics: MetricRow[];
  first_difference: {
    round: number; agent: number | null; name: string; a: Parting | null; b: Parting | null;
  } | null;
  picks: Overlap;
  chats: Overlap;
}

export type Values = Record<string, number | null>;

export interface Label {
  label: string;
  unit: string;
  better: string;
}

export interface Segment {
  segment: string;
  people: number;
  values: Values;
}

export interface Metrics {
  done: number;
  labels: Record<string, Label>;
  rounds: Values[];
  totals: Values;
  segments: Record<string, Segment[]>;
  histogram: number[];
  popularity: { curve: [number, number][]; top: Count[] };
}
