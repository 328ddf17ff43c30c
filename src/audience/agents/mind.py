"""What a mind is: stateless, from observation to decision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import msgspec

from audience.memory import Memory
from audience.world.actions import AnyAction
from audience.world.observe import Observation
from audience.world.rng import Dice


class Decision(msgspec.Struct, frozen=True, gc=False):
    """What an agent attempts, in order, why, and which model calls led there."""

    actions: tuple[AnyAction, ...]
    reason: str = ""
    calls: tuple[str, ...] = ()
    failure: str = ""
    """Why nothing usable came of it; such a decision has no actions and becomes `Failed`."""
    recalled: tuple[int, ...] = ()
    """The thoughts that came to mind."""
    cut: int = 0
    """How many more would have come, had there been room."""
    emotion: str = ""
    """How it feels about the visit so far, where it was asked to pause and think."""


@runtime_checkable
class Mind(Protocol):
    """Decides for one agent at a time; may wait for a model or a person."""

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        """Return what this agent attempts now. `dice` holds the one key of this decision."""
        ...


@runtime_checkable
class BatchMind(Mind, Protocol):
    """Decides for many agents in one call, each exactly as it would alone."""

    def decide_many(self, seen: Sequence[Observation], dice: Dice) -> Sequence[Decision]:
        """Return one decision per observation; key i of `dice` belongs to observation i."""
        ...
