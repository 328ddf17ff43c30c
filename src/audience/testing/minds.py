"""Conformance suites for minds and memories, and a minimal memory."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from hashlib import blake2b
from typing import TypeVar

import msgspec
import numpy as np

from audience.agents import BatchMind, Decision, Mind
from audience.agents.rule import RuleMind
from audience.engine import Rules, run_sync
from audience.memory import Fading, Life, Memory, NoMemory, Recollection
from audience.testing.parts import check_declarations
from audience.testing.worlds import simulate, tiny_genesis
from audience.world import (
    Agent,
    Catalogue,
    Dice,
    Floats,
    Ints,
    Laws,
    Observation,
    Raise,
    Topic,
    actions as a,
    dice as named,
    events as e,
    fold_agent,
    rng,
)


class Diary:
    """Keeps one sentence per round, the kinds of its events, and forgets all but the last two."""

    async def recall(self, me: Agent, cue: str, now: int, limit: int) -> Recollection:
        del cue, now
        return Recollection(me.thoughts[-limit:], max(0, len(me.thoughts) - limit))

    async def consolidate(self, life: Life, dice: Dice) -> Sequence[e.Entry]:
        me = life.me
        who, kinds = me.profile.id, " ".join(type(event).__name__ for event in life.lived)
        weight = float(dice.uniform("weight")[0])
        kept = e.Remembered(who, me.thoughts_had, kinds, weight, life.now)
        gone = [e.Forgot(who, thought.id, "crowded") for thought in me.thoughts[:-1]]
        return [e.Entry(kept), *(e.Entry(event) for event in gone)]


T = TypeVar("T")


def check_mind(mind: Mind, *, limit: int = 120) -> None:
    """Raise AssertionError unless `mind` is stateless, pure, and returns valid decisions.

    It is asked at most `limit` times in each of three passes, with observations of every surface.
    """
    check_declarations(mind)
    seen = observations(limit)
    first = _asked(mind, seen)
    for observation, decision in zip(seen, first, strict=True):
        _check_decision(mind, observation, decision)
    again = _asked(mind, seen)
    _compare(mind, seen, first, again, "decided differently when asked twice with the same dice")
    backwards = _asked(mind, seen[::-1])[::-1]
    _compare(mind, seen, first, backwards, "decided differently when asked in another order")


def check_batch_mind(mind: BatchMind, *, sizes: Sequence[int] = (1, 2, 3, 7, 16, 33, 250)) -> None:
    """Raise AssertionError unless batches of any size equal single decisions."""
    assert isinstance(mind, BatchMind), f"{_name(mind)} has no `decide_many` beside `decide`"
    check_mind(mind)
    seen = observations(max(*sizes, 1))
    singles = _asked(mind, seen)
    for size in sizes:
        together: list[Decision] = []
        for begin in range(0, len(seen), size):
            together += _asked_together(mind, seen[begin : begin + size])
        what = f"decided differently in batches of {size} than alone"
        _compare(mind, seen, singles, together, what)
    order = rng(0, "batch order").permutation(len(seen)).tolist()
    mixed = _asked_together(mind, [seen[place] for place in order])
    wanted = [singles[place] for place in order]
    _compare(mind, [seen[place] for place in order], wanted, mixed, "minds the order of a batch")


def observations(limit: int) -> list[Observation]:
    """Return observations of a small world: every surface, pages of any length."""
    watching = _Watching()
    begun = Raise(Topic("a tram line", "They want to build a tram line.", favour=0.4), (3, 8))
    rules = Rules(rounds=3)
    simulate(tiny_genesis(20, 17), mind=watching, rules=rules, seed=3, changes={1: [begun]})
    order = rng(0, "observations").permutation(len(watching.seen)).tolist()
    seen = [watching.seen[place] for place in order]
    rare = [view for view in seen if len(view.me.situation.slate) not in (0, 5)]
    kinds = [[view for view in seen if view.surface == surface] for surface in _SURFACES]
    ahead = [view for some in (*kinds, rare) for view in some[: max(limit // 8, 1)]]
    return (ahead + seen)[:limit]


_SURFACES = ("home", *a.PAGE_SURFACES, "social", "conversation", "news")


class _Watching:
    """A rule mind that records what it saw."""

    def __init__(self) -> None:
        self.seen: list[Observation] = []
        self._mind = RuleMind(leave=-6.0, no_pick=0.5)

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        self.seen.append(seen)
        return await self._mind.decide(seen, memory, dice)


def _dice(seen: Sequence[Observation]) -> Dice:
    agents = np.array([view.me.profile.id for view in seen], np.int64)
    turns = np.array([view.turn + 100 * view.round for view in seen], np.int64)
    return named(11, "conformance", agents, turns)


def _asked(mind: Mind, seen: Sequence[Observation]) -> list[Decision]:
    async def all_of_them() -> list[Decision]:
        return [await mind.decide(view, NoMemory(), _dice([view])) for view in seen]

    return _unchanged(mind, seen, lambda: _result(all_of_them))


def _asked_together(mind: BatchMind, seen: Sequence[Observation]) -> list[Decision]:
    decisions = _unchanged(mind, seen, lambda: list(mind.decide_many(seen, _dice(seen))))
    assert len(decisions) == len(seen), (
        f"{_name(mind)}.decide_many gave {len(decisions)} decisions for {len(seen)} observations"
    )
    return decisions


def _unchanged(mind: Mind, seen: Sequence[Observation], ask: Callable[[], T]) -> T:
    before = _print(seen)
    given = ask()
    assert _print(seen) == before, f"{_name(mind)} changed what it was given to look at"
    return given


def _print(seen: Sequence[Observation]) -> bytes:
    digest = blake2b(digest_size=16)
    for view in seen:
        digest.update(
            msgspec.json.encode(
                (view.me, view.turn, view.menu, view.friends, view.lines, view.news)
            )
        )
    for catalogue in {id(view.catalogue): view.catalogue for view in seen}.values():
        digest.update(_print_of(catalogue))
    return digest.digest()


def _print_of(catalogue: Catalogue) -> bytes:
    arrays = (catalogue.weights, catalogue.quality, catalogue.minutes)
    packed = msgspec.json.encode((catalogue.items, catalogue.tags, catalogue.tag_ids))
    return b"".join((packed, *(array.tobytes() for array in arrays)))


def _check_decision(mind: Mind, seen: Observation, decision: object) -> None:
    where = f"{_name(mind)} on the {seen.surface} surface"
    assert isinstance(decision, Decision), (
        f"{where} returned {type(decision).__name__}; a mind returns a Decision"
    )
    try:
        read = msgspec.json.decode(msgspec.json.encode(decision), type=Decision)
    except (TypeError, msgspec.MsgspecError, UnicodeError) as error:
        raise AssertionError(
            f"{where} made a decision that cannot be written and read ({error}); "
            f"use Python's own int, float and str: {decision!r}"
        ) from error
    assert repr(read) == repr(decision), f"{where} made a decision of wrong types: {decision!r}"


def _compare(
    mind: Mind,
    seen: Sequence[Observation],
    wanted: Sequence[Decision],
    given: Sequence[Decision],
    what: str,
) -> None:
    for view, first, second in zip(seen, wanted, given, strict=True):
        assert repr(first) == repr(second), (
            f"{_name(mind)} {what}: agent {view.me.profile.id}, round {view.round}, "
            f"turn {view.turn} on the {view.surface} surface: {first!r}, then {second!r}"
        )


def _name(mind: Mind) -> str:
    return type(mind).__name__


def _result(work: Callable[[], Awaitable[T]]) -> T:
    """Run an async function to its end, also inside a running event loop, and return its result."""
    found: list[T] = []

    async def keep() -> None:
        found.append(await work())

    run_sync(keep)
    return found[0]


OWN = (e.Remembered, e.Enhanced, e.Settled, e.Reflected, e.Merged, e.Forgot, e.Failed)
"""The events that a memory may return."""


def check_memory(memory: Memory, *, rounds: int = 6) -> None:
    """Raise AssertionError unless `memory` is pure, returns events of its agent, and unique ids.

    It consolidates the lives of a small world, round by round, and recalls in between.
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
        entries, again = (_result(partial(memory.consolidate, life, draws)) for _ in range(2))
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
    found = _result(recall)
    assert isinstance(found, Recollection), f"{name}.recall gave {type(found).__name__}"
    assert found == _result(recall), f"{name}.recall is not pure"
    there = set(me.thoughts)
    assert set(found.thoughts) <= there, f"{name}.recall gave thoughts the person does not have"
    long = [thought for thought in found.thoughts if thought.store == "long"]
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
        assert set(gone) <= {thought.id for thought in me.thoughts}, (
            f"{name}.fade names strange thoughts"
        )


class _Keeping(Diary):
    """A diary that records the lives it was given."""

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
