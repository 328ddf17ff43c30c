// The server's replies under the names the page uses, and the open tables of a scenario.

import type { GraphNode as PersonNode, MetricsReply, PlayerView, RunRow } from "../types.gen";

export type {
  ActivityReply, AgainReply as Again, Answer, AnswerCounts, AnyChange, AnyEvent, CallPage, CallReply as Call, Chapter, ChatLine, ChatReply as Chat, ChatRow, CommunityMembers as Members, CommunityRow as Community,
  ComparisonReply as Comparison, ControlState as Control, DecisionCase, DiffSide, ExperimentFindings as Found, ExperimentReply as Experiment, ExperimentRow, ExperimentRun, GraphReply as GraphAnswer,
  FriendNews, InterviewReply as Interview, InterviewRow, JudgementSheet, MemoryReport as Memory, MetricRow, MetricsReply as Metrics, NameLists as Names, NoteRow, Overlap, OverviewReply as OverviewAnswer, Funnel, HeatRow, PanelReply as Panel,
  PeoplePage, PersonDetail as Person, PersonLine, PersonRow, QueuedChange, ReadProgress, RunDetail, RunRow, RunStatus as Stand, ScenarioCheck as Check, ScenarioRow,
  SeatReply as Seat, SessionReply as Session, StartedInterview, StartedRun, StoryLine, SubjectReply, SummaryRow, ThoughtReport as Thought, TicketReply,
} from "../types.gen";

/** A dot of the graph: a person, or a community, of which less is known. */
export type GraphNode = Pick<PersonNode, "id" | "name" | "community" | "degree"> & Partial<PersonNode>;
export type RunState = RunRow["state"];
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
