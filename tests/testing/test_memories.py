from __future__ import annotations

from collections.abc import Sequence

import pytest

from audience.memory import Agent4RecMemory, Life, NoMemory, RecAgentMemory, Recollection
from audience.testing import Diary, check_memory
from audience.world import Agent, Dice, Thought, events as e


@pytest.mark.parametrize(
    "memory",
    [
        NoMemory(),
        Diary(),
        RecAgentMemory(),
        RecAgentMemory(similar=0.2, merge=0.5, reflect_at=2.0, capacity=3, rate=1.0),
        RecAgentMemory(short=False),
        RecAgentMemory(long=False),
        RecAgentMemory(reflection=False),
        Agent4RecMemory(),
    ],
    ids=lambda memory: type(memory).__name__,
)
def test_what_we_ship_passes(memory: Diary) -> None:
    check_memory(memory)


class Gossip(Diary):
    async def consolidate(self, life: Life, dice: Dice) -> Sequence[e.Entry]:
        other = (life.me.profile.id + 1) % 8
        return [e.Entry(e.Remembered(other, 0, "psst", 0.5, life.now))]


class Moody(Diary):
    def __init__(self) -> None:
        self.count = 0

    async def consolidate(self, life: Life, dice: Dice) -> Sequence[e.Entry]:
        self.count += 1
        fresh = life.me.thoughts_had
        return [e.Entry(e.Remembered(life.me.profile.id, fresh, str(self.count), 0.5, 1))]


class Repeating(Diary):
    async def consolidate(self, life: Life, dice: Dice) -> Sequence[e.Entry]:
        return [e.Entry(e.Remembered(life.me.profile.id, 0, "again", 0.5, 1))]


class Acting(Diary):
    async def consolidate(self, life: Life, dice: Dice) -> Sequence[e.Entry]:
        return [e.Entry(e.Picked(life.me.profile.id, 0, 0))]


class Inventing(Diary):
    async def recall(self, me: Agent, cue: str, now: int, limit: int) -> Recollection:
        return Recollection((Thought(99, "never happened", 1.0, now),))


class Endless(Diary):
    async def consolidate(self, life: Life, dice: Dice) -> Sequence[e.Entry]:
        return [
            e.Entry(e.Remembered(life.me.profile.id, life.me.thoughts_had + n, str(n), 0.5, 1))
            for n in range(9)
        ]

    async def recall(self, me: Agent, cue: str, now: int, limit: int) -> Recollection:
        return Recollection(me.thoughts)


@pytest.mark.parametrize(
    ("memory", "complaint"),
    [
        (Gossip(), "for agent"),
        (Moody(), "consolidates the same life differently"),
        (Repeating(), "uses the id 0 again"),
        (Acting(), "Picked, which no memory may"),
        (Inventing(), "thoughts the person does not have"),
        (Endless(), "3 were asked for"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_what_is_wrong_is_found(memory: Diary, complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        check_memory(memory)
