"""Shares of planted facts that come to mind, with intervals over people."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from audience.results import (
    POSITIVE,
    SHARE,
    Bounds,
    Interval,
    bootstrap,
    mean_interval,
    percentile_interval,
)
from audience.world.rng import Floats, Ints

OFTEN, RECENT, OLD = 3, 2, 5
"""Repeats that are often, and rounds since a fact was lived last that are recent, or long ago."""


class Asked(msgspec.Struct, frozen=True, gc=False):
    """One fact that was asked for."""

    person: tuple[int, int]
    """Seed and id."""
    important: bool
    repeats: int
    age: int
    found: bool
    tokens: int
    thoughts: int
    """Thoughts that the person keeps in all."""

    @property
    def should_last(self) -> bool:
        """Important, and repeated often or recent."""
        return self.important and (self.repeats >= OFTEN or self.age <= RECENT)

    @property
    def should_fade(self) -> bool:
        """Unimportant, never repeated, and long ago."""
        return not self.important and not self.repeats and self.age >= OLD


class RecallCell(msgspec.Struct, frozen=True):
    """How many facts of one age and importance come to mind."""

    age: int
    important: bool
    often: bool
    """Whether it was repeated at least `OFTEN` times; else at most once."""
    recalled: Interval


class Score(msgspec.Struct, frozen=True):
    """How one kind of memory did."""

    kind: str
    lasting: Interval
    """Recalled, of what should last."""
    fading: Interval
    """Not recalled, of what should fade."""
    balance: Interval
    """The mean of the two; 0.5 for who keeps everything, or nothing."""
    tokens: Interval
    """Of what a cue brings to mind."""
    thoughts: Interval
    """Kept by a person in the end."""
    cells: tuple[RecallCell, ...]


Rows = Sequence[Asked]


def scored(kind: str, asked: Rows, seed: int) -> Score:
    """Return the shares of one kind of memory."""
    lasting = [one for one in asked if one.should_last]
    fading = [one for one in asked if one.should_fade]
    last, fade = (
        _sums(lasting, asked, lambda one: one.found),
        _sums(fading, asked, lambda one: not one.found),
    )
    return Score(
        kind,
        _share(last, seed),
        _share(fade, seed),
        _balance(last, fade, seed),
        _share(_sums(asked, asked, lambda one: one.tokens), seed, POSITIVE),
        _share(_sums(asked, asked, lambda one: one.thoughts), seed, POSITIVE),
        tuple(_cells(asked, seed)),
    )


def _cells(asked: Rows, seed: int) -> list[RecallCell]:
    found = []
    for important in (True, False):
        for often in (True, False):
            for age in sorted({one.age for one in asked}):
                some = [
                    one
                    for one in asked
                    if (one.important, one.repeats >= OFTEN, one.age) == (important, often, age)
                ]
                share = _share(_sums(some, asked, lambda one: one.found), seed)
                found.append(RecallCell(age, important, often, share))
    return found


Sums = tuple[Floats, Floats]
"""Of each person: the sum of a value, and how many facts it is over."""


def _people(asked: Rows) -> dict[tuple[int, int], int]:
    return {person: place for place, person in enumerate(sorted({one.person for one in asked}))}


def _sums(some: Rows, asked: Rows, value: Callable[[Asked], float]) -> Sums:
    places = _people(asked)
    sums, counts = np.zeros(len(places)), np.zeros(len(places))
    for one in some:
        sums[places[one.person]] += value(one)
        counts[places[one.person]] += 1
    return sums, counts


def _share(part: Sums, seed: int, bounds: Bounds = SHARE) -> Interval:
    return mean_interval(*part, seed=seed, names=("facts",), bounds=bounds)


def _balance(last: Sums, fade: Sums, seed: int) -> Interval:
    parts = [_share(part, seed) for part in (last, fade)]
    count = sum(part.count for part in parts)
    mean = (parts[0].mean + parts[1].mean) / 2

    def halves(people: Ints) -> float:
        sums = [(values[people].sum(), counts[people].sum()) for values, counts in (last, fade)]
        return sum(float(total / max(over, 1.0)) for total, over in sums) / 2

    samples = bootstrap(halves, len(last[0]), seed=seed, names=("facts",))
    found = percentile_interval(mean, samples, count=count, bounds=SHARE)
    if found.low != found.high:
        return found
    low, high = ((parts[0].low + parts[1].low) / 2, (parts[0].high + parts[1].high) / 2)
    return Interval(mean, low, high, count)
