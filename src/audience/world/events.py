"""What happened: a closed, tagged union of facts in the past tense.

Events are written as arrays, `["Picked", 7, 42, 3]`; a new field goes to the end and has a default,
so that older logs still read.
"""

from __future__ import annotations

import msgspec

from audience.world.changes import AnyChange
from audience.world.events_memory import (
    Enhanced,
    Forgot,
    Merged,
    Recalled,
    Reflected,
    Remembered,
    Settled,
)
from audience.world.events_society import (
    Delivered,
    Followed,
    Forwarded,
    Gathered,
    Parted,
    Posted,
    Said,
    TiesEnlivened,
    Unfollowed,
    Unfounded,
    Wished,
)
from audience.world.fact import Event

__all__ = [
    "CLOSING",
    "CONVERSATIONS",
    "DELIVERY",
    "MEMORY",
    "OPENING",
    "PHASES",
    "VISITS",
    "AnyChange",
    "AnyEvent",
    "AttitudeShifted",
    "Chapter",
    "Delivered",
    "Enhanced",
    "Entered",
    "Entry",
    "Event",
    "Failed",
    "Felt",
    "Followed",
    "Forgot",
    "Forwarded",
    "Gathered",
    "Intervened",
    "Left",
    "Merged",
    "MoodShifted",
    "Parted",
    "Picked",
    "Posted",
    "Rated",
    "Recalled",
    "RecommenderFitted",
    "Record",
    "Reflected",
    "Refused",
    "Remembered",
    "RoundEnded",
    "RoundStarted",
    "RunStarted",
    "Said",
    "Searched",
    "Settled",
    "SlateAnnotated",
    "SlateShown",
    "TasteShifted",
    "TiesEnlivened",
    "Unfollowed",
    "Unfounded",
    "Watched",
    "Wished",
    "Woke",
]  # fmt: skip


class RunStarted(Event, frozen=True):
    seed: int
    genesis: str
    """Digest of the genesis."""
    drift: float
    """How far a lived item moves a taste; see world/taste.py."""


class RoundStarted(Event, frozen=True):
    round: int
    at: int


class Woke(Event, frozen=True):
    agent: int
    at: int
    """The visit's own moment inside the interval."""


class Entered(Event, frozen=True):
    agent: int
    surface: str


class SlateShown(Event, frozen=True):
    """One page of recommendations or of search results."""

    agent: int
    items: tuple[int, ...]
    page: int
    surface: str = "recommender"


class SlateAnnotated(Event, frozen=True):
    """What is known of the slate just shown, one entry per item; an empty field says nothing."""

    agent: int
    propensities: tuple[float | None, ...] = ()
    """The chance with which each item came onto this page; see engine/mixing.py."""
    reasons: tuple[str, ...] = ()
    """Why each item was shown, as the agent read it."""
    scores: tuple[float | None, ...] = ()


class Searched(Event, frozen=True):
    agent: int
    query: str
    found: int


class Picked(Event, frozen=True):
    agent: int
    item: int
    position: int


class Watched(Event, frozen=True):
    agent: int
    item: int
    fraction: float


class Rated(Event, frozen=True):
    agent: int
    item: int
    stars: int


class Felt(Event, frozen=True):
    agent: int
    item: int
    text: str
    voice: str = ""
    """Whose words they are: `model`, `template` where a model's were no use, or nothing."""


class Left(Event, frozen=True):
    agent: int
    satisfaction: float | None = None
    why: str = ""


class Refused(Event, frozen=True):
    """The world said no."""

    agent: int
    action: str
    why: str


class Failed(Event, frozen=True):
    """A mind or a service gave nothing usable."""

    agent: int
    why: str


class TasteShifted(Event, frozen=True):
    agent: int
    tag: int
    by: float


class MoodShifted(Event, frozen=True):
    """Somebody feels otherwise about a topic than before."""

    agent: int
    topic: int
    level: int
    """0 calm, 1 moderate, 2 intense."""
    why: str = ""


class AttitudeShifted(Event, frozen=True):
    """Somebody has come to a view of a topic, or to another one."""

    agent: int
    topic: int
    stance: int
    """-1 against, 1 for."""
    why: str = ""


class RecommenderFitted(Event, frozen=True):
    kind: str
    interactions: int
    artefact: str
    """Hash of what was learnt."""


class Intervened(Event, frozen=True):
    change: AnyChange


class RoundEnded(Event, frozen=True):
    round: int


AnyEvent = (
    RunStarted | RoundStarted | Woke | Entered | SlateShown | SlateAnnotated | Searched | Picked
    | Watched | Rated | Felt | Posted | Forwarded | Wished | Said | Delivered | Followed
    | Unfollowed | Left | Refused | Failed | Recalled | Remembered | Enhanced | Settled
    | Reflected | Merged | Forgot | TasteShifted | MoodShifted | AttitudeShifted
    | RecommenderFitted | Intervened | RoundEnded | Unfounded | TiesEnlivened | Gathered | Parted
)  # fmt: skip


class Entry(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """One fact inside a chapter: the event, the reason given for it, the calls that made it."""

    event: AnyEvent
    cause: str = ""
    calls: tuple[str, ...] = ()


OPENING, VISITS, CONVERSATIONS, DELIVERY, MEMORY, CLOSING = range(6)
PHASES = ("opening", "visits", "conversations", "delivery", "memory", "closing")


class Chapter(msgspec.Struct, frozen=True, gc=False):
    """What is committed as one: a visit, a conversation, the opening or the end of a round.

    Its identity is (round, phase, rank, agent); `rank` is a hash, so no agent is always first.
    """

    round: int
    phase: int
    rank: int
    agent: int
    entries: tuple[Entry, ...]


class Record(msgspec.Struct, frozen=True, gc=False):
    """A fact with its place. No wall time: equal runs are equal bytes."""

    round: int
    phase: int
    rank: int
    step: int
    event: AnyEvent
    cause: str = ""
    calls: tuple[str, ...] = ()
