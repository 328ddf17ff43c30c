"""95 % intervals: Student's t, Wilson's for shares, and the bootstrap."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from audience.world import Floats, Ints, rng

RESAMPLES = 1_000
_AT_ONCE = 1_000_000
TAILS = (0.025, 0.975)
Bounds = tuple[float, float]
"""The least and the greatest possible value of a statistic."""
ANY: Bounds = (-math.inf, math.inf)
POSITIVE: Bounds = (0.0, math.inf)
SHARE: Bounds = (0.0, 1.0)
CORRELATION: Bounds = (-1.0, 1.0)
Statistic = Callable[..., float | Sequence[float] | Floats]
"""From the drawn indices, an array per kind of unit, to one number or several."""


class Interval(msgspec.Struct, frozen=True):
    """A statistic with its 95 % interval; NaN where there is none."""

    mean: float = math.nan
    low: float = math.nan
    high: float = math.nan
    count: int = 0
    """How many values it is over."""

    @property
    def is_clear(self) -> bool:
        """Whether the interval excludes zero."""
        return self.low > 0.0 or self.high < 0.0

    @property
    def half(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2.0

    @property
    def three(self) -> tuple[float, float, float]:
        """Mean, low and high."""
        return self.mean, self.low, self.high

    def within(self, bounds: Bounds) -> Interval:
        """Return the part of the interval that is possible; its coverage is the same."""
        low, high = (_clipped(bound, bounds) for bound in (self.low, self.high))
        return Interval(self.mean, low, high, self.count)


def _clipped(value: float, bounds: Bounds) -> float:
    return value if math.isnan(value) else min(max(value, bounds[0]), bounds[1])


def t95(freedom: int) -> float:
    """Return the two-sided 95 % quantile of Student's t."""
    return t_quantile(TAILS[1], freedom)


def t_quantile(share: float, freedom: int) -> float:
    """Return the value below which Student's t is in this share of cases."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, share)) if freedom >= 1 else math.nan


def t_interval(values: Floats, bounds: Bounds = ANY) -> Interval:
    """Return the mean with a t interval, ignoring NaN; a single value has no bounds."""
    values = values[~np.isnan(values)]
    if not len(values):
        return Interval()
    mean = float(values.mean())
    if len(values) < 2:
        return Interval(mean, count=1)
    half = t95(len(values) - 1) * float(values.std(ddof=1)) / math.sqrt(len(values))
    return Interval(mean, mean - half, mean + half, len(values)).within(bounds)


def ratio_interval(owners: Ints, above: Floats, below: Floats, bounds: Bounds = ANY) -> Interval:
    """Return a ratio of two sums with a t interval over the people who own the parts."""
    if not len(owners):
        return Interval()
    tops, bottoms = np.bincount(owners, above), np.bincount(owners, below)
    there = bottoms > 0.0
    tops, bottoms = tops[there], bottoms[there]
    mean = float(tops.sum() / bottoms.sum())
    people = len(tops)
    if people < 2:
        return Interval(mean, count=people)
    apart = float(((tops - mean * bottoms) ** 2).sum()) * people / (people - 1)
    half = t95(people - 1) * math.sqrt(apart) / float(bottoms.sum())
    return Interval(mean, mean - half, mean + half, people).within(bounds)


def crossed_interval(values: Floats, people: Ints, seeds: Ints, bounds: Bounds = ANY) -> Interval:
    """Return the mean over people and seeds, with an interval that allows for both.

    The variance is that of sums by person, plus that of sums by seed, less what both count
    (Cameron, Gelbach and Miller 2011), and never below either; the degrees of freedom are those of
    the smaller group. NaN is left out.
    """
    there = ~np.isnan(values)
    values, people, seeds = values[there], people[there], seeds[there]
    if not len(values):
        return Interval()
    mean = float(values.mean())
    rest = values - mean
    groups = [labels for labels in (people, seeds) if len(np.unique(labels)) > 1]
    if not groups:
        return Interval(mean, count=len(values))
    spreads = [_clustered(rest, labels) for labels in groups]
    both = sum(spreads) - _clustered(rest, np.arange(len(rest))) if len(groups) > 1 else 0.0
    half = t95(min(len(np.unique(labels)) for labels in groups) - 1)
    half *= math.sqrt(max(*spreads, both, 0.0))
    return Interval(mean, mean - half, mean + half, len(values)).within(bounds)


def _clustered(rest: Floats, labels: Ints) -> float:
    names, places = np.unique(labels, return_inverse=True)
    sums = np.bincount(places, rest)
    many = len(names)
    return float((sums**2).sum()) / len(rest) ** 2 * many / (many - 1)


def wilson(share: float, count: int) -> tuple[float, float]:
    """Return the bounds of Wilson's interval of a share of so many."""
    square = 1.959964**2
    centre = (share + square / (2 * count)) / (1 + square / count)
    spread = math.sqrt(share * (1 - share) / count + square / (4 * count * count))
    half = math.sqrt(square) * spread / (1 + square / count)
    return max(0.0, centre - half), min(1.0, centre + half)


def bootstrap(
    statistic: Statistic,
    *units: int,
    seed: int,
    names: Sequence[str] = (),
    resamples: int = RESAMPLES,
) -> Floats:
    """Return the bootstrap distribution of a statistic, along the last axis.

    `units` are the numbers of people, seeds or items; each kind is resampled on its own, and
    `statistic` gets the drawn indices. The result is empty if there is only a single unit.
    """
    if max(units, default=0) < 2:
        return np.empty(0)
    from scipy import stats

    def drawn(*places: Ints) -> float | Sequence[float] | Floats:
        # scipy rejects a kind with a single unit: it is given twice and read once.
        read = zip(places, units, strict=True)
        return statistic(*(part[:many].astype(np.int64) for part, many in read))

    with warnings.catch_warnings():
        # Some samples may have no value; percentile_interval leaves those out.
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)
        result = stats.bootstrap(
            [np.arange(max(many, 2)) % many for many in units],
            drawn,
            n_resamples=resamples,
            batch=max(1, _AT_ONCE // sum(units)),
            vectorized=False,
            method="percentile",
            rng=rng(seed, "bootstrap", *names),
        )
    return np.asarray(result.bootstrap_distribution, np.float64)


def percentile_interval(
    value: float, samples: Floats, *, count: int = 0, bounds: Bounds = ANY
) -> Interval:
    """Return a statistic with the middle 95 % of its bootstrap distribution, ignoring NaN."""
    there = samples[~np.isnan(samples)]
    if not len(there):
        return Interval(value, count=count)
    low, high = np.quantile(there, TAILS).tolist()
    return Interval(value, low, high, count).within(bounds)


def mean_interval(
    sums: Floats,
    counts: Floats,
    *,
    seed: int,
    names: Sequence[str] = (),
    bounds: Bounds = ANY,
) -> Interval:
    """Return the mean of values that people own, with a bootstrap over the people.

    `sums` and `counts` are per person. A share of none or all gets Wilson's bounds.
    """
    total, count = float(sums.sum()), float(counts.sum())
    if not count:
        return Interval()
    mean = total / count
    if bounds == SHARE and mean in bounds:
        return Interval(mean, *wilson(mean, len(sums)), int(count))

    def ratio(places: Ints) -> float:
        over = float(counts[places].sum())
        return float(sums[places].sum()) / over if over else math.nan

    samples = bootstrap(ratio, len(sums), seed=seed, names=names)
    return percentile_interval(mean, samples, count=int(count), bounds=bounds)
