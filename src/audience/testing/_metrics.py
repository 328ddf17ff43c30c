"""What every metric keeps to."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from audience.engine import Rules
from audience.metrics.kinds import Metric
from audience.testing.worlds import ALWAYS, simulate, tiny_genesis
from audience.world import events as e
from audience.world.changes import AddItem, AddPerson, AnyChange
from audience.world.items import Item
from audience.world.people import Profile
from audience.world.world import View, World


def check_metric(make: Callable[[], Metric]) -> None:
    """Raise AssertionError unless what `make` gives measures the same live and afterwards."""
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


class _Live:
    """Feeds a metric the records it watches, and asks for its numbers in between."""

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
