"""Profiles: the part of a person that acting does not change, and tastes derived from it."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import msgspec
import numpy as np

from audience.world.randomness import Floats

HABITS = ("watcher", "explorer", "critic", "chatter", "poster")


class Habits(msgspec.Struct, frozen=True, gc=False):
    """How strongly a person shows each of five behaviours, 0 to 1."""

    watcher: float = 0.0
    """Gives feedback and ratings."""
    explorer: float = 0.0
    """Searches for things heard of."""
    critic: float = 0.0
    """Has high standards."""
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
    """The initial taste, in [-1, 1] per tag; empty: derived from the interests."""
    key: str = ""
    """The id in the source data, shown to users and sent to recommenders."""


INTERESTED = 0.6
INDIFFERENT = -0.1


def taste_of(profile: Profile, tag_ids: dict[str, int]) -> bytes:
    """Return a person's initial taste: their leaning, or one derived from their interests."""
    if profile.leaning:
        return array("f", profile.leaning).tobytes()
    taste = array("f", [INDIFFERENT]) * len(tag_ids)
    for interest in profile.interests:
        if interest in tag_ids:
            taste[tag_ids[interest]] = INTERESTED
    return taste.tobytes()


def drifted(taste: bytes, tags: Sequence[int], fraction: float, drift: float) -> bytes:
    """Return the taste after an item was watched.

    An item watched to the end pulls its tags towards 1, one dropped at once pushes them towards -1,
    each by at most `drift` of the way divided by the number of tags.
    """
    if not tags or drift == 0.0:
        return taste
    enjoyed = 2.0 * fraction - 1.0
    pull = drift * abs(enjoyed) / len(tags)
    goal = 1.0 if enjoyed > 0.0 else -1.0
    values = array("f", taste)
    for tag in tags:
        values[tag] += pull * (goal - values[tag])
    return values.tobytes()


def shifted(taste: bytes, tag: int, by: float) -> bytes:
    """Return the taste with one tag moved, clipped to [-1, 1]."""
    values = array("f", taste)
    values[tag] = min(1.0, max(-1.0, values[tag] + by))
    return values.tobytes()


def tastes(packed: Sequence[bytes]) -> Floats:
    """Return [agents, tags] from packed tastes."""
    flat = np.frombuffer(b"".join(packed), np.float32)
    return flat.reshape(len(packed), -1).astype(np.float64)
