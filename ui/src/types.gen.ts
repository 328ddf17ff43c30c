// Made by tools/ui_types.py from the structs of the server; do not edit by hand.

export interface ChangeProfile {
  type: "ChangeProfile";
  agent: number;
  fields: Record<string, unknown>;
}

export interface Habits {
  watcher?: number;
  explorer?: number;
  critic?: number;
  chatter?: number;
  poster?: number;
}

export interface Profile {
  id: number;
  name?: string;
  gender?: string;
  age?: number | null;
  traits?: string[];
  career?: string;
  interests?: string[];
  habits?: Habits;
  activity?: number;
  leaning?: number[];
  key?: string;
}

export interface AddPerson {
  type: "AddPerson";
  profile: Profile;
  friends?: number[];
}

export interface Item {
  id: number;
  title: string;
  about?: string;
  tags?: string[];
  year?: number | null;
  minutes?: number;
  quality?: number;
  key?: string;
}

export interface AddItem {
  type: "AddItem";
  item: Item;
}

export interface Announce {
  type: "Announce";
  text: string;
  items?: number[];
  stance?: number;
}

export interface Advertise {
  type: "Advertise";
  text: string;
  items?: number[];
  agents?: number[];
  interest?: string;
  stance?: number;
  gender?: string;
  ages?: number[];
  career?: string;
  trait?: string;
}

export interface SwapRecommender {
  type: "SwapRecommender";
  kind: string;
  options?: Record<string, unknown>;
}

export interface AddTie {
  type: "AddTie";
  agent: number;
  other: number;
  kind?: string;
  closeness?: number;
}

export interface CutTie {
  type: "CutTie";
  agent: number;
  other: number;
}

export interface Silence {
  type: "Silence";
  agent: number;
  silent?: boolean;
}

export interface Remind {
  type: "Remind";
  agent: number;
  text: string;
  weight?: number;
}

export interface Topic {
  name: string;
  text: string;
  about?: string;
  appeals?: string[];
  favour?: number;
  favour_of?: Record<string, number>;
  decay?: number;
  half_life?: number;
  keep?: number;
}

export interface Raise {
  type: "Raise";
  topic: Topic;
  seeds: number[];
  stance?: number;
}

export type AnyChange =
  | ChangeProfile
  | AddPerson
  | AddItem
  | Announce
  | Advertise
  | SwapRecommender
  | AddTie
  | CutTie
  | Silence
  | Remind
  | Raise;

export type RunStarted = [tag: "RunStarted", seed: number, genesis: string, drift: number];

export type RoundStarted = [tag: "RoundStarted", round: number, at: number];

export type Woke = [tag: "Woke", agent: number, at: number];

export type Entered = [tag: "Entered", agent: number, surface: string];

export type SlateShown = [tag: "SlateShown", agent: number, items: number[], page: number, surface?: string];

export type SlateAnnotated = [tag: "SlateAnnotated", agent: number, propensities?: (number | null)[], reasons?: string[], scores?: (number | null)[]];

export type Searched = [tag: "Searched", agent: number, query: string, found: number];

export type Picked = [tag: "Picked", agent: number, item: number, position: number];

export type Watched = [tag: "Watched", agent: number, item: number, fraction: number];

export type Rated = [tag: "Rated", agent: number, item: number, stars: number];

export type Felt = [tag: "Felt", agent: number, item: number, text: string, voice?: string];

export type Posted = [tag: "Posted", agent: number, post: string, text: string, items?: number[], stance?: number, voice?: string, topic?: number];

export type Forwarded = [tag: "Forwarded", agent: number, post: string, source: string, author: number, text: string, items?: number[], stance?: number, topic?: number, root?: string];

export type Wished = [tag: "Wished", agent: number, to: number, text: string, items?: number[], stance?: number, voice?: string];

export type Said = [tag: "Said", agent: number, to: number, text: string, items?: number[], stance?: number, voice?: string];

export type Delivered = [tag: "Delivered", post: string, author: number, to: number[], text: string, items?: number[], stance?: number, topic?: number, sender?: number, root?: string, voice?: string];

export type Followed = [tag: "Followed", agent: number, who: number, kind?: string];

export type Unfollowed = [tag: "Unfollowed", agent: number, who: number];

export type Left = [tag: "Left", agent: number, satisfaction?: number | null, why?: string];

export type Refused = [tag: "Refused", agent: number, action: string, why: string];

export type Failed = [tag: "Failed", agent: number, why: string];

export type Recalled = [tag: "Recalled", agent: number, thoughts: number[], at: number, cut?: number];

export type Remembered = [tag: "Remembered", agent: number, thought: number, text: string, weight: number, at: number, kind?: string, store?: string, items?: number[]];

export type Enhanced = [tag: "Enhanced", agent: number, thought: number, by: number];

export type Settled = [tag: "Settled", agent: number, thought: number];

export type Reflected = [tag: "Reflected", agent: number, thought: number, text: string, weight: number, at: number, sources?: number[], kind?: string, items?: number[]];

