"""What every mind keeps to, as functions that raise with a sentence."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from hashlib import blake2b
from typing import TypeVar

import msgspec
import numpy as np

from audience.agents import BatchMind, Decision, Mind, RuleMind
from audience.engine import Rules, run_sync
from audience.memory import Memory, NoMemory
from audience.testing._declarations import check_declarations
from audience.testing.worlds import simulate, tiny_genesis
from audience.world.changes import Raise
from audience.world.items import Catalogue
from audience.world.observe import Observation
from audience.world.rng import Dice, rng
from audience.world.rng import dice as named
from audience.world.topics import Topic

T = TypeVar("T")


def check_mind(mind: Mind, *, limit: int = 120) -> None:
    """Raise AssertionError unless `mind` is stateless, leaves its input alone and decides in type.

    It is asked at most `limit` times for each of three passes, with observations of every surface.
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
    """Raise AssertionError unless batches of any size decide exactly as each member does alone."""
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
    """Return observations of one small world: every surface, pages of any length."""
    watching = _Watching()
    begun = Raise(Topic("a tram line", "They want to build a tram line.", favour=0.4), (3, 8))
    rules = Rules(rounds=3)
    simulate(tiny_genesis(20, 17), mind=watching, rules=rules, seed=3, changes={1: [begun]})
    order = rng(0, "observations").permutation(len(watching.seen)).tolist()
    seen = [watching.seen[place] for place in order]
    rare = [one for one in seen if len(one.me.situation.slate) not in (0, 5)]
    kinds = [[one for one in seen if one.surface == surface] for surface in _SURFACES]
    ahead = [one for some in (*kinds, rare) for one in some[: max(limit // 8, 1)]]
    return (ahead + seen)[:limit]


_SURFACES = ("home", "recommender", "search", "social", "conversation", "news")


class _Watching:
    """A rule mind that keeps what it saw."""

    def __init__(self) -> None:
        self.seen: list[Observation] = []
        self._mind = RuleMind(leave=-6.0, no_pick=0.5)

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        self.seen.append(seen)
        return await self._mind.decide(seen, memory, dice)


def _dice(seen: Sequence[Observation]) -> Dice:
    agents = np.array([one.me.profile.id for one in seen], np.int64)
    turns = np.array([one.turn + 100 * one.round for one in seen], np.int64)
    return named(11, "conformance", agents, turns)


def _asked(mind: Mind, seen: Sequence[Observation]) -> list[Decision]:
    async def all_of_them() -> list[Decision]:
        return [await mind.decide(one, NoMemory(), _dice([one])) for one in seen]

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
    for one in seen:
        digest.update(
            msgspec.json.encode((one.me, one.turn, one.menu, one.friends, one.lines, one.news))
        )
    for catalogue in {id(one.catalogue): one.catalogue for one in seen}.values():
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
    for one, first, second in zip(seen, wanted, given, strict=True):
        assert repr(first) == repr(second), (
            f"{_name(mind)} {what}: agent {one.me.profile.id}, round {one.round}, turn {one.turn} "
            f"on the {one.surface} surface: {first!r}, then {second!r}"
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
