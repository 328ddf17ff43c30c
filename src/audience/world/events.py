"""Every event that can happen in a run, each declared once, and the records that hold them."""

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
    """Thoughts came to mind for a decision, which refreshes them."""

    agent: int
    thoughts: tuple[int, ...]
    at: int
    cut: int = 0
    """How many more would have come to mind with more room in the prompt."""


class Remembered(Event, frozen=True):
    """A sentence was taken in; one in the `sensory` store is gone when the round ends."""

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
    """`insight` into short-term, `reflection` on long-term, or `emotion` in a visit."""
    items: tuple[int, ...] = ()


class Merged(Event, frozen=True):
    """One long-term thought replaced several that say the same."""

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
    """The topic it is about; see world/topics.py."""


class Forwarded(Event, frozen=True):
    """A message was passed on; it keeps the text and the author of the original."""

    counted: ClassVar = ("forwards", "Forwards")
    channel: ClassVar = "POST"

    agent: int
    post: str
    source: str
    """The post it was forwarded from: the edges of the cascade's tree."""
    author: int
    text: str
    items: tuple[int, ...] = ()
    stance: float = 0.0
    topic: int = -1
    root: str = ""
    """The first post of the cascade, for a message on a topic."""


class Wished(Event, frozen=True):
    """An agent wants to talk to another; the conversation phase may grant it."""

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
    """A post reached inboxes."""

    counted: ClassVar = ("delivered", "Messages delivered")

    post: str
    author: int
    to: tuple[int, ...]
    text: str
    items: tuple[int, ...] = ()
    stance: float = 0.0
    topic: int = -1
    sender: int = -1
    """Who wrote or forwarded it, for a message on a topic."""
    root: str = ""
    voice: str = ""


class Followed(Event, frozen=True):
    counted: ClassVar = ("follows", "People followed")

    agent: int
    who: int
    kind: str = "followed"
    """The kind of the new tie."""


class Unfollowed(Event, frozen=True):
    counted: ClassVar = ("unfollows", "People no longer followed")

    agent: int
    who: int


class Unfounded(Event, frozen=True):
    """An agent named titles that it has neither seen nor heard of."""

    agent: int
    titles: tuple[str, ...]
    """As written in the text."""
    items: tuple[int, ...] = ()
    """Those of them that exist in the catalogue."""


class TiesEnlivened(Event, frozen=True):
    """From now on closeness grows with contact and fades without it; see world/graph.py."""

    grow: float
    fade: float


class Gathered(Event, frozen=True):
    """A group met to watch an item together; how each member liked it follows."""

    agent: int
    """The host."""
    members: tuple[int, ...]
    """The host first."""
    items: tuple[int, ...]
    """What they chose among."""
    at: int
    item: int
    rule: str
    scores: tuple[float, ...]
    """How much each member expected of the item, 0 to 1."""


class Parted(Event, frozen=True):
    """A member leaves a group that watched something together."""

    agent: int
    item: int
    company: tuple[int, ...]
    satisfaction: float


class RunStarted(Event, frozen=True):
    seed: int
    genesis: str
    """Digest of the genesis."""
    drift: float
    """How far a watched item moves a taste; see world/profile.py."""


class RoundStarted(Event, frozen=True):
    round: int
    at: int


class Woke(Event, frozen=True):
    agent: int
    at: int
    """When the visit begins, within the round's interval."""


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
    """What is known about the slate just shown, one entry per item; empty fields are unknown."""

    agent: int
    propensities: tuple[float | None, ...] = ()
    """The probability with which each item was put on this page; see engine/platform.py."""
    reasons: tuple[str, ...] = ()
    """Why each item was shown, in the words shown to the agent."""
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
    """Who worded it: `model`, `template` (the model's text was unusable), `human`, or empty."""


class Left(Event, frozen=True):
    agent: int
    satisfaction: float | None = None
    why: str = ""


class Refused(Event, frozen=True):
    """The rules did not allow an action."""

    counted: ClassVar = ("refused", "Refused")

    agent: int
    action: str
    why: str


class Failed(Event, frozen=True):
    """A mind or a service returned nothing usable."""

    counted: ClassVar = ("failed", "Failed")

    agent: int
    why: str


class TasteShifted(Event, frozen=True):
    agent: int
    tag: int
    by: float


class MoodShifted(Event, frozen=True):
    """An agent's emotion about a topic changed."""

    agent: int
    topic: int
    level: int
    """0 calm, 1 moderate, 2 intense."""
    why: str = ""


class AttitudeShifted(Event, frozen=True):
    """An agent formed or changed its opinion on a topic."""

    agent: int
    topic: int
    stance: int
    """-1 against, 1 for."""
    why: str = ""


class RecommenderFitted(Event, frozen=True):
    kind: str
    interactions: int
    artefact: str
    """Hash of what was learned."""


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
    """One event in a chapter, with the reason given for it and the calls that led to it."""

    event: AnyEvent
    cause: str = ""
    calls: tuple[str, ...] = ()


OPENING, VISITS, CONVERSATIONS, DELIVERY, MEMORY, CLOSING = range(6)
PHASES = ("opening", "visits", "conversations", "delivery", "memory", "closing")


class Chapter(msgspec.Struct, frozen=True, gc=False):
    """What is committed at once: a visit, a conversation, the opening or the end of a round.

    Its id is (round, phase, rank, agent); `rank` is a hash, so that nobody is always first.
    """

    round: int
    phase: int
    rank: int
    agent: int
    entries: tuple[Entry, ...]


class Record(msgspec.Struct, frozen=True, gc=False):
    """An event with its place in the log. No wall-clock time: equal runs are equal bytes."""

    round: int
    phase: int
    rank: int
    step: int
    event: AnyEvent
    cause: str = ""
    calls: tuple[str, ...] = ()
