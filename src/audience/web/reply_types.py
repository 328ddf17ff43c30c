"""The JSON replies of the server. `tools/ui_types.py` turns them into the page's TypeScript."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from audience.llm import ChatMessage
from audience.runs import MemoryReport
from audience.runs.play import InboxCard
from audience.world import events as e

RunState = Literal["running", "paused", "waiting", "stopped", "finished", "failed", "elsewhere"]
Values = Mapping[str, float | None]


class ControlState(msgspec.Struct, frozen=True):
    """How far a run is, how fast it goes, and what its calls have cost."""

    state: RunState
    speed: float
    round: int
    rounds: int
    visits_done: int
    visits_total: int
    eta_s: float | None
    failures: int
    algorithm: str
    pending: int
    """Changes that are queued for the next round."""
    error: str | None
    calls: int
    reused: int
    tokens: int
    cost: float | None
    failed_calls: int


class ItemCount(msgspec.Struct, frozen=True):
    """How often an item was picked."""

    item: int
    title: str
    count: int


class PanelReply(msgspec.Struct, frozen=True):
    """The state of the world at a glance."""

    people: int
    items: int
    interactions: int
    most_popular: list[ItemCount]
    links: int
    chats: int
    posts: int
    here_now: int


class RunStatus(msgspec.Struct, frozen=True):
    """What a stream sends ten times a second."""

    control: ControlState
    panel: PanelReply


class ScenarioRow(msgspec.Struct, frozen=True):
    """A scenario to start from."""

    name: str
    title: str
    toml: str


class ScenarioProblem(msgspec.Struct, frozen=True):
    """What is wrong with a scenario, and the field or line it is about."""

    where: str
    message: str


class CostForecast(msgspec.Struct, frozen=True):
    """Roughly what a scenario will take."""

    calls: int
    tokens: int
    cost: float | None
    seconds: float | None
    speed: str


class NameLists(msgspec.Struct, frozen=True):
    """Names and titles in the order of their ids."""

    people: list[str]
    items: list[str]
    tags: tuple[str, ...]
    """What items can be tagged with, and people interested in."""
    topics: list[str]
    """What is spread, in the order in which it was raised."""


class PersonRow(msgspec.Struct, frozen=True):
    """A person's line in a list."""

    id: int
    name: str
    gender: str
    age: int | None
    career: str
    interests: tuple[str, ...]
    visits: int
    satisfaction: float
    silent: bool


class ProfileReply(msgspec.Struct, frozen=True):
    """A profile without its numeric leaning."""

    id: int
    name: str
    gender: str
    age: int | None
    traits: list[str]
    career: str
    interests: list[str]
    habits: dict[str, float]
    activity: float
    key: str


class TasteRow(msgspec.Struct, frozen=True):
    """How much a person likes a tag."""

    tag: str
    value: float


class HistoryRow(msgspec.Struct, frozen=True):
    """An item that a person has lived with."""

    item: int
    title: str
    at: int
    fraction: float
    stars: int
    feeling: str


class HeardRow(msgspec.Struct, frozen=True):
    """What a person has heard of an item."""

    item: int
    title: str
    who: int
    stance: float


class PersonTie(msgspec.Struct, frozen=True):
    """Somebody a person is tied to."""

    other: int
    name: str
    kind: str
    closeness: float
    mutual: bool


class DecisionRow(msgspec.Struct, frozen=True):
    """A decision with what led to it and what came of it."""

    n: int
    round: int
    phase: int
    step: int
    cause: str
    calls: tuple[str, ...]
    events: list[e.AnyEvent]
    lines: list[str]


class TopicStanding(msgspec.Struct, frozen=True):
    """Where a person stands on a topic that spreads."""

    topic: int
    name: str
    level: int
    stance: int
    aware: int
    """The round in which they first heard of it; 0 if never."""


class PersonDetail(PersonRow, frozen=True):
    """All that a page shows of a person."""

    at: int
    profile: ProfileReply
    taste: list[TasteRow]
    history: list[HistoryRow]
    ratings: list[HistoryRow]
    feelings: list[HistoryRow]
    heard: list[HeardRow]
    inbox: list[InboxCard]
    ties: list[PersonTie]
    followers: int
    memory: MemoryReport | None
    decisions: list[DecisionRow]
    topics: list[TopicStanding]


class TokenCount(msgspec.Struct, frozen=True):
    """Tokens of a call."""

    prompt: int
    completion: int


