"""What a way to consolidate takes and gives: by rule, by one call, or by the paper's many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from audience.memory.memory import Life
from audience.world import Dice, Thought

UNIT = 0.09
"""What one of the ten degrees of importance weighs; so 10 weighs 0.9."""


class Observed(msgspec.Struct, frozen=True):
    """One thing lived in a round, as plain words: what sensory memory receives."""

    kind: str
    """One of observing.KINDS."""
    text: str
    """In the first person, as long as it takes."""
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
    """Say whether it is worth a call to a model: one did more than look around or receive."""
    return seen.kind in TELLING


class Sensed(msgspec.Struct, frozen=True):
    """An observation as it was taken in: one sentence and its importance, 1 to 10."""

    observed: Observed
    text: str
    importance: int

    @property
    def weight(self) -> float:
        return UNIT * self.importance


class Due(msgspec.Struct, frozen=True):
    """What is to be thought about besides what was lived."""

    insights: tuple[tuple[Thought, ...], ...] = ()
    """Each a short-term thought followed by those that enhanced it."""
    reflection: tuple[Thought, ...] = ()
    """Long-term thoughts to reflect on; none when it is not the time."""


class Insight(msgspec.Struct, frozen=True):
    """A sentence drawn from thoughts."""

    text: str
    sources: tuple[int, ...]


class Taken(msgspec.Struct, frozen=True):
    """What a way made of a round."""

    sensed: tuple[Sensed, ...] = ()
    """In the order of what was observed; fewer where some could not be read."""
    insights: Mapping[int, Insight] = {}
    """By the id of the short-term thought they are about."""
    reflections: tuple[Insight, ...] = ()
    calls: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    """What was wrong with replies, in words that name no person: they are counted."""


class Way(Protocol):
    """How what was lived becomes sentences with importances, and thoughts become insights."""

    foresees: bool
    """Whether what will be due at the end of the round is asked for at its first call."""

    async def take_in(self, life: Life, seen: Sequence[Observed], due: Due, dice: Dice) -> Taken:
        """Return what was made of a round and of what is due."""
        ...

    async def insight(self, life: Life, about: Sequence[Thought], dice: Dice) -> Taken:
        """Return an insight that fell due only now, or nothing when it has to wait a round."""
        ...
