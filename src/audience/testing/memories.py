"""A memory small enough to check by eye."""

from __future__ import annotations

from collections.abc import Sequence

from audience.world import events as e
from audience.world.agent import Agent, Thought
from audience.world.rng import Dice


class Diary:
    """Keeps one sentence a round, the kinds of what was lived, and forgets all but the last two."""

    async def recall(self, me: Agent, cue: str, limit: int) -> Sequence[Thought]:
        del cue
        return me.thoughts[-limit:]

    async def consolidate(
        self, me: Agent, lived: Sequence[e.AnyEvent], now: int, dice: Dice
    ) -> Sequence[e.Remembered | e.Forgot]:
        who, kinds = me.profile.id, " ".join(type(event).__name__ for event in lived)
        fresh = 1 + max((thought.id for thought in me.thoughts), default=0)
        weight = float(dice.uniform("weight")[0])
        kept: list[e.Remembered | e.Forgot] = [e.Remembered(who, fresh, kinds, weight, now)]
        kept += [e.Forgot(who, thought.id) for thought in me.thoughts[:-1]]
        return kept