export type Merged = [tag: "Merged", agent: number, thought: number, text: string, weight: number, at: number, sources: number[], kind?: string, items?: number[]];

export type Forgot = [tag: "Forgot", agent: number, thought: number, why?: string];

export type TasteShifted = [tag: "TasteShifted", agent: number, tag: number, by: number];

export type MoodShifted = [tag: "MoodShifted", agent: number, topic: number, level: number, why?: string];

export type AttitudeShifted = [tag: "AttitudeShifted", agent: number, topic: number, stance: number, why?: string];

export type RecommenderFitted = [tag: "RecommenderFitted", kind: string, interactions: number, artefact: string];

export type Intervened = [tag: "Intervened", change: AnyChange];

export type RoundEnded = [tag: "RoundEnded", round: number];

export type Unfounded = [tag: "Unfounded", agent: number, titles: string[], items?: number[]];

export type TiesEnlivened = [tag: "TiesEnlivened", grow: number, fade: number];

export type Gathered = [tag: "Gathered", agent: number, members: number[], items: number[], at: number, item: number, rule: string, scores: number[]];

export type Parted = [tag: "Parted", agent: number, item: number, company: number[], satisfaction: number];

export type Saved = [tag: "Saved", agent: number, item: number];

export type AnyEvent =
  | RunStarted
  | RoundStarted
  | Woke
  | Entered
  | SlateShown
  | SlateAnnotated
  | Searched
  | Picked
  | Watched
  | Rated
  | Felt
  | Posted
  | Forwarded
  | Wished
  | Said
  | Delivered
  | Followed
  | Unfollowed
  | Left
  | Refused
  | Failed
  | Recalled
  | Remembered
  | Enhanced
  | Settled
  | Reflected
  | Merged
  | Forgot
  | TasteShifted
  | MoodShifted
  | AttitudeShifted
  | RecommenderFitted
  | Intervened
  | RoundEnded
  | Unfounded
  | TiesEnlivened
  | Gathered
  | Parted
  | Saved;

export interface Enter {
  type: "Enter";
  surface: string;
}

export interface Browse {
  type: "Browse";
}

export interface NextPage {
  type: "NextPage";
}

export interface Search {
  type: "Search";
  query: string;
}

export interface Pick {
  type: "Pick";
  item: number;
  fraction?: number;
}

export interface Rate {
  type: "Rate";
  item: number;
  stars: number;
  feeling?: string;
  voice?: string;
}

export interface Save {
  type: "Save";
  item: number;
}

export interface Post {
  type: "Post";
  text: string;
  items?: number[];
  stance?: number;
  voice?: string;
  topic?: number;
}

export interface Forward {
  type: "Forward";
  post: string;
}

export interface Say {
  type: "Say";
  to: number;
  text: string;
  items?: number[];
  stance?: number;
  voice?: string;
}

export interface Follow {
  type: "Follow";
  who: number;
}

export interface Unfollow {
  type: "Unfollow";
  who: number;
}

export interface Shift {
  type: "Shift";
  tag: number;
  by: number;
}

export interface Feel {
  type: "Feel";
  topic: number;
  level: number;
}

export interface Hold {
  type: "Hold";
  topic: number;
  stance: number;
}

export interface Leave {
  type: "Leave";
  satisfaction?: number | null;
  why?: string;
}

export interface Nothing {
  type: "Nothing";
}

export type AnyAction =
  | Enter
  | Browse
  | NextPage
  | Search
  | Pick
  | Rate
  | Save
  | Post
  | Forward
  | Say
  | Follow
  | Unfollow
  | Shift
  | Feel
  | Hold
  | Leave
  | Nothing;

export type Entry = [event: AnyEvent, cause: string, calls: string[]];

export interface ControlState {
  state: "elsewhere" | "failed" | "finished" | "paused" | "running" | "stopped" | "waiting";
  speed: number;
  round: number;
  rounds: number;
  visits_done: number;
  visits_total: number;
  eta_s: number | null;
  failures: number;
  algorithm: string;
  pending: number;
  error: string | null;
  calls: number;
  reused: number;
  tokens: number;
  cost: number | null;
  failed_calls: number;
}

export interface ItemCount {
  item: number;
  title: string;
  count: number;
}

export interface PanelReply {
  people: number;
  items: number;
  interactions: number;
  most_popular: ItemCount[];
  links: number;
  chats: number;
  posts: number;
  here_now: number;
}

export interface RunStatus {
  control: ControlState;
  panel: PanelReply;
}

export interface ScenarioRow {
  name: string;
  title: string;
  toml: string;
}

export interface ScenarioProblem {
  where: string;
  message: string;
}

export interface CostForecast {
  calls: number;
  tokens: number;
  cost: number | null;
  seconds: number | null;
  speed: string;
}

export interface NameLists {
  people: string[];
  items: string[];
  tags: string[];
  topics: string[];
}

