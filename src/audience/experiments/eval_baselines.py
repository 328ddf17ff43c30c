"""Memories to compare with: one that keeps everything, and one that knows the newest only."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from audience.llm.embedding import open_embedder
from audience.memory import Life, Memory, Recollection
from audience.memory.observing import observations
from audience.world import events as e
from audience.world.agent import Agent
from audience.world.rng import Dice

ROOM = 15
"""Thoughts that come to mind: as many as RecAgent's ten of short-term and five of long-term."""
_WEIGHT = 0.5


class Everything:
    """Keeps every observation for ever; what resembles the cue most comes to mind."""

    def __init__(self) -> None:
        self.embedder = open_embedder()

    async def recall(self, me: Agent, cue: str, now: int, limit: int) -> Recollection:
        """Return the most similar thoughts."""
        del now, limit
        if not me.thoughts:
            return Recollection()
        vectors = await self.embedder.embed([cue, *(one.text for one in me.thoughts)])
        near = np.einsum("td,d->t", vectors[1:], vectors[0])
        order = np.argsort(-np.round(near, 6), kind="stable")[:ROOM].tolist()
        return Recollection(tuple(me.thoughts[place] for place in order))

    async def consolidate(self, life: Life, dice: Dice) -> Sequence[e.Entry]:
        """Keep all that was lived."""
        del dice
        return _all_of(life)


class Last:
    """Keeps every observation; the newest come to mind, whatever the cue."""

    async def recall(self, me: Agent, cue: str, now: int, limit: int) -> Recollection:
        """Return the newest thoughts."""
        del cue, now, limit
        return Recollection(me.thoughts[-ROOM:])

    async def consolidate(self, life: Life, dice: Dice) -> Sequence[e.Entry]:
        """Keep all that was lived."""
        del dice
        return _all_of(life)


def _all_of(life: Life) -> list[e.Entry]:
    me = life.me
    return [
        e.Entry(
            e.Remembered(
                me.profile.id,
                me.thoughts_had + place,
                seen.short,
                _WEIGHT,
                seen.at,
                "observation",
                "long",
                seen.items,
            )
        )
        for place, seen in enumerate(observations(life))
    ]


BASELINES: dict[str, Callable[[], Memory]] = {"everything": Everything, "last": Last}