class CallReply(msgspec.Struct, frozen=True):
    """A call to a model: what was asked and what came back."""

    key: str
    purpose: str
    messages: tuple[ChatMessage, ...]
    schema: Any
    reply: str
    replies: tuple[str, ...]
    outcome: str
    why: str
    model: str
    tokens: TokenCount
    cost: float | None
    seconds: float
    attempts: int


class GraphNode(msgspec.Struct, frozen=True):
    """A person as drawn; mood and attitude only of those who have heard of a topic."""

    id: int
    name: str
    community: int
    degree: int
    interest: str
    satisfaction: float
    mood: int | UnsetType = UNSET
    attitude: int | UnsetType = UNSET


class CommunityRow(msgspec.Struct, frozen=True):
    """A community: its size and what most of its members care for."""

    id: int
    size: int
    label: str
    shares: dict[str, list[int]] | UnsetType = UNSET
    """How many members are in each class of a legend."""


class CommunityMembers(CommunityRow, frozen=True, kw_only=True):
    """A community and a page of its members."""

    people: list[PersonRow]


class GraphReply(msgspec.Struct, frozen=True):
    """Everybody with their ties, or communities where there are too many people to draw."""

    nodes: list[GraphNode]
    edges: list[list[int | float | str]]
    """Two ids, then the kind of a tie and its closeness, or the number of ties between them."""
    communities: list[CommunityRow]
    of: bytes | UnsetType = UNSET
    """Everybody's community, a byte each, where people are not drawn."""


class StoryLine(msgspec.Struct, frozen=True):
    """An event in words."""

    n: int
    step: int
    round: int
    phase: int
    agent: int
    kind: str
    text: str
    cause: str
    items: tuple[int, ...]
    calls: tuple[str, ...]


class SeatReply(msgspec.Struct, frozen=True):
    """The seat of somebody who plays."""

    seat: str
    agent: int
    name: str


class MetricRow(msgspec.Struct, frozen=True):
    """A metric of two runs and their paired difference, as in a report of both."""

    name: str
    label: str
    unit: str
    better: str
    over: str
    """What `a` and `b` are means over: `people`, or `one run`."""
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    percent: float | None
    pairs: int
    judgement: str
    """`better`, `worse`, `different`, `unclear`, `seen`, `circular`, `alike`, or `` untested."""


class DiffExample(msgspec.Struct, frozen=True):
    """Something that happened in one of two runs only."""

    round: int
    agent: int
    name: str
    text: str


class Overlap(msgspec.Struct):
    """How many events of a kind two runs have, how many are the same, and examples that differ."""

    a: int
    b: int
    same: int
    only_a: list[DiffExample]
    only_b: list[DiffExample]


class DiffSide(msgspec.Struct, frozen=True):
    """What one of two runs has where they first differ."""

    event: e.AnyEvent
    text: str
    cause: str
    calls: tuple[str, ...]


class FirstDifference(msgspec.Struct, frozen=True):
    """The first decision that differs between two runs."""

    round: int
    phase: int
    agent: int | None
    name: str
    a: DiffSide | None
    b: DiffSide | None


class ComparisonReply(msgspec.Struct, frozen=True):
    """Two runs side by side."""

    rounds: int
    verdict: str
    metrics: list[MetricRow]
    first_difference: FirstDifference | None
    picks: Overlap
    chats: Overlap
    since: int = 0
    """Metrics are of the rounds after this one."""


class MetricLabel(msgspec.Struct, frozen=True):
    """What a metric of a person or of a round is called, its units, and which way is better."""

    label: str
    unit: str
    round_unit: str
    """`total`, or what the number of a round is a mean over."""
    better: str


class SummaryRow(msgspec.Struct, frozen=True):
    """A metric of the run so far, as in its report, with its 95 % interval."""

    name: str
    label: str
    unit: str
    better: str
    over: str
    """What it is a mean over: `people`, or `one run`."""
    mean: float | None
    low: float | None
    high: float | None


class SegmentRow(msgspec.Struct, frozen=True):
    """The means of a segment of people."""

    segment: str
    people: int
    values: Values


class PopularityReply(msgspec.Struct, frozen=True):
    """How often items were picked, by rank, and the most popular ones."""

    curve: list[tuple[int, int]]
    top: list[ItemCount]


class MetricsReply(msgspec.Struct, frozen=True):
    """All that the charts of a run are drawn from."""

    done: int
    labels: dict[str, MetricLabel]
    summary: list[SummaryRow]
    rounds: Sequence[Values]
    totals: Values
    """Pooled over all people and rounds; the page shows `summary`."""
    segments: dict[str, list[SegmentRow]]
    histogram: list[int]
    popularity: PopularityReply
    entropy: dict[str, list[float | None]]
