"""The memory protocol, and the memory that keeps nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from audience.world.agent import Agent, Thought
from audience.world.events import AnyEvent, Forgot, Remembered
from audience.world.rng import Dice


class Memory(Protocol):
    """Recall for a decision, consolidate at the end of a round. Pure in what they are given."""

    async def recall(self, me: Agent, cue: str, limit: int) -> Sequence[Thought]:
        """Return what comes to mind at a cue, most fitting first."""
        ...

    async def consolidate(
        self, me: Agent, lived: Sequence[AnyEvent], now: int, dice: Dice
    ) -> Sequence[Remembered | Forgot]:
        """Return what stays of a round and what fades."""
        ...


class NoMemory:
    """Keeps nothing; minds still see their history."""

    idle = True
    """The engine need not ask at all."""

    async def recall(self, me: Agent, cue: str, limit: int) -> Sequence[Thought]:
        del me, cue, limit
        return ()

    async def consolidate(
        self, me: Agent, lived: Sequence[AnyEvent], now: int, dice: Dice
    ) -> Sequence[Remembered | Forgot]:
        del me, lived, now, dice
        return ()