export interface PersonRow {
  id: number;
  name: string;
  gender: string;
  age: number | null;
  career: string;
  interests: string[];
  visits: number;
  satisfaction: number;
  silent: boolean;
}

export interface ProfileReply {
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

export interface TasteRow {
  tag: string;
  value: number;
}

export interface HistoryRow {
  item: number;
  title: string;
  at: number;
  fraction: number;
  stars: number;
  feeling: string;
}

export interface HeardRow {
  item: number;
  title: string;
  who: number;
  stance: number;
}

export interface PersonTie {
  other: number;
  name: string;
  kind: string;
  closeness: number;
  mutual: boolean;
}

export interface DecisionRow {
  n: number;
  round: number;
  phase: number;
  step: number;
  cause: string;
  calls: string[];
  events: AnyEvent[];
  lines: string[];
}

export interface TopicStanding {
  topic: number;
  name: string;
  level: number;
  stance: number;
  aware: number;
}

export interface InboxCard {
  post: string;
  author: number;
  text: string;
  items?: number[];
  stance?: number;
  topic?: number;
  sender?: number;
  root?: string;
  round?: number;
  trust?: number;
  relevance?: number;
  voice?: string;
}

export interface Forgetting {
  beta?: number;
  delta?: number;
  decay?: number;
  rate?: number;
  untouched?: number;
}

export interface Constants {
  capacity?: number;
  enhancements?: number;
  reflect_at?: number;
  laws?: Forgetting;
  forgets?: boolean;
}

export interface Reflection {
  brewing: number;
  due_at: number;
}

export interface ThoughtSource {
  id: number;
  text: string;
  lost: string;
}

export interface ThoughtReport {
  id: number;
  text: string;
  weight: number;
  at: number;
  round: number;
  kind: string;
  store: string;
  sources: ThoughtSource[];
  items: number[];
  enhancers: number[];
  accesses: number[];
  settled: number;
  ended: number;
  ended_round: number;
  why: string;
  into: number;
  recency: number;
  forgetting: number;
  age_hours: number;
  last_recalled: number | null;
}

export interface MemoryReport {
  agent: number;
  name: string;
  memory: string;
  round: number;
  now: number;
  constants: Constants;
  counts: Record<string, number>;
  reflection: Reflection;
  sensory: ThoughtReport[];
  short: ThoughtReport[];
  long: ThoughtReport[];
  lost: ThoughtReport[];
}

export interface PersonDetail {
  id: number;
  name: string;
  gender: string;
  age: number | null;
  career: string;
  interests: string[];
  visits: number;
  satisfaction: number;
  silent: boolean;
  at: number;
  profile: ProfileReply;
  taste: TasteRow[];
  history: HistoryRow[];
  ratings: HistoryRow[];
  feelings: HistoryRow[];
  heard: HeardRow[];
  inbox: InboxCard[];
  ties: PersonTie[];
  followers: number;
  memory: MemoryReport | null;
  decisions: DecisionRow[];
  topics: TopicStanding[];
}

export interface TokenCount {
  prompt: number;
  completion: number;
}

export interface ChatMessage {
  role: "assistant" | "system" | "user";
  content: string;
}

export interface CallReply {
  key: string;
  purpose: string;
  messages: ChatMessage[];
  schema: unknown;
  reply: string;
  replies: string[];
  outcome: string;
  why: string;
  model: string;
  tokens: TokenCount;
  cost: number | null;
  seconds: number;
  attempts: number;
}

export interface GraphNode {
  id: number;
  name: string;
  community: number;
  degree: number;
  interest: string;
  satisfaction: number;
  mood?: number;
  attitude?: number;
}

export interface CommunityRow {
  id: number;
  size: number;
  label: string;
  shares?: Record<string, number[]>;
}

export interface CommunityMembers {
  id: number;
  size: number;
  label: string;
  shares?: Record<string, number[]>;
  people: PersonRow[];
}

export interface GraphReply {
  nodes: GraphNode[];
  edges: ((number | string)[])[];
  communities: CommunityRow[];
  of?: string;
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

export interface SeatReply {
  seat: string;
  agent: number;
  name: string;
}

export interface MetricRow {
  name: string;
  label: string;
  unit: string;
  better: string;
  over: string;
  a: number | null;
  b: number | null;
  difference: number | null;
  low: number | null;
  high: number | null;
  percent: number | null;
  pairs: number;
  judgement: string;
}

export interface DiffExample {
  round: number;
  agent: number;
  name: string;
  text: string;
}

export interface Overlap {
  a: number;
  b: number;
  same: number;
  only_a: DiffExample[];
  only_b: DiffExample[];
}

export interface DiffSide {
  event: AnyEvent;
  text: string;
  cause: string;
  calls: string[];
}

export interface FirstDifference {
  round: number;
  phase: number;
  agent: number | null;
  name: string;
  a: DiffSide | null;
  b: DiffSide | null;
}

export interface ComparisonReply {
  rounds: number;
  verdict: string;
  metrics: MetricRow[];
  first_difference: FirstDifference | null;
  picks: Overlap;
  chats: Overlap;
  since?: number;
}

export interface MetricLabel {
  label: string;
  unit: string;
  round_unit: string;
  better: string;
}

export interface SummaryRow {
  name: string;
  label: string;
  unit: string;
  better: string;
  over: string;
  mean: number | null;
  low: number | null;
  high: number | null;
}

export interface SegmentRow {
  segment: string;
  people: number;
  values: Record<string, number | null>;
}

export interface PopularityReply {
  curve: [number, number][];
  top: ItemCount[];
}

export interface MetricsReply {
  done: number;
  labels: Record<string, MetricLabel>;
  summary: SummaryRow[];
  rounds: (Record<string, number | null>)[];
  totals: Record<string, number | null>;
  segments: Record<string, SegmentRow[]>;
  histogram: number[];
  popularity: PopularityReply;
  entropy: Record<string, (number | null)[]>;
}

export interface RunRow {
  id: string;
  title: string;
  state: "elsewhere" | "failed" | "finished" | "paused" | "running" | "stopped" | "waiting";
  round: number;
  rounds: number;
  agents: number;
  seed: number;
  cost: number | null;
  calls: number;
  mind: string;
  memory: string;
  recommender: string;
  dataset: string;
  started_here: boolean;
  parent: string | null;
  branch_at: number | null;
  n: number;
  group: string;
  changed: number;
  satisfaction: number | null;
  failures: number | null;
  failed_calls: number;
  error: string;
}

export interface UnreadableRun {
  id: string;
  title: string;
  state: "elsewhere" | "failed" | "finished" | "paused" | "running" | "stopped" | "waiting";
  error: string;
  group?: string;
  changed?: number;
}

export interface RunDetail {
  id: string;
  title: string;
  state: "elsewhere" | "failed" | "finished" | "paused" | "running" | "stopped" | "waiting";
  round: number;
  rounds: number;
  agents: number;
  seed: number;
  cost: number | null;
  calls: number;
  mind: string;
  memory: string;
  recommender: string;
  dataset: string;
  started_here: boolean;
  parent: string | null;
  branch_at: number | null;
  n: number;
  group: string;
  changed: number;
  satisfaction: number | null;
  failures: number | null;
  failed_calls: number;
  error: string;
  control: ControlState;
  panel: PanelReply;
  scenario: Record<string, unknown>;
}

export interface ScenarioKey {
  key: string;
  a: string | null;
  b: string | null;
}

export interface ScenarioCheck {
  ok: boolean;
  problems: ScenarioProblem[];
  estimate: CostForecast | null;
  toml: string | null;
  differences?: ScenarioKey[] | null;
}

export interface ScenarioForm {
  title: string;
  agents: number;
  rounds: number;
  seed: number;
  seeds: number;
  dataset: string;
  recommenders: string[];
  mind: string;
  memory: string;
  llm: string;
  model: string;
}

export interface RunScenario {
  id: string;
  title: string;
  toml: string;
  form: ScenarioForm;
  is_plain: boolean;
}

export interface ScenarioPair {
  keys: ScenarioKey[];
}

export interface DeletedRow {
  key: string;
  id: string;
  title: string;
  runs: number;
  deleted: number;
}

export interface EmptiedTrash {
  removed: number;
}

export interface LabOffer {
  kind: "evaluation" | "study";
  name: string;
  question: string;
  needs: string[];
  takes: string[];
  quick: string;
  full: string;
  arms: string[];
}

export interface ArmRuns {
  arm: string;
  done: number;
  all: number;
}

export interface LabJob {
  id: string;
  kind: "evaluation" | "study";
  name: string;
  question: string;
  options: string;
  state: "cancelled" | "failed" | "finished" | "running" | "waiting";
  done: number;
  all: number;
  now: string;
  arms: ArmRuns[];
  seconds: number;
  error: string;
  result: string;
}

export interface LabRow {
  id: string;
  kind: "evaluation" | "study";
  name: string;
  title: string;
  state: string;
  done: number;
  all: number;
  arms: string[];
  seeds: number;
  verdict: string;
  changed: number;
}

export interface LabReply {
  offers: LabOffer[];
  jobs: LabJob[];
  results: LabRow[];
  refused: string;
}

export interface LabFigure {
  file: string;
  title: string;
}

export interface LabResult {
  id: string;
  kind: "evaluation" | "study";
  name: string;
  title: string;
  state: string;
  done: number;
  all: number;
  arms: string[];
  seeds: number;
  verdict: string;
  changed: number;
  method: string[];
  notes: string[];
  text: string;
  figures: LabFigure[];
  has_report: boolean;
  command: string;
}

export interface ErrorReply {
  error: string;
  where?: string;
}

export interface StartedRun {
  id: string;
  experiment?: string;
}

export interface QueuedChange {
  applies_at: number;
  change: AnyChange;
}

export interface ReadProgress {
  done: number;
  total: number;
}

export interface TicketReply {
  ticket: string;
}

export interface Acknowledged {
  ok?: boolean;
}

export interface ActivityReply {
  round: number;
  activity: [number, number][];
}

export interface SessionReply {
  version: string;
  keys: Record<string, boolean>;
  minds: string[];
  memories: string[];
  recommenders: string[];
  datasets: string[];
  endpoints: string[];
  models: Record<string, string[]>;
  endpoint_keys: Record<string, string>;
  runs_folder: string;
  opened: string | null;
  scenario: string | null;
  needs: Record<string, Record<string, string>>;
  is_private: boolean;
  about: Record<string, Record<string, string>>;
  streams: number;
  token?: string;
}

export interface CallLine {
  key: string;
  purpose: string;
  outcome: string;
  model: string;
  prompt: number;
  completion: number;
  seconds: number;
  attempts: number;
}

export interface CallPage {
  total: number;
  lines: CallLine[];
  outcomes: Record<string, Record<string, number>>;
}

export interface OwnRecommender {
  kind: string;
  name: string;
  file: string;
}

export interface Uploaded {
  file: string;
  recommenders: OwnRecommender[];
}

export interface RecommenderCheck {
  what: string;
  ok: boolean;
  told: string;
}

export interface TriedRecommender {
  kind: string;
  name: string;
  ok: boolean;
  checks: RecommenderCheck[];
}

export interface ExperimentRow {
  id: string;
  title: string;
  arms: string[];
  seeds: number;
  state: string;
  done: number;
  all: number;
  made: number;
  verdict: string;
}

export interface ExperimentRun {
  arm: string;
  seed: number;
  id: string;
  state: string;
  round: number;
  rounds: number;
  error: string;
}

export interface ArmCurve {
  arm: string;
  points: [number, number, number, number][];
}

export interface MetricCurves {
  metric: string;
  label: string;
  unit: string;
  arms: ArmCurve[];
}

export interface Interval {
  mean?: number;
  low?: number;
  high?: number;
  count?: number;
}

export interface SegmentContrast {
  by: string;
  segment: string;
  people: number;
  means: Record<string, number | null>;
  differences: Record<string, Interval | null>;
}

export interface LeadReply {
  stays: number;
  clear: number;
  settings: number;
  flips: string[];
}

export interface ArmCell {
  arm: string;
  mean: number;
  low: number;
  high: number;
  count: number;
  over: string;
}

export interface Contrast {
  other: string;
  reference: string;
  difference: number;
  low: number;
  high: number;
  percent: number;
  percent_low: number;
  percent_high: number;
  pairs: number;
  over: string;
  judgement: string;
}

export interface Line {
  metric: string;
  label: string;
  unit: string;
  better: string;
  cells: ArmCell[];
  contrasts: Contrast[];
}

export interface ExperimentFindings {
  verdict: string;
  notes: string[];
  lines: Line[];
  first: string[];
  curves: MetricCurves[];
  segments: SegmentContrast[];
  leads: Record<string, LeadReply>;
}

export interface ExperimentReply {
  id: string;
  title: string;
  arms: string[];
  seeds: number;
  state: string;
  done: number;
  all: number;
  made: number;
  verdict: string;
  runs: ExperimentRun[];
  scenario: string;
  findings: ExperimentFindings | null;
}

export interface VisitLine {
  satisfaction: number | null;
  why: string;
  pages: number;
  picks: number;
  failures: number;
}

export interface PersonLine {
  id: number;
  name: string;
  gender: string;
  age: number | null;
  career: string;
  interests: string[];
  visits: number;
  satisfaction: number;
  silent: boolean;
  picks: number;
  stars: number | null;
  last: number;
  failures: number;
  visit?: VisitLine | null;
}

export interface PeoplePage {
  total: number;
  rows: PersonLine[];
}

export interface Funnel {
  visits: number;
  shown: number;
  picked: number;
  rated: number;
  returned: number;
  known: number;
  items_shown: number;
  picks: number;
  ratings: number;
}

export interface HeatRow {
  name: string;
  item: number;
  shown: (number | null)[];
  picked: (number | null)[];
}

export interface OverviewReply {
  round: number;
  progress: number;
  now: Funnel;
  so_far: Funnel;
  satisfaction: number[];
  mean: number | null;
  spans: [number, number][];
  genres: HeatRow[];
  items: HeatRow[];
}

export interface StartedInterview {
  interview: string;
}

export interface InterviewRow {
  id: string;
  question: string;
  options: string[];
  at: number;
  whom: string;
  asked: number;
  done: number;
  failed: number;
  by_rule: number;
  state: "asking" | "cancelled" | "done" | "failed" | "interrupted";
  error: string;
}

export interface Answer {
  agent: number;
  name: string;
  text: string;
  calls?: string[];
  failure?: string;
  choice?: string;
  by?: "model" | "rule";
}

export interface OptionCount {
  option: string;
  count: number;
  share: number | null;
  low: number | null;
  high: number | null;
}

export interface AnswerCounts {
  by: string;
  name: string;
  asked: number;
  answered: number;
  options: OptionCount[];
  mean?: number | null;
  low?: number | null;
  high?: number | null;
}

export interface Tabulation {
  all: AnswerCounts;
  segments: AnswerCounts[];
}

export interface InterviewReply {
  id: string;
  question: string;
  options: string[];
  at: number;
  whom: string;
  asked: number;
  done: number;
  failed: number;
  by_rule: number;
  state: "asking" | "cancelled" | "done" | "failed" | "interrupted";
  error: string;
  answers: Answer[];
  table: Tabulation | null;
}

export interface ChatRow {
  id: string;
  agent: number;
  name: string;
  at: number;
  lines: number;
}

export interface ChatLine {
  is_theirs: boolean;
  text: string;
  calls?: string[];
  failure?: string;
  by?: "model" | "rule";
}

export interface ChatReply {
  id: string;
  agent: number;
  name: string;
  at: number;
  lines: number;
  said: ChatLine[];
}

export interface AgainReply {
  call: CallReply;
  left: number;
}

export interface Subject {
  kind: "decision" | "person" | "talk";
  agent: number;
  n?: number;
  step?: number;
  round?: number;
}

export interface NoteRow {
  about: string;
  subject: Subject;
  name: string;
  words: string;
  author: string;
  score: number | null;
  text: string;
}

export interface SubjectReply {
  about: string;
  subject: Subject;
  name: string;
  words: string;
  notes: NoteRow[];
}

export interface DecisionCase {
  about: string;
  agent: number;
  name: string;
  who: string;
  round: number;
  shown: string[];
  cause: string;
  lines: string[];
  calls: string[];
}

export interface Shown {
  title: string;
  year?: number | null;
  tags?: string[];
  stars?: number;
}

export interface Choose {
  type: "choose";
  id: string;
  history: Shown[];
  earlier: number;
  tastes: string;
  candidates: Shown[];
  choose: number;
}

export interface Write {
  type: "write";
  id: string;
  what: string;
  person: string;
  lines: string[];
}

export interface Pair {
  type: "pair";
  id: string;
  about: string;
  person: string;
  lines: string[];
  first: string[];
  second: string[];
}

export interface Score {
  type: "score";
  id: string;
  person: string;
  behaviour: string[];
  memories: string[];
}

export interface JudgementSheet {
  page: string;
  tasks: (Choose | Write | Pair | Score)[];
  answers: Record<string, unknown>;
  notes: string[];
  missing?: string;
}

export interface FriendDeed {
  round: number;
  text: string;
}

export interface FriendNews {
  id: number;
  name: string;
  kind: string;
  lately: FriendDeed[];
}

export interface SlateCard {
  item: number;
  title: string;
  about: string;
  tags: string[];
  year: number | null;
  minutes: number;
  reason: string;
}

export interface PickedCard {
  item: number;
  title: string;
  stars: number;
}

export interface Friend {
  id: number;
  name: string;
  kind: string;
  closeness: number;
}

export interface SpokenLine {
  agent: number;
  to: number;
  text: string;
}

export interface PlayerProfile {
  id: number;
  name: string;
  age: number | null;
  interests: string[];
}

export interface PlayerView {
  round: number;
  turn: number;
  now: string;
  surface: string;
  menu: string[];
  page: number;
  slate: SlateCard[];
  lived: PickedCard[];
  inbox: InboxCard[];
  friends: Friend[];
  lines: SpokenLine[];
  me: PlayerProfile;
  taken: AnyAction[];
}

export const PHASES = ["opening", "visits", "conversations", "delivery", "memory", "closing"] as const;

/** What a stream sends for each chapter; `n` is its number in the order of arrival. */

export interface Chapter {
  n: number;
  round: number;
  phase: number;
  rank: number;
  agent: number;
  entries: Entry[];
}

export const FIELDS = {
  RunStarted: ["seed", "genesis", "drift"],
  RoundStarted: ["round", "at"],
  Woke: ["agent", "at"],
  Entered: ["agent", "surface"],
  SlateShown: ["agent", "items", "page", "surface"],
  SlateAnnotated: ["agent", "propensities", "reasons", "scores"],
  Searched: ["agent", "query", "found"],
  Picked: ["agent", "item", "position"],
  Watched: ["agent", "item", "fraction"],
  Rated: ["agent", "item", "stars"],
  Felt: ["agent", "item", "text", "voice"],
  Posted: ["agent", "post", "text", "items", "stance", "voice", "topic"],
  Forwarded: ["agent", "post", "source", "author", "text", "items", "stance", "topic", "root"],
  Wished: ["agent", "to", "text", "items", "stance", "voice"],
  Said: ["agent", "to", "text", "items", "stance", "voice"],
  Delivered: ["post", "author", "to", "text", "items", "stance", "topic", "sender", "root", "voice"],
  Followed: ["agent", "who", "kind"],
  Unfollowed: ["agent", "who"],
  Left: ["agent", "satisfaction", "why"],
  Refused: ["agent", "action", "why"],
  Failed: ["agent", "why"],
  Recalled: ["agent", "thoughts", "at", "cut"],
  Remembered: ["agent", "thought", "text", "weight", "at", "kind", "store", "items"],
  Enhanced: ["agent", "thought", "by"],
  Settled: ["agent", "thought"],
  Reflected: ["agent", "thought", "text", "weight", "at", "sources", "kind", "items"],
  Merged: ["agent", "thought", "text", "weight", "at", "sources", "kind", "items"],
  Forgot: ["agent", "thought", "why"],
  TasteShifted: ["agent", "tag", "by"],
  MoodShifted: ["agent", "topic", "level", "why"],
  AttitudeShifted: ["agent", "topic", "stance", "why"],
  RecommenderFitted: ["kind", "interactions", "artefact"],
  Intervened: ["change"],
  RoundEnded: ["round"],
  Unfounded: ["agent", "titles", "items"],
  TiesEnlivened: ["grow", "fade"],
  Gathered: ["agent", "members", "items", "at", "item", "rule", "scores"],
  Parted: ["agent", "item", "company", "satisfaction"],
  Saved: ["agent", "item"],
} as const;

export const PHRASES: Record<string, string> = {
  Saved: "{name} saves {item} for later",
};

export const PAGE_ACTIONS: AnyAction["type"][] = ["Save"];

/** What metrics tell: a sentence, the formula, the unit, what a round is a mean over. */
export const MEANINGS: Record<string, [string, string, string, string]> = {
  visits: ["How often people came to the platform.", "number of visits", "", ""],
  pages: ["How many pages of items people looked at.", "number of pages shown", "", ""],
  shown: ["How many items stood on those pages.", "sum of items over all pages", "", ""],
  picks: ["How many items people took from a page.", "number of picks", "", ""],
  click_rate: ["How often a page held something that was picked.", "pages with at least one pick / pages", "share of pages", ""],
  pick_rate: ["How many of the items shown were picked.", "picks / items shown", "share of shown items", ""],
  exit_page: ["How many pages people looked at before they left.", "pages / visits that saw a page", "pages", "visits"],
  watch_hours: ["How long people spent with what they picked.", "Σ minutes of an item × fraction taken up / 60", "hours", ""],
  watch_minutes: ["How long a person spent with what they picked.", "Σ minutes of an item × fraction taken up", "minutes", ""],
  minutes_per_visit: ["How long people spent with items in one visit.", "Σ minutes of an item × fraction taken up / visits", "minutes", "visits"],
  completion: ["How much of an item people took up once they had picked it.", "mean fraction taken up", "share", "picks"],
  satisfaction: ["How content people were when they left; the first number to judge a recommender by.", "mean of what visits report at their end", "0 to 1", "visits"],
  return_rate: ["How many of those who came in one round came in the next one too.", "Σ |came in r and in r + 1| / Σ |came in r|", "share of people", ""],
  retention: ["How many of those who came in the first round still come.", "|came in the first and in this round| / |came in the first round|", "share of people", ""],
  ratings: ["How many items people rated.", "number of ratings", "", ""],
  rating_mean: ["How many stars people gave.", "mean stars, 1 to 5", "stars", "ratings"],
  rating_1: ["How many of the ratings gave this many stars.", "ratings with 1 stars / ratings", "share", ""],
  rating_2: ["How many of the ratings gave this many stars.", "ratings with 2 stars / ratings", "share", ""],
  rating_3: ["How many of the ratings gave this many stars.", "ratings with 3 stars / ratings", "share", ""],
  rating_4: ["How many of the ratings gave this many stars.", "ratings with 4 stars / ratings", "share", ""],
  rating_5: ["How many of the ratings gave this many stars.", "ratings with 5 stars / ratings", "share", ""],
  entropy_exposure: ["How varied the genres are that a person is shown: 0 is a single genre, 1 bit is as varied as two equally frequent ones, 2 bits as four.", "mean over people of H = −Σ p log₂ p, with p the share of a genre", "bits", "people"],
  entropy_exposure_pooled: ["How varied the genres are that all people together are shown.", "H = −Σ p log₂ p, with p the share of a genre in all that was shown", "bits", ""],
  entropy_consumption: ["How varied the genres are that a person picks: 0 is a single genre, 1 bit is as varied as two equally frequent ones, 2 bits as four.", "mean over people of H = −Σ p log₂ p, with p the share of a genre", "bits", "people"],
  entropy_consumption_pooled: ["How varied the genres are that all people together pick.", "H = −Σ p log₂ p, with p the share of a genre in all picks", "bits", ""],
  entropy_taste: ["How many genres a person likes, and how evenly.", "mean over people of H = −Σ p log₂ p, with p the share of a genre in their taste", "bits", "people"],
  gini: ["How unequally picks fall on items: 0 if all are picked equally often, 1 if one takes all.", "G = 2 Σ i x_i / (n Σ x) − (n + 1) / n, with x the picks of each item in rising order", "0 to 1", ""],
  coverage_exposure: ["How much of the catalogue anybody was shown.", "different items shown / items", "share of items", ""],
  coverage_consumption: ["How much of the catalogue anybody picked.", "different items picked / items", "share of items", ""],
  repeated_exposure: ["How many of the items shown the same person had been shown before.", "items shown again to a person / items shown", "share of shown items", ""],
  posts: ["How many messages people posted to their followers.", "number of posts", "", ""],
  forwards: ["How many messages people passed on.", "number of forwards", "", ""],
  lines: ["How many lines were said in conversations.", "number of lines", "", ""],
  chats: ["How many conversations took place.", "conversations with at least one line", "", ""],
  delivered: ["How many inboxes messages reached.", "sum of recipients over all messages", "", ""],
  follows: ["How many people were followed anew.", "number of new ties", "", ""],
  unfollows: ["How many people were no longer followed.", "number of cut ties", "", ""],
  spoken_model: ["How many texts a language model wrote.", "texts by a model", "", ""],
  spoken_template: ["How many texts came from a template because the model gave none that could be used.", "texts by template", "", ""],
  spoken_human: ["How many texts a human typed.", "texts by people who take part", "", ""],
  group_visits: ["How often people met to choose and watch something together.", "number of evenings together", "", ""],
  group_size: ["How many people met.", "mean number of people of an evening together", "mean", "groups"],
  satisfaction_together: ["How content people were after an evening together.", "mean satisfaction when a group parts", "0 to 1", "people in groups"],
  misery_together: ["How content the least content person of an evening together was.", "mean over groups of the lowest score", "0 to 1", "groups"],
  rating_alone: ["How many stars people gave when alone.", "mean stars in visits", "stars", "ratings"],
  rating_together: ["How many stars people gave when together.", "mean stars in groups", "stars", "ratings"],
  mentions: ["How often people named a title in their words.", "titles named, once a text", "", ""],
  unfounded_mentions: ["How often people named a title that they had neither seen nor heard of.", "titles named without ground", "", ""],
  unfounded_share: ["How many of the titles named the speaker had neither seen nor heard of.", "titles named without ground / titles named", "share", ""],
  remembered: ["How many thoughts people kept in memory.", "thoughts that entered short-term or long-term memory", "", ""],
  faded_at_once: ["How many observations were too unimportant to be kept.", "observations that never left sensory memory", "", ""],
  enhanced: ["How often a thought was strengthened by a similar one.", "number of strengthened short-term thoughts", "", ""],
  settled: ["How many thoughts moved into long-term memory.", "moves from short-term to long-term memory", "", ""],
  reflected: ["How many conclusions people drew from their memories.", "number of insights, reflections and emotions", "", ""],
  merged: ["How often thoughts that say the same became one.", "number of merged thoughts", "", ""],
  forgotten: ["How many thoughts people lost.", "thoughts that faded or were crowded out", "", ""],
  recalled: ["How many memories came to mind for a decision.", "thoughts recalled / decisions with any to recall", "per decision", ""],
  recall_cut: ["How many memories had no room in a prompt.", "thoughts left out of prompts", "", ""],
  thoughts: ["How much people remember now.", "thoughts kept / people", "per person", ""],
  memory_failed: ["How often a model's reply about memories could not be used.", "number of failures while memories were sorted", "", ""],
  reach: ["How many people have heard of what is spread.", "people who know of a topic / people", "share", ""],
  emotion: ["How strongly those who know of a topic feel about it: 0 is calm, 1 is intense.", "mean level / 2 over those who know", "0 to 1", "people who know"],
  emotion_words: ["How emotional the messages on topics are: 0 is calm, 1 is intense.", "mean tone of the words of messages", "0 to 1", "messages"],
  positive: ["How many of those with a view are in favour.", "people in favour / people with a view", "share", ""],
  told: ["How many messages were about what is spread.", "messages written or passed on", "", ""],
  cascades: ["How many messages were passed on at least once.", "messages with at least one forward", "", ""],
  cascade_scale: ["How large the largest cascade is: a message with all that came of passing it on.", "messages of the largest cascade", "messages", ""],
  cascade_depth: ["How often in a row one message was passed on.", "forwards from the first to the furthest message", "forwards", ""],
  cascade_breadth: ["How many people passed on the same message at the same distance from its author.", "largest number of messages at one depth of a cascade", "messages", ""],
  refused: ["How often somebody wanted to do what the rules of the platform do not allow.", "number of refused actions", "", ""],
  failed: ["How often no usable decision came from a model or a recommender.", "number of failed decisions", "", ""],
  saves: ["Items saved for later in all.", "number of Saved", "", ""],
};
