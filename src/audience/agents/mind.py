"""What a mind is: stateless, from observation to decision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import msgspec

from audience.memory import Memory
from audience.world import AnyAction, Dice, Observation, Say


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


class Scene(msgspec.Struct, frozen=True, gc=False):
    """What several people are decided on at once: a `dialogue`, or what to live `together`."""

    kind: str
    seen: tuple[Observation, ...]
    """What each of them may know; in a dialogue the one who answers first."""
    lines: int = 0
    """How many more lines a dialogue may have."""


class Mark(msgspec.Struct, frozen=True, gc=False):
    """What somebody expects of an item, 0 to 1, and the stars that it would give."""

    score: float
    stars: int


class Script(msgspec.Struct, frozen=True, gc=False):
    """What comes of a scene."""

    lines: tuple[tuple[int, Say], ...] = ()
    """Who says what, in order, in a dialogue."""
    marks: tuple[tuple[Mark, ...], ...] = ()
    """One row a person and one mark an item, where something is chosen together."""
    reason: str = ""
    calls: tuple[str, ...] = ()
    failure: str = ""
    """Why nothing usable came of it."""
    recalled: tuple[tuple[int, ...], ...] = ()
    """The thoughts that came to mind, by person."""


@runtime_checkable
class JointMind(Protocol):
    """Decides for several people in one go, as a model can that is told of all of them."""

    async def play(self, scene: Scene, memory: Memory, dice: Dice) -> Script:
        """Return what these people do. `dice` holds the key of the first of them."""
        ...


@runtime_checkable
class Scoring(Protocol):
    """Can say what each of many people expects of the items before its eyes."""

    def score_many(self, seen: Sequence[Observation], dice: Dice) -> Sequence[tuple[Mark, ...]]:
        """Return one mark per item and person; key i of `dice` belongs to observation i."""
        ...


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
