"""Changes made to a run from outside, as interventions."""

from __future__ import annotations

from typing import Any

import msgspec

from audience.world.items import Item
from audience.world.profile import Profile
from audience.world.topics import Topic


class Change(msgspec.Struct, frozen=True, tag=True):
    """A change from outside, in the imperative."""


class ChangeProfile(Change, frozen=True):
    """Set some fields of a profile. New interests also reset the taste."""

    agent: int
    fields: dict[str, Any]


class AddPerson(Change, frozen=True):
    """Add a person, with mutual friendships to `friends`."""

    profile: Profile
    friends: tuple[int, ...] = ()


class AddItem(Change, frozen=True):
    item: Item


class Announce(Change, frozen=True):
    """Send a message to everybody."""

    text: str
    items: tuple[int, ...] = ()
    stance: float = 0.0


class Advertise(Change, frozen=True):
    """Send a message to those of `agents` (empty: all) who match every field that is set."""

    text: str
    items: tuple[int, ...] = ()
    agents: tuple[int, ...] = ()
    interest: str = ""
    stance: float = 0.5
    gender: str = ""
    ages: tuple[int, ...] = ()
    """The youngest and the oldest age, inclusive; people without an age are left out."""
    career: str = ""
    trait: str = ""


class SwapRecommender(Change, frozen=True):
    """Serve with another recommender from this round on."""

    kind: str
    options: dict[str, Any] = {}


class AddTie(Change, frozen=True):
    agent: int
    other: int
    kind: str = "friend"
    closeness: float = 0.5


class CutTie(Change, frozen=True):
    agent: int
    other: int


class Silence(Change, frozen=True):
    """Keep an agent from waking, or let it wake again."""

    agent: int
    silent: bool = True


class Remind(Change, frozen=True):
    """Put a thought into an agent's memory, such as an interview to remember."""

    agent: int
    text: str
    weight: float = 0.5


class Raise(Change, frozen=True):
    """Start a topic: the agents in `seeds` know of it and tell all their followers.

    The same topic again is its second wave.
    """

    topic: Topic
    seeds: tuple[int, ...]
    stance: float = 0.0
    """The stance of the first message, -1 to 1."""


AnyChange = (
    ChangeProfile | AddPerson | AddItem | Announce | Advertise | SwapRecommender | AddTie
    | CutTie | Silence | Remind | Raise
)  # fmt: skip
