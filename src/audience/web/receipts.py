"""The small JSON replies: the session, what was started or changed, tickets, and errors."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from audience.llm import CallLine
from audience.world import AnyChange


class ErrorReply(msgspec.Struct, frozen=True):
    """Why a request was refused, and the part of it that is wrong."""

    error: str
    where: str | UnsetType = UNSET


class StartedRun(msgspec.Struct, frozen=True):
    """The id of a new run or branch, and of the experiment whose first run it is."""

    id: str
    experiment: str = ""


class QueuedChange(msgspec.Struct, frozen=True):
    """A change, and the round at whose start it applies."""

    applies_at: int
    change: AnyChange


class ReadProgress(msgspec.Struct, frozen=True):
    """How many rounds have been read, and of how many."""

    done: int
    total: int


class TicketReply(msgspec.Struct, frozen=True):
    """A ticket that stands for the token once, in the address of a link."""

    ticket: str


class Acknowledged(msgspec.Struct, frozen=True):
    """A request that was carried out and has no other answer."""

    ok: bool = True


class ActivityReply(msgspec.Struct, frozen=True):
    """Who did something in the round that was opened last, and what: a place in `ACTIVITIES`."""

    round: int
    activity: list[tuple[int, int]]


class SessionReply(msgspec.Struct, frozen=True):
    """What this server offers. Of keys it says only whether they are set."""

    version: str
    keys: dict[str, bool]
    minds: list[str]
    memories: list[str]
    recommenders: list[str]
    datasets: list[str]
    endpoints: list[str]
    """Endpoints to choose from: those offered by name, or those of the given scenarios."""
    models: dict[str, list[str]]
    """The models that are known at each of them."""
    endpoint_keys: dict[str, str]
    """The variable that holds the key of each, where the page may name one."""
    runs_folder: str
    opened: str | None
    """The run that is shown first."""
    scenario: str | None
    """The scenario that the page begins a new run with."""
    needs: dict[str, dict[str, str]]
    """By group and kind, the option without which a part cannot be made, such as `path`."""
    is_private: bool
    """Whether it serves this machine alone: files may be uploaded, and runs deleted."""
    about: dict[str, dict[str, str]]
    """By group and kind, what a part does, in one sentence."""
    streams: int
    token: str | UnsetType = UNSET


class CallPage(msgspec.Struct, frozen=True):
    """Some calls to models, and how many of each purpose ended in each way."""

    total: int
    lines: list[CallLine]
    outcomes: dict[str, dict[str, int]]


class OwnRecommender(msgspec.Struct, frozen=True):
    """A class of an uploaded file: the kind by which a scenario names it."""

    kind: str
    name: str
    file: str


class Uploaded(msgspec.Struct, frozen=True):
    """An uploaded file and the recommenders in it."""

    file: str
    recommenders: list[OwnRecommender]


class RecommenderCheck(msgspec.Struct, frozen=True):
    """One thing that was checked of a recommender."""

    what: str
    ok: bool
    told: str


class TriedRecommender(msgspec.Struct, frozen=True):
    """What a recommender did when it was tried."""

    kind: str
    name: str
    ok: bool
    checks: list[RecommenderCheck]
