"""The memory protocol, and the memory that keeps nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, runtime_checkable

import msgspec

from audience.world import Agent, AnyEvent, Catalogue, Dice, Domain, Entry, Floats, Ints, Thought


class Recollection(msgspec.Struct, frozen=True, gc=False):
    """The thoughts that came to mind, best first."""

    thoughts: tuple[Thought, ...] = ()
    cut: int = 0
    """How many more would have come with more room."""


class Life(msgspec.Struct, frozen=True):
    """What one agent lived in a round: all that its memory may know."""

    me: Agent
    """The agent after the round."""
    lived: tuple[AnyEvent, ...]
    """In the order of the log."""
    catalogue: Catalogue
    domain: Domain
    names: Mapping[int, str]
    """The names of the people in these events."""
    now: int
    """The end of the round."""


class Memory(Protocol):
    """Recalls for decisions and consolidates rounds, purely from its arguments."""

    async def recall(self, me: Agent, cue: str, now: int, limit: int) -> Recollection:
        """Return what a cue brings to mind: at most `limit` long-term thoughts."""
        ...

    async def consolidate(self, life: Life, dice: Dice) -> Sequence[Entry]:
        """Return what is kept of a round, as events about this agent."""
        ...


Draw = Callable[[Ints, Ints], Floats]
"""Draws a number in [0, 1) for each agent and thought."""


@runtime_checkable
class Fading(Protocol):
    """A memory from which thoughts fade with time, whether or not something was lived."""

    def fade(
        self, people: Sequence[Agent], since: int, now: int, draw: Draw
    ) -> list[tuple[int, ...]]:
        """Return for each agent the thoughts that faded between two moments."""
        ...


@runtime_checkable
class Idle(Protocol):
    """A memory that declares whether it keeps nothing, so that the engine can skip it."""

    idle: bool


def is_idle(memory: object) -> bool:
    """Return True if a memory, or a class of memories, declares that it keeps nothing."""
    return isinstance(memory, Idle) and memory.idle


class NoMemory:
    """Keeps nothing; minds still see the agent's history."""

    idle = True

    async def recall(self, me: Agent, cue: str, now: int, limit: int) -> Recollection:
        del me, cue, now, limit
        return Recollection()

    async def consolidate(self, life: Life, dice: Dice) -> Sequence[Entry]:
        del life, dice
        return ()
