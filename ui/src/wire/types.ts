// The server's replies under the names the page uses, and the open tables of a scenario.

import type { GraphNode as PersonNode, MetricsReply, PlayerView, RunRow, UnreadableRun } from "../types.gen";

export type {
  ActivityReply, AgainReply as Again, Answer, AnswerCounts, AnyChange, AnyEvent, CallPage, CallReply as Call, Chapter, ChatLine, ChatReply as Chat, ChatRow, CommunityMembers as Members, CommunityRow as Community,
  ComparisonReply as Comparison, ControlState as Control, DecisionCase, DeletedRow, DiffSide, ExperimentFindings as Found, ExperimentReply as Experiment, ExperimentRow, ExperimentRun, GraphReply as GraphAnswer,
  FriendNews, InterviewReply as Interview, InterviewRow, JudgementSheet, LabJob, LabOffer, LabReply, LabResult, LabRow, MemoryReport as Memory, MetricRow, MetricsReply as Metrics, NameLists as Names, NoteRow, OwnRecommender, Overlap, OverviewReply as OverviewAnswer, Funnel, HeatRow, PanelReply as Panel,
  PeoplePage, PersonDetail as Person, PersonLine, PersonRow, QueuedChange, ReadProgress, RunDetail, RunRow, RunScenario, RunStatus as Stand, ScenarioCheck as Check, ScenarioForm, ScenarioKey, ScenarioPair, ScenarioRow,
  SeatReply as Seat, SessionReply as Session, StartedInterview, StartedRun, StoryLine, SubjectReply, SummaryRow, ThoughtReport as Thought, TicketReply, TriedRecommender as Tried, Uploaded,
} from "../types.gen";

/** A dot of the graph: a person, or a community, of which less is known. */
export type GraphNode = Pick<PersonNode, "id" | "name" | "community" | "degree"> & Partial<PersonNode>;
export type RunState = RunRow["state"];
/** A line of the list; of a run that cannot be read, less is known. */
export type ListedRun = Partial<RunRow> & UnreadableRun & { group: string; changed: number };
export type Values = MetricsReply["totals"];

/** A question to a player; the answer names its number, so that a late one answers no other. */
export interface Observation extends Omit<PlayerView, "taken"> {
  number: number;
  /** Seconds left; null: no limit. */
  deadline: number | null;
  taken: Change[];
}

export type Change = { type: string } & Record<string, unknown>;

export interface Intervention extends Record<string, unknown> {
  round?: number;
  do: string;
  state: "pending" | "done";
}
