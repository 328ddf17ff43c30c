"""What happened between people: words, ties, evenings together."""

from __future__ import annotations

from audience.world.fact import Event


class Posted(Event, frozen=True):
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
    agent: int
    to: int
    text: str
    items: tuple[int, ...] = ()
    stance: float = 0.0
    voice: str = ""


class Delivered(Event, frozen=True):
    """A post has reached inboxes."""

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
    agent: int
    who: int
    kind: str = "followed"
    """What the one who is followed becomes."""


class Unfollowed(Event, frozen=True):
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
