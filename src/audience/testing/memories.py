"""A memory small enough to check by eye."""

from __future__ import annotations

from collections.abc import Sequence

from audience.memory import Life, Recollection
from audience.world import events as e
from audience.world.agent import Agent
from audience.world.rng import Dice


class Diary:
    """Keeps one sentence a round, the kinds of what was lived, and forgets all but the last two."""

    async def recall(self, me: Agent, cue: str, now: int, limit: int) -> Recollection:
        del cue, now
        return Recollection(me.thoughts[-limit:], max(0, len(me.thoughts) - limit))

    async def consolidate(self, life: Life, dice: Dice) -> Sequence[e.Entry]:
        me = life.me
        who, kinds = me.profile.id, " ".join(type(event).__name__ for event in life.lived)
        weight = float(dice.uniform("weight")[0])
        kept = e.Remembered(who, me.thoughts_had, kinds, weight, life.now)
        gone = [e.Forgot(who, thought.id, "crowded") for thought in me.thoughts[:-1]]
        return [e.Entry(kept), *(e.Entry(one) for one in gone)]
