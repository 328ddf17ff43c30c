"""What every memory keeps to."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any, TypeVar

import msgspec

from audience.agents import RuleMind
from audience.engine import Rules, run_sync
from audience.memory import Fading, Life, Memory, Recollection
from audience.testing._declarations import check_declarations
from audience.testing.memories import Diary
from audience.testing.worlds import simulate, tiny_genesis
from audience.world import events as e
from audience.world.agent import Agent, Laws, fold_agent
from audience.world.rng import Dice, Floats, Ints
from audience.world.rng import dice as named

T = TypeVar("T")
OWN = (
    e.Remembered,
    e.Enhanced,
    e.Settled,
    e.Reflected,
    e.Merged,
    e.Forgot,
    e.Failed,
)
"""What a memory may say of its person."""


def check_memory(memory: Memory, *, rounds: int = 6) -> None:
    """Raise AssertionError unless `memory` is pure, minds its own person and names thoughts once.

    It takes in the lives of a small world, round after round, and recalls in between.
    """
    check_declarations(memory)
    name = type(memory).__name__
    lives = _lives(rounds)
    assert lives, "the small world of the suite lived nothing"
    people: dict[int, Agent] = {}
    for round_, life in lives:
        who = life.me.profile.id
        me = people.get(who, life.me)
        life = msgspec.structs.replace(life, me=me)
        draws = named(5, "memory", who, round_)
        before = msgspec.json.encode(me)
        entries, again = (_done(partial(memory.consolidate, life, draws)) for _ in range(2))
        assert list(entries) == list(again), f"{name} consolidates the same life differently"
        assert msgspec.json.encode(me) == before, f"{name}.consolidate changed the agent"
        people[who] = _folded(name, life, entries)
        _check_recall(memory, people[who], life)
    _check_fade(memory, list(people.values()), lives[-1][1].now)


def _folded(name: str, life: Life, entries: Sequence[e.Entry]) -> Agent:
    me, laws = life.me, Laws(life.catalogue, 0.0)
    who = me.profile.id
    for entry in entries:
        assert isinstance(entry, e.Entry), f"{name}.consolidate gave {entry!r} and no Entry"
        event = entry.event
        assert isinstance(event, OWN), f"{name} gave {type(event).__name__}, which no memory may"
        assert event.agent == who, f"{name} gave {event!r} for agent {who}"
        if isinstance(event, (e.Remembered, e.Reflected, e.Merged)):
            assert event.thought >= me.thoughts_had, f"{name} uses the id {event.thought} again"
        me = fold_agent(me, event, laws)
    return me


def _check_recall(memory: Memory, me: Agent, life: Life) -> None:
    name = type(memory).__name__
    cue = life.catalogue[0].title
    recall = partial(memory.recall, me, cue, life.now, 3)
    found = _done(recall)
    assert isinstance(found, Recollection), f"{name}.recall gave {type(found).__name__}"
    assert found == _done(recall), f"{name}.recall is not pure"
    there = set(me.thoughts)
    assert set(found.thoughts) <= there, f"{name}.recall gave thoughts the person does not have"
    long = [one for one in found.thoughts if one.store == "long"]
    assert len(long) <= 3, f"{name}.recall gave {len(long)} long-term thoughts; 3 were asked for"


def _check_fade(memory: Memory, people: list[Agent], now: int) -> None:
    if not isinstance(memory, Fading):
        return

    def draw(agents: Ints, thoughts: Ints) -> Floats:
        return named(5, "forget", agents, thoughts).uniform("fade")

    name = type(memory).__name__
    later = now + 400 * 86_400
    faded = memory.fade(people, now, later, draw)
    assert len(faded) == len(people), f"{name}.fade gave {len(faded)} answers for {len(people)}"
    for me, gone in zip(people, faded, strict=True):
        assert set(gone) <= {one.id for one in me.thoughts}, f"{name}.fade names strange thoughts"


class _Keeping(Diary):
    """A diary that keeps the lives it was shown."""

    def __init__(self) -> None:
        self.lives: list[Life] = []

    async def consolidate(self, life: Life, dice: Dice) -> list[e.Entry]:
        self.lives.append(life)
        return []


def _lives(rounds: int) -> list[tuple[int, Life]]:
    keeping = _Keeping()
    mind = RuleMind(leave=-3.0, no_pick=0.5, talkative=1.0)
    simulate(tiny_genesis(8, 40), mind=mind, memory=keeping, rules=Rules(rounds=rounds), seed=3)
    moments = sorted({life.now for life in keeping.lives})
    return [(moments.index(life.now) + 1, life) for life in keeping.lives]


def _done(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    found: list[T] = []

    async def waited() -> None:
        found.append(await work())

    run_sync(waited)
    return found[0]
