"""Rows of a table about a model: a value, its interval, and what could not be read."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import msgspec
import numpy as np

from audience.results import (
    ANY,
    SHARE,
    Interval,
    bootstrap,
    mean_interval,
    percentile_interval,
)
from audience.world.rng import Ints

Answer = tuple[int, float | None]
"""Whose answer it is, and its number; None where it could not be read."""


class ProbeRow(msgspec.Struct, frozen=True):
    """One line of a table. What is not known is None."""

    part: str
    what: str
    value: float | None
    low: float | None
    high: float | None
    count: int
    """Answers that the value is over."""
    unreadable: int = 0
    chance: float | None = None
    """What comes out without what is measured: by guessing, or between strangers."""
    unit: str = "share"


def row(
    part: str,
    what: str,
    answers: Iterable[Answer],
    *,
    seed: int,
    chance: float | None = None,
    unread: float | None = None,
    unit: str = "share",
) -> ProbeRow:
    """Return the mean of answers with a 95 % interval over those who gave them.

    What could not be read is counted and left out, or scored as `unread` where that is given.
    """
    given = list(answers)
    lost = sum(value is None for _, value in given)
    known = [(whose, unread if value is None else value) for whose, value in given]
    kept = [(whose, value) for whose, value in known if value is not None]
    value, low, high = interval(kept, seed, is_share=unit == "share")
    return ProbeRow(part, what, value, low, high, len(kept), lost, chance, unit)


def interval(
    answers: Sequence[tuple[int, float]], seed: int, *, is_share: bool = True
) -> tuple[float | None, float | None, float | None]:
    """Return a mean with its bounds by a bootstrap over people.

    Where all agree: Wilson's for a share of none or all, else no bounds.
    """
    # By number, not by who answered first: the bounds must not hang on that.
    places = {whose: place for place, whose in enumerate(sorted({w for w, _ in answers}))}
    sums, counts = np.zeros(len(places)), np.zeros(len(places))
    for whose, value in answers:
        sums[places[whose]] += value
        counts[places[whose]] += 1
    bounds = SHARE if is_share else ANY
    mean = mean_interval(sums, counts, seed=seed, names=("probe",), bounds=bounds)
    return known(mean)


def known(interval: Interval) -> tuple[float | None, float | None, float | None]:
    """Return mean, low and high; None for NaN, and for bounds that every sample gave."""
    mean, low, high = (None if math.isnan(value) else value for value in interval.three)
    # Samples that are all the same say nothing of how sure one may be.
    return (mean, None, None) if low == high else (mean, low, high)


def statistic_row(
    part: str, what: str, statistic: Callable[[Ints], float], units: int, *, seed: int, count: int
) -> ProbeRow:
    """Return the row of a statistic of `units` drawn things that is no mean; it is within 0 to 1.

    `statistic` gets the places of the things that were drawn.
    """
    samples = bootstrap(statistic, units, seed=seed, names=("probe",))
    value = statistic(np.arange(units))
    return ProbeRow(part, what, *known(percentile_interval(value, samples, bounds=SHARE)), count)


def mean_of(values: Iterable[float | None]) -> float | None:
    """Return the mean of what is known, None of nothing."""
    kept = [value for value in values if value is not None]
    return sum(kept) / len(kept) if kept else None
