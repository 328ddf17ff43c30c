"""The types of consolidation, and the protocol of its three ways: rule, fused, faithful."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from audience.memory.memory import Life
from audience.world import Dice, Thought

UNIT = 0.09
"""The weight of one of the ten degrees of importance; 10 weighs 0.9."""


class Observed(msgspec.Struct, frozen=True):
    """One experience of a round in plain words: what sensory memory receives."""

    kind: str
    """One of sentences.KINDS."""
    text: str
    """In the first person, of any length."""
    short: str
    """The same as one sentence by template, at most `SENTENCE` tokens."""
    at: int
    items: tuple[int, ...] = ()
    stars: int = 0
    fraction: float = 0.0
    feeling: str = ""
    satisfaction: float | None = None


TELLING = frozenset(
    ("watched", "dropped", "searched", "talked", "posted", "forwarded", "followed", "unfollowed")
)


def is_telling(seen: Observed) -> bool:
    """Return True if it is worth a call to a model: more than looking around or receiving."""
    return seen.kind in TELLING


class Sensed(msgspec.Struct, frozen=True):
    """An observation reduced to one sentence, with its importance, 1 to 10."""

    observed: Observed
    text: str
    importance: int

    @property
    def weight(self) -> float:
        return UNIT * self.importance


class Due(msgspec.Struct, frozen=True):
    """What is due for an insight or a reflection, besides what was lived."""

    insights: tuple[tuple[Thought, ...], ...] = ()
    """Short-term thoughts, each followed by those that enhanced it."""
    reflection: tuple[Thought, ...] = ()
    """Long-term thoughts to reflect on; empty if no reflection is due."""


class Insight(msgspec.Struct, frozen=True):
    """A sentence drawn from thoughts."""

    text: str
    sources: tuple[int, ...]


class Taken(msgspec.Struct, frozen=True):
    """The result of consolidating a round."""

    sensed: tuple[Sensed, ...] = ()
    """In the order of the observations; fewer if some could not be read."""
    insights: Mapping[int, Insight] = {}
    """By the id of the short-term thought they are about."""
    reflections: tuple[Insight, ...] = ()
    calls: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    """Problems with replies, in words that name no person, since they are counted."""


class Way(Protocol):
    """Turns what was lived into sentences with importances, and thoughts into insights."""

    foresees: bool
    """Whether its one call also covers what becomes due in the same round."""

    async def take_in(self, life: Life, seen: Sequence[Observed], due: Due, dice: Dice) -> Taken:
        """Return the result for a round and for what is due."""
        ...

    async def insight(self, life: Life, about: Sequence[Thought], dice: Dice) -> Taken:
        """Return an insight that became due only now, or nothing if it has to wait a round."""
        ...
