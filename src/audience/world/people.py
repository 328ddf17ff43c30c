"""Who somebody is: what acting does not change."""

from __future__ import annotations

import msgspec

HABITS = ("watcher", "explorer", "critic", "chatter", "poster")


class Habits(msgspec.Struct, frozen=True, gc=False):
    """How strongly each of the five behaviours marks a person, 0 to 1."""

    watcher: float = 0.0
    """Gives feedback and ratings."""
    explorer: float = 0.0
    """Searches for what it heard of."""
    critic: float = 0.0
    """Demands high standards."""
    chatter: float = 0.0
    """Talks in private and trusts friends."""
    poster: float = 0.0
    """Posts in public."""


NO_HABITS = Habits()


class Profile(msgspec.Struct, frozen=True, gc=False):
    """One person. Identity is the id; any other field may be empty."""

    id: int
    name: str = ""
    gender: str = ""
    age: int | None = None
    traits: tuple[str, ...] = ()
    career: str = ""
    interests: tuple[str, ...] = ()
    habits: Habits = NO_HABITS
    activity: float = 1.0
    """How often this person comes, relative to the others."""
    leaning: tuple[float, ...] = ()
    """The taste to start with, in [-1, 1] per tag; empty: it follows from the interests."""
    key: str = ""
    """Its id in the source, shown to users and sent to recommenders."""
