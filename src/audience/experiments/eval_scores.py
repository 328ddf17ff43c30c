"""Shares of planted facts that come to mind, with intervals over people."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from audience.world.rng import Floats, rng

OFTEN, RECENT, OLD = 3, 2, 5
"""Repeats that are often, and rounds since a fact was lived last that are recent, or long ago."""
SAMPLES = 1_000
_Z = 1.959964


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


class Share(msgspec.Struct, frozen=True):
    """A mean with its 95 % interval over people."""

    mean: float
    low: float
    high: float
    count: int
    """Facts it is over."""


class Cell(msgspec.Struct, frozen=True):
    """How many facts of one age and importance come to mind."""

    age: int
    important: bool
    often: bool
    """Whether it was repeated at least `OFTEN` times; else at most once."""
    recalled: Share


class Score(msgspec.Struct, frozen=True):
    """How one kind of memory did."""

    kind: str
    lasting: Share
    """Recalled, of what should last."""
    fading: Share
    """Not recalled, of what should fade."""
    balance: Share
    """The mean of the two; 0.5 for who keeps everything, or nothing."""
    tokens: Share
    """Of what a cue brings to mind."""
    thoughts: Share
    """Kept by a person in the end."""
    cells: tuple[Cell, ...]


Rows = Sequence[Asked]


def scored(kind: str, asked: Rows, seed: int) -> Score:
    """Return the shares of one kind of memory."""
    lasting = [one for one in asked if one.should_last]
    fading = [one for one in asked if one.should_fade]
    draw = _draws(asked, seed)
    last, fade = (
        _sums(lasting, asked, lambda one: one.found),
        _sums(fading, asked, lambda one: not one.found),
    )
    return Score(
        kind,
        _share(*last, draw),
        _share(*fade, draw),
        _balance(last, fade, draw),
        _share(*_sums(asked, asked, lambda one: one.tokens), draw, is_share=False),
        _share(*_sums(asked, asked, lambda one: one.thoughts), draw, is_share=False),
        tuple(_cells(asked, draw)),
    )


def _cells(asked: Rows, draw: Floats) -> list[Cell]:
    found = []
    for important in (True, False):
        for often in (True, False):
            for age in sorted({one.age for one in asked}):
                some = [
                    one
                    for one in asked
                    if (one.important, one.repeats >= OFTEN, one.age) == (important, often, age)
                ]
                share = _share(*_sums(some, asked, lambda one: one.found), draw)
                found.append(Cell(age, important, often, share))
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


def _draws(asked: Rows, seed: int) -> Floats:
    """Return how often each person is drawn in each sample of the bootstrap."""
    count = len(_people(asked))
    chosen = rng(seed, "bootstrap").integers(count, size=(SAMPLES, count))
    return np.stack([np.bincount(row, minlength=count) for row in chosen]).astype(np.float64)


def _share(sums: Floats, counts: Floats, draw: Floats, *, is_share: bool = True) -> Share:
    total, count = float(sums.sum()), float(counts.sum())
    if not count:
        return Share(math.nan, math.nan, math.nan, 0)
    if is_share and total in (0.0, count):
        # Every sample is the same, which says nothing of how sure one may be.
        low, high = wilson(total / count, len(sums))
        return Share(total / count, low, high, int(count))
    means = draw @ sums / np.maximum(draw @ counts, 1.0)
    low, high = np.quantile(means, (0.025, 0.975)).tolist()
    return Share(total / count, low, high, int(count))


def _balance(last: Sums, fade: Sums, draw: Floats) -> Share:
    one, two = _share(*last, draw), _share(*fade, draw)
    means = sum(draw @ sums / np.maximum(draw @ counts, 1.0) for sums, counts in (last, fade)) / 2
    low, high = np.quantile(means, (0.025, 0.975)).tolist()
    mean = (one.mean + two.mean) / 2
    if low == high:
        low, high = (one.low + two.low) / 2, (one.high + two.high) / 2
    return Share(mean, low, high, one.count + two.count)


def wilson(share: float, count: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share of so many."""
    square = _Z * _Z
    centre = (share + square / (2 * count)) / (1 + square / count)
    spread = math.sqrt(share * (1 - share) / count + square / (4 * count * count))
    half = _Z * spread / (1 + square / count)
    return max(0.0, centre - half), min(1.0, centre + half)
