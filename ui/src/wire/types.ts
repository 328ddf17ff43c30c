// What the server answers. Names follow the vocabulary of the design.

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
  open?: string | null;
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
  error?: string | null;
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
  arrival: number;
  scenario: string;
  tags?: string[];
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
  recency?: number | null;
  fading?: number | null;
  kind: string;
  at?: number | string;
  round?: number;
  accessed?: number | string | null;
  enhancers?: number;
}

export interface Lived {
  item: number;
  title: string;
  round?: number;
  at?: number | string;
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

export type EventArray = [string, ...unknown[]];

export interface Deed {
  n: number;
  round: number;
  step: number;
  phase?: number | string;
  events: EventArray[];
  cause?: string;
  calls: string[];
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
  history: Lived[];
  ties: Tie[];
  thoughts: Thought[];
  inbox: { post: string; author: number; name: string; text: string }[];
  heard: { item: number; title: string; who: number; name: string; stance: number }[];
  moods?: { topic: number; name?: string; level: number }[];
  attitudes?: { topic: number; name?: string; stance: number }[];
  decisions: Deed[];
}

export interface Call {
  key: string;
  purpose: string;
  messages: { role: string; content: string }[];
  reply: string;
  outcome?: string;
  model: string;
  tokens: number | { prompt: number; completion: number };
  cost: number | null;
  seconds: number | null;
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

export interface GraphAnswer {
  nodes?: GraphNode[];
  communities?: { id: number; size: number; label: string }[];
  of?: number[];
  edges: [number, number, ...(string | number)[]][];
}

export interface StoryLine {
  n: number;
  round: number;
  phase: number | string;
  agent: number;
  kind: string;
  text: string;
  items: number[];
  calls: string[];
}

export interface Job {
  done: number;
  total: number;
  answers: { agent: number; name: string; text: string; calls: string[] }[];
  error?: string | null;
  remembered_at?: number | null;
}

export interface Seat {
  seat: string;
  agent: number;
  name: string;
}

export interface Observation {
  round: number;
  turn: number;
  surface: string;
  now: string;
  menu: string[];
  page: number;
  slate: {
    item: number; title: string; about: string; tags: string[]; year: number | null; reason: string;
  }[];
  inbox: { post: string; author: number; name: string; text: string }[];
  friends: { id: number; name: string; kind: string }[];
  lines: { agent: number; name: string; text: string }[];
  me: {
    id: number; name: string; profile: ProfileFields;
    history: { item: number; title: string; fraction: number; stars: number }[];
  };
  lived_now: number[];
  deadline_s: number | null;
}

export type Change = { type: string } & Record<string, unknown>;

export interface Intervention {
  round: number;
  state: "pending" | "done";
  change: Change;
  text?: string;
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
}

export interface Line {
  round: number;
  agent: number;
  to: number;
  name: string;
  to_name: string;
  text: string;
}

export interface Comparison {
  a: { id: string; title: string };
  b: { id: string; title: string };
  metrics: MetricRow[];
  first_difference: {
    round: number; agent: number; name?: string; a: string; b: string;
  } | null;
  picks: { a: Count[]; b: Count[] };
  chats: { a: Line[]; b: Line[] };
}

export type Values = Record<string, number | null>;

export interface Metrics {
  labels: Record<string, [string, string, string]>;
  rounds: { round: number; values: Values }[];
  totals: Values;
  segments: { segment: string; people: number; values: Values }[];
  histogram: number[];
  popularity: number[];
  entropy?: Record<string, number>;
}

export interface ChapterMessage {
  n: number;
  round: number;
  phase: number;
  rank: number;
  agent: number;
  entries: [EventArray, string?, string[]?][];
}
