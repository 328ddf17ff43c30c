"""The protocols of minds, which are stateless: from observation to decision."""

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
    """Why there is no usable decision; then it has no actions and becomes `Failed`."""
    recalled: tuple[int, ...] = ()
    """The thoughts that came to mind."""
    cut: int = 0
    """How many more would have come with more room."""
    unread: tuple[str, ...] = ()
    """Answers of the model that could not be read, though the decision stands without them."""
    emotion: str = ""
    """How the agent feels about its visit, if it was asked to pause and think."""


class Scene(msgspec.Struct, frozen=True, gc=False):
    """What is decided for several agents at once: a `dialogue`, or what to watch `together`."""

    kind: str
    seen: tuple[Observation, ...]
    """What each of them may know; in a dialogue, first the one who answers."""
    lines: int = 0
    """How many more lines a dialogue may have."""


class Mark(msgspec.Struct, frozen=True, gc=False):
    """What an agent expects of an item, 0 to 1, and the stars it would give."""

    score: float
    stars: int


class Script(msgspec.Struct, frozen=True, gc=False):
    """The outcome of a scene."""

    lines: tuple[tuple[int, Say], ...] = ()
    """Who says what, in order, in a dialogue."""
    marks: tuple[tuple[Mark, ...], ...] = ()
    """One row per agent and one mark per item, where something is chosen together."""
    reason: str = ""
    calls: tuple[str, ...] = ()
    failure: str = ""
    """Why there is no usable outcome."""
    recalled: tuple[tuple[int, ...], ...] = ()
    """The thoughts that came to mind, by agent."""


@runtime_checkable
class JointMind(Protocol):
    """Decides for several agents in one call, as a language model can."""

    async def play(self, scene: Scene, memory: Memory, dice: Dice) -> Script:
        """Return what these agents do. `dice` holds the key of the first."""
        ...


@runtime_checkable
class Scoring(Protocol):
    """Can say what each of many agents expects of the items shown."""

    def score_many(self, seen: Sequence[Observation], dice: Dice) -> Sequence[tuple[Mark, ...]]:
        """Return one mark per item and agent; key i of `dice` belongs to observation i."""
        ...


@runtime_checkable
class Mind(Protocol):
    """Decides for one agent at a time, possibly waiting for a model or a person."""

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        """Return what this agent attempts now. `dice` holds the key of this decision."""
        ...


@runtime_checkable
class BatchMind(Mind, Protocol):
    """Decides for many agents in one call, each exactly as it would alone."""

    def decide_many(self, seen: Sequence[Observation], dice: Dice) -> Sequence[Decision]:
        """Return one decision per observation; key i of `dice` belongs to observation i."""
        ...
