"""What every dataset keeps to."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np

from audience.datasets.kinds import Dataset
from audience.world.clock import Clock
from audience.world.genesis import Genesis


def check_dataset(dataset: Dataset, *, people: Sequence[int] = (1, 2, 3, 17, 64)) -> None:
    """Raise AssertionError unless `dataset` makes a sound genesis for each number of people."""
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
