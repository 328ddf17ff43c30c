"""What happened: a closed, tagged union of facts in the past tense, each declared once."""

from __future__ import annotations

from typing import ClassVar, get_args

import msgspec

from audience.world.changes import AnyChange


class Event(msgspec.Struct, frozen=True, gc=False, tag=True, array_like=True):
    """A fact, and how others tell and count it."""

    phrase: ClassVar[str] = ""
    """How stories tell it, with `{name}` and `{item}`, where they have no words of their own."""
    counted: ClassVar[tuple[str, str]] = ("", "")
    """The metric that counts it and its label, if one does."""
    channel: ClassVar[str] = "STATE"
    """The action under which RecAgent's messages list it."""


class Recalled(Event, frozen=True):
    """Thoughts came to mind for a decision; it refreshes them."""

    agent: int
    thoughts: tuple[int, ...]
    at: int
    cut: int = 0
    """How many more would have come, had there been room in the prompt."""


class Remembered(Event, frozen=True):
    """A sentence was taken in; what stays in the `sensory` store is gone with the round."""

    agent: int
    thought: int
    text: str
    weight: float
    at: int
    kind: str = "observation"
    store: str = "long"
    items: tuple[int, ...] = ()


class Enhanced(Event, frozen=True):
    """A short-term thought was strengthened by another that resembles it."""

    agent: int
    thought: int
    by: int


class Settled(Event, frozen=True):
    """A thought moved from short-term to long-term memory."""

    agent: int
    thought: int


class Reflected(Event, frozen=True):
    """A new long-term thought was drawn from others."""

    agent: int
    thought: int
    text: str
    weight: float
    at: int
    sources: tuple[int, ...] = ()
    kind: str = "insight"
    """`insight` into what repeats in short-term, `reflection` on long-term, `emotion` in a visit"""
    items: tuple[int, ...] = ()


class Merged(Event, frozen=True):
    """One long-term thought took the place of several that say the same."""

    agent: int
    thought: int
    text: str
    weight: float
    at: int
    sources: tuple[int, ...]
    kind: str = "observation"
    items: tuple[int, ...] = ()


class Forgot(Event, frozen=True):
    agent: int
    thought: int
    why: str = ""
    """`faded` with time, or `crowded` out of short-term."""


class Saved(Event, frozen=True):
    """An item of a page was kept for later."""

    phrase: ClassVar = "{name} saves {item} for later"
    counted: ClassVar = ("saves", "Items saved for later")
    channel: ClassVar = "RECOMMENDER"

    agent: int
    item: int


class Posted(Event, frozen=True):
    counted: ClassVar = ("posts", "Posts")
    channel: ClassVar = "POST"

    agent: int
    post: str
    text: str
    items: tuple[int, ...] = ()
    stance: float = 0.0
    voice: str = ""
    topic: int = -1
    """The topic it speaks of; see world/topics.py."""


class Forwarded(Event, frozen=True):
    """A message passed on; it keeps the words and the author of the first."""

    counted: ClassVar = ("forwards", "Forwards")
    channel: ClassVar = "POST"

    agent: int
    post: str
    source: str
    """The post it came in; the cascade's tree is made of these."""
    author: int
    text: str
    items: tuple[int, ...] = ()
    stance: float = 0.0
    topic: int = -1
    root: str = ""
    """The post that all began with, of a message on a topic."""


class Wished(Event, frozen=True):
    """Somebody wants to talk with somebody; the conversation phase may fulfil it."""

    agent: int
    to: int
    text: str
    items: tuple[int, ...] = ()
    stance: float = 0.0
    voice: str = ""


class Said(Event, frozen=True):
    counted: ClassVar = ("lines", "Lines said")
    channel: ClassVar = "CHAT"

    agent: int
    to: int
    text: str
    items: tuple[int, ...] = ()
    stance: float = 0.0
    voice: str = ""


class Delivered(Event, frozen=True):
    """A post has reached inboxes."""

    counted: ClassVar = ("delivered", "Messages delivered")

    post: str
    author: int
    to: tuple[int, ...]
    text: str
    items: tuple[int, ...] = ()
    stance: float = 0.0
    topic: int = -1
    sender: int = -1
    """Who wrote it or passed it on, of a message on a topic."""
    root: str = ""


class Followed(Event, frozen=True):
    counted: ClassVar = ("follows", "People followed")

    agent: int
    who: int
    kind: str = "followed"
    """What the one who is followed becomes."""


class Unfollowed(Event, frozen=True):
    counted: ClassVar = ("unfollows", "People no longer followed")

    agent: int
    who: int


class Unfounded(Event, frozen=True):
    """Somebody has just named what it neither saw nor heard of."""

    agent: int
    titles: tuple[str, ...]
    """As they stand in what was said."""
    items: tuple[int, ...] = ()
    """Those of them that exist, though this person never met them."""


class TiesEnlivened(Event, frozen=True):
    """From now on closeness grows with contact and fades without; see world/graph.py."""

    grow: float
    fade: float


class Gathered(Event, frozen=True):
    """Some people met to live an item together; what each made of it follows."""

    agent: int
    """Who invited."""
    members: tuple[int, ...]
    """The one who invited first."""
    items: tuple[int, ...]
    """What they chose among."""
    at: int
    item: int
    rule: str
    scores: tuple[float, ...]
    """How much each member expected of the item, 0 to 1."""


class Parted(Event, frozen=True):
    """Somebody goes home from an evening with others."""

    agent: int
    item: int
    company: tuple[int, ...]
    satisfaction: float


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

    channel: ClassVar = "RECOMMENDER"

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
    channel: ClassVar = "RECOMMENDER"

    agent: int
    query: str
    found: int


class Picked(Event, frozen=True):
    agent: int
    item: int
    position: int


class Watched(Event, frozen=True):
    channel: ClassVar = "RECOMMENDER"

    agent: int
    item: int
    fraction: float


class Rated(Event, frozen=True):
    channel: ClassVar = "RECOMMENDER"

    agent: int
    item: int
    stars: int


class Felt(Event, frozen=True):
    channel: ClassVar = "RECOMMENDER"

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

    counted: ClassVar = ("refused", "Refused")

    agent: int
    action: str
    why: str


class Failed(Event, frozen=True):
    """A mind or a service gave nothing usable."""

    counted: ClassVar = ("failed", "Failed")

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
    | Saved
)  # fmt: skip
EVENTS: tuple[type[Event], ...] = get_args(AnyEvent)
"""Every kind of event there is."""
COUNTED = {event: event.counted for event in EVENTS if event.counted[0]}
"""Events that a metric counts one by one: its name and label."""


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
