"""Conformance suites for declarations, datasets, metrics and recommenders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from math import inf
from typing import Any

import msgspec
import numpy as np

from audience.datasets import Dataset
from audience.engine import Rules
from audience.memory import Idle
from audience.metrics import Mergeable, Metric
from audience.parts import AsksModels, Consolidates, PartContext, SuitsMemory, UsesGrounds, builds
from audience.recommenders import (
    Context,
    Learnt,
    Ranker,
    Recommender,
    RecommenderView,
    SelfChecking,
    seen_by_recommender,
)
from audience.testing.worlds import ALWAYS, simulate, tiny_genesis
from audience.world import (
    AddItem,
    AddPerson,
    AnyChange,
    Clock,
    Genesis,
    Interactions,
    Ints,
    Item,
    Profile,
    View,
    World,
    dice,
    events as e,
    rng,
)

WAYS = ("fused", "faithful", "rule")


def check_declarations(part: object) -> None:
    """Raise AssertionError unless the declarations of a part and its class have valid types."""
    make: Any = type(part)
    name = make.__name__
    if builds(make):
        _check_build(make, name)
    if isinstance(make, AsksModels):
        _check_truth(f"{name}.asks_models", make.asks_models({}, "rule"))
    if isinstance(make, UsesGrounds):
        _check_truth(f"{name}.uses_grounds", make.uses_grounds({}))
    if isinstance(make, SuitsMemory):
        way = make.consolidation
        assert way in WAYS, f"{name}.consolidation is {way!r}; give one of {', '.join(WAYS)}"
    if isinstance(make, Consolidates):
        for way in WAYS:
            own = make.way_with({"consolidation": way}, "rule")
            assert own == way, f"{name}.way_with gave {own!r} where the option says {way!r}"
    if isinstance(part, Idle):
        _check_truth(f"{name}.idle", part.idle)


def check_ranker_declarations(ranker: object) -> None:
    """Raise AssertionError unless the declarations of a ranker have valid types."""
    name = type(ranker).__name__
    if isinstance(ranker, Learnt):
        assert callable(ranker.learnt), f"{name}.learnt is no method; rename it, or return bytes"
        learnt = ranker.learnt()
        assert isinstance(learnt, bytes), f"{name}.learnt gave {type(learnt).__name__}, not bytes"
    if isinstance(ranker, SelfChecking):
        _check_truth(f"{name}.checks_itself", ranker.checks_itself)


def _check_truth(what: str, said: object) -> None:
    assert isinstance(said, bool), f"{what} gave {said!r}; give True or False"


def _check_build(make: Any, name: str) -> None:  # noqa: ANN401
    """Check `build` without a gateway; a part that needs one, or options, may refuse."""
    try:
        built = make.build(PartContext())
    except (TypeError, ValueError):
        return
    assert isinstance(built, make), f"{name}.build gave a {type(built).__name__}; return a {name}"


def check_dataset(dataset: Dataset, *, people: Sequence[int] = (1, 2, 3, 17, 64)) -> None:
    """Raise AssertionError unless `dataset` makes a valid genesis for each number of people."""
    name = type(dataset).__name__
    clock = Clock("2031-05-06", "5h")
    for count in people:
        for seed in (0, 1):
            where = f"{name} with {count} people and seed {seed}"
            genesis = dataset.genesis(count, seed, clock)
            again = dataset.genesis(count, seed, clock)
            assert genesis.digest == again.digest, f"{where} gave two different geneses"
            assert genesis.clock == clock, f"{where} did not keep the clock it was given"
            assert Genesis.unpack(genesis.packed).digest == genesis.digest, (
                f"{where} cannot be packed and unpacked"
            )
            _check_people(where, genesis, count)
            _check_items(where, genesis)
            _check_ties(where, genesis, count)


def _check_people(where: str, genesis: Genesis, count: int) -> None:
    assert len(genesis.profiles) == count, f"{where} gave {len(genesis.profiles)} people"
    tags = len(genesis.catalogue.tags)
    for place, person in enumerate(genesis.profiles):
        who = f"{where}: person {person.id}"
        assert person.id == place, f"{who} stands at place {place}; ids are 0, 1, 2, …"
        assert len(person.leaning) in (0, tags), (
            f"{who} has a leaning of {len(person.leaning)} numbers; there are {tags} tags"
        )
        assert all(-1.0 <= number <= 1.0 for number in person.leaning), (
            f"{who} has a leaning outside [-1, 1]"
        )
        assert 0.0 <= person.activity < inf, (
            f"{who} has activity {person.activity}; it must be finite and not negative"
        )
    for lived in genesis.past:
        assert 0 <= lived.agent < count, f"{where}: the past names person {lived.agent}"
        assert 0 <= lived.item < len(genesis.catalogue), (
            f"{where}: the past names item {lived.item}"
        )


def _check_items(where: str, genesis: Genesis) -> None:
    for place, item in enumerate(genesis.catalogue.items):
        what = f"{where}: item {item.id} ({item.title!r})"
        assert item.id == place, f"{what} stands at place {place}; ids are 0, 1, 2, …"
        assert item.title.strip(), f"{what} has no title"
        assert 0.0 <= item.quality <= 1.0, f"{what} has quality {item.quality}, not in [0, 1]"
        assert 0.0 <= item.minutes < inf, f"{what} takes {item.minutes} minutes"
        assert len(set(item.tags)) == len(item.tags), f"{what} carries a tag twice: {item.tags}"
    keys = [item.key for item in genesis.catalogue.items if item.key]
    assert len(set(keys)) == len(keys), f"{where}: two items share the same key"


def _check_ties(where: str, genesis: Genesis, count: int) -> None:
    ties = genesis.ties
    assert len(ties.starts) == count + 1, (
        f"{where}: ties are of {len(ties.starts) - 1} people, there are {count}"
    )
    firsts = np.repeat(np.arange(count), np.diff(ties.starts))
    assert len(firsts) == len(ties.others) == len(ties.kinds) == len(ties.closeness), (
        f"{where}: the columns of the ties have different lengths"
    )
    if not len(firsts):
        return
    known = (ties.others >= 0) & (ties.others < count)
    assert known.all(), f"{where}: a tie leads to a person who does not exist"
    assert not (firsts == ties.others).any(), f"{where}: somebody is tied to itself"
    pairs = firsts * count + ties.others
    assert len(np.unique(pairs)) == len(pairs), f"{where}: two people are tied twice"
    assert ties.kinds.max() < len(ties.names), f"{where}: a tie has a kind without a name"
    close = ties.closeness
    assert bool(np.isfinite(close).all() and close.min() >= 0.0 and close.max() <= 1.0), (
        f"{where}: closeness must lie in [0, 1]"
    )


def check_metric(make: Callable[[], Metric]) -> None:
    """Raise AssertionError unless the metrics of `make` are equal live and afterwards."""
    _check_fresh(make)
    genesis = tiny_genesis(20, 25)
    live = _Live(make())
    changes: dict[int, list[AnyChange]] = {
        2: [
            AddItem(Item(25, "Late Arrival", tags=("Comedy",))),
            AddPerson(Profile(20, "Late"), (3,)),
        ]
    }
    rules = Rules(rounds=4)
    world, keeper = simulate(
        genesis, rules=rules, activation=ALWAYS, changes=changes, listeners=[live]
    )
    plain, without = simulate(genesis, rules=rules, activation=ALWAYS, changes=changes)
    name = type(live.metric).__name__
    changed = f"{name} changed the world it was shown; a metric only reads"
    assert _people(world) == _people(plain), changed
    assert keeper.digest() == without.digest(), changed
    asked, again = _value(live.metric), _value(live.metric)
    assert repr(asked) == repr(again), f"{name}.value() changes when it is asked twice"
    later = _Live(make())
    world = World(genesis)
    for chapter in keeper.ordered():
        for entry in chapter.entries:
            world.apply(entry.event)
        later(chapter, world)
    afterwards = _value(later.metric)
    assert repr(afterwards) == repr(asked), (
        f"{name} gave {asked} during the run and {afterwards} over the finished log"
    )
    if isinstance(live.metric, Mergeable):
        merged = _merged(make, genesis, keeper.ordered())
        assert repr(merged) == repr(asked), (
            f"{name} gave {asked} in one process and {merged} when visits were counted elsewhere: "
            "`taken` forgets and returns what was counted in the round, `merge` adds it"
        )


_BLOCK = 3


def _merged(
    make: Callable[[], Metric], genesis: Genesis, chapters: Sequence[e.Chapter]
) -> dict[str, float]:
    """Return the numbers if every other block of visits is counted in another process."""
    here, there, world = _Live(make()), _Live(make()), World(genesis)
    for (_, phase), some in groupby(chapters, lambda each: (each.round, each.phase)):
        lived, before = list(some), World(genesis)
        for number, start in enumerate(range(0, len(lived), _BLOCK)):
            block = lived[start : start + _BLOCK]
            is_elsewhere = phase == e.VISITS and number % 2
            _taken(there.metric)
            for chapter in block:
                world.apply_all(chapter.entries)
                (there if is_elsewhere else here)(chapter, before if is_elsewhere else world)
            if is_elsewhere:
                assert isinstance(here.metric, Mergeable)
                here.metric.merge(_taken(there.metric), world)
    return _value(here.metric)


def _taken(metric: Metric) -> object:
    """Return what a metric has counted, as another process receives it."""
    assert isinstance(metric, Mergeable)
    return msgspec.msgpack.decode(msgspec.msgpack.encode(metric.taken()))


class _Live:
    """Feeds a metric the records it watches, and reads its numbers in between."""

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self._watches = frozenset(metric.watches)

    def __call__(self, chapter: e.Chapter, world: View) -> None:
        for step, entry in enumerate(chapter.entries):
            if type(entry.event) in self._watches:
                self.metric.update(_record(chapter, step), world)
        if chapter.phase == e.CLOSING:
            _value(self.metric)


def _record(chapter: e.Chapter, step: int) -> e.Record:
    entry = chapter.entries[step]
    return e.Record(
        chapter.round, chapter.phase, chapter.rank, step, entry.event, entry.cause, entry.calls
    )


def _check_fresh(make: Callable[[], Metric]) -> None:
    metric = make()
    name = type(metric).__name__
    assert isinstance(metric, Metric), f"{name} lacks one of `watches`, `update` and `value`"
    assert make() is not metric, (
        f"{name} is made once; each call of the factory must give a new one"
    )
    strange = [kind for kind in metric.watches if kind not in _EVENTS]
    assert not strange, f"{name} watches {strange[0]!r}, which is not an event class"
    assert metric.watches, f"{name} watches nothing, so it will never see a record"
    _value(metric)


_EVENTS: Sequence[type] = e.AnyEvent.__args__


def _value(metric: Metric) -> dict[str, float]:
    name = type(metric).__name__
    value = metric.value()
    for key, number in value.items():
        told = f"{name}.value() gives {key!r}: {number!r}; it must give numbers by name"
        assert isinstance(key, str), told
        assert isinstance(number, (int, float)), told
    return value


def _people(world: View) -> bytes:
    return msgspec.json.encode((list(world.agents), world.catalogue.items))


_PEOPLE = 40
_STRANGERS = 10


def check_recommender(recommender: Recommender) -> None:
    """Raise AssertionError unless `recommender` fits and ranks according to the protocol."""
    _check_fit(recommender)
    for items in (1, 7, 300):
        for rows in (0, 4 * items):
            _check_rank(recommender, items, rows)


def interactions(items: int, rows: int, name: str = "some") -> RecommenderView:
    """Return `rows` interactions of forty people with a catalogue of `items`."""
    made = Interactions(tiny_genesis(_PEOPLE, items).catalogue, _PEOPLE)
    draw = rng(0, "interactions", name, items)
    for row in range(rows):
        who, what = int(draw.integers(_PEOPLE)), int(items * draw.random() ** 2)
        fraction = round(float(draw.random()), 3)
        made.add(who, what, 1_735_689_600 + 3600 * row, fraction, int(draw.integers(6)))
    return seen_by_recommender(made)


def _columns(seen: RecommenderView) -> tuple[bytes, ...]:
    columns = (seen.agents, seen.items, seen.at, seen.fractions, seen.stars)
    return tuple(column.tobytes() for column in columns)


def questions(items: int, users: int = _PEOPLE + _STRANGERS, seed: int = 5) -> tuple[Ints, Context]:
    """Return users, some of them unknown, and their context."""
    who = np.arange(users)
    draw = rng(seed, "questions", items)
    # From none to all, to catch rankers whose path depends on the longest list.
    counts = [min(items, int(items * draw.random() ** 3 * 1.05)) for _ in range(users)]
    exclude = [tuple(draw.permutation(items)[:count].tolist()) for count in counts]
    pages = who % 5
    moments = 1_740_000_000 + 60 * who
    return who, Context(moments, pages, exclude, dice(seed, "rank", who, pages))


def one_of(context: Context, row: int) -> Context:
    """Return the context of a single user."""
    return context.part(np.array([row]))


def _check_fit(recommender: Recommender) -> None:
    name = type(recommender).__name__
    few, many = interactions(30, 60), interactions(30, 200, "others")
    before = _columns(few)
    ranker = recommender.fit(few, rng(1, "fit"))
    assert _columns(few) == before, f"{name}.fit changed the interactions it was given"
    assert hasattr(ranker, "rank"), f"{name}.fit returned {type(ranker).__name__}, without `rank`"
    users, context = questions(30)
    first = np.array(ranker.rank(users, 10, context))
    other = recommender.fit(many, rng(2, "fit"))
    assert other is not ranker, f"{name}.fit returned the same object twice; return a new ranker"
    assert id(ranker) != id(recommender), f"{name}.fit returned the recommender itself"
    later = np.array(ranker.rank(users, 10, context))
    assert np.array_equal(first, later), (
        f"{name}: a second fit changed what the first ranker gives; rankers must share nothing"
    )
    same = np.array(recommender.fit(few, rng(1, "fit")).rank(users, 10, context))
    assert np.array_equal(first, same), (
        f"{name} learnt two different rankings from the same interactions and the same rng"
    )
    check_declarations(recommender)
    check_ranker_declarations(ranker)


def _check_rank(recommender: Recommender, items: int, rows: int) -> None:
    where = f"{type(recommender).__name__} ({rows} interactions, a catalogue of {items})"
    ranker = recommender.fit(interactions(items, rows), rng(1, "fit"))
    users, context = questions(items)
    for k in sorted({1, min(5, items), min(25, items)}):
        slates = np.asarray(ranker.rank(users, k, context))
        _check_slates(where, slates, users, k, context, items)
        again = np.asarray(ranker.rank(users, k, context))
        assert np.array_equal(slates, again), f"{where} ranked differently when asked twice"
        _check_singles(where, ranker, slates, users, k, context)


def _check_slates(
    where: str, slates: Ints, users: Ints, k: int, context: Context, items: int
) -> None:
    whole = np.issubdtype(slates.dtype, np.integer)
    assert (slates.shape, whole) == ((len(users), k), True), (
        f"{where} returned {slates.dtype} of shape {slates.shape}; it must return whole numbers of "
        f"shape {(len(users), k)}"
    )
    for user, row, barred in zip(users.tolist(), slates.tolist(), context.exclude, strict=True):
        given = [item for item in row if item != -1]
        strange = [item for item in given if not 0 <= item < items]
        assert not strange, f"{where} gave user {user} item {strange[0]}, which does not exist"
        assert len(set(given)) == len(given), f"{where} gave user {user} an item twice: {row}"
        shown = set(given) & set(barred)
        assert not shown, f"{where} gave user {user} the excluded item {min(shown)}"
        left = min(k, items - len(barred))
        assert len(given) == left, (
            f"{where} gave user {user} {len(given)} items where {left} of {k} could be shown; "
            "-1 is for nothing left"
        )


def _check_singles(
    where: str, ranker: Ranker, slates: Ints, users: Ints, k: int, context: Context
) -> None:
    for row in range(len(users)):
        single = np.asarray(ranker.rank(users[row : row + 1], k, one_of(context, row)))
        assert np.array_equal(single[0], slates[row]), (
            f"{where} ranked user {users[row]} as {slates[row].tolist()} in a batch, but as "
            f"{single[0].tolist()} alone"
        )
