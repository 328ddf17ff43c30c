"""The memory protocol, and the memory that keeps nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, runtime_checkable

import msgspec

from audience.world import Agent, AnyEvent, Catalogue, Dice, Domain, Entry, Floats, Ints, Thought


class Recollection(msgspec.Struct, frozen=True, gc=False):
    """What came to mind, most fitting first."""

    thoughts: tuple[Thought, ...] = ()
    cut: int = 0
    """How many more would have come, had there been room."""


class Life(msgspec.Struct, frozen=True):
    """What one person lived in a round: all its memory may know."""

    me: Agent
    """As it is after the round."""
    lived: tuple[AnyEvent, ...]
    """In the order of the log."""
    catalogue: Catalogue
    domain: Domain
    names: Mapping[int, str]
    """Of the people in these events."""
    now: int
    """The end of the round."""


class Memory(Protocol):
    """Recall for a decision, consolidate at the end of a round. Pure in what they are given."""

    async def recall(self, me: Agent, cue: str, now: int, limit: int) -> Recollection:
        """Return what comes to mind at a cue: at most `limit` thoughts of long-term memory."""
        ...

    async def consolidate(self, life: Life, dice: Dice) -> Sequence[Entry]:
        """Return what stays of a round, as events about this person."""
        ...


Draw = Callable[[Ints, Ints], Floats]
"""Gives a number in [0, 1) for each agent and thought."""


@runtime_checkable
class Fading(Protocol):
    """A memory from which thoughts fade as time passes, whether or not something was lived."""

    def fade(
        self, people: Sequence[Agent], since: int, now: int, draw: Draw
    ) -> list[tuple[int, ...]]:
        """Return for each person the thoughts that faded between two moments."""
        ...


@runtime_checkable
class Idle(Protocol):
    """A memory that says whether it keeps nothing, so that the engine need not ask it at all."""

    idle: bool


def is_idle(memory: object) -> bool:
    """Return whether a memory, or a class of memories, declares that it keeps nothing."""
    return isinstance(memory, Idle) and memory.idle


class NoMemory:
    """Keeps nothing; minds still see their history."""

    idle = True

    async def recall(self, me: Agent, cue: str, now: int, limit: int) -> Recollection:
        del me, cue, now, limit
        return Recollection()

    async def consolidate(self, life: Life, dice: Dice) -> Sequence[Entry]:
        del life, dice
        return ()
