"""Intervals over people and seeds at once, and how far two orders of recommenders agree."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import permutations

import msgspec
import numpy as np

from audience.experiments.findings import t95
from audience.world.rng import Floats, Ints, rng

ALL_ORDERS = 7
"""Up to so many recommenders every order is tried; of more, some are drawn."""
DRAWS = 2_000
FEWEST = 5
"""Below so many recommenders no order can be told from chance."""


class Estimate(msgspec.Struct, frozen=True):
    """A mean with its 95 % interval."""

    mean: float
    low: float
    high: float
    pairs: int
    """How many people-in-a-seed it is over."""

    @property
    def is_clear(self) -> bool:
        """Whether the interval excludes zero."""
        return self.low > 0.0 or self.high < 0.0


def crossed(values: Floats, people: Ints, seeds: Ints) -> Estimate:
    """Return the mean over people in seeds; its interval allows for both being drawn.

    The variance is that of sums by person, plus that of sums by seed, less what both count
    (Cameron, Gelbach and Miller 2011), and never below either; t has as many degrees of freedom as
    the fewer of the two allow. NaN is left out.
    """
    there = ~np.isnan(values)
    values, people, seeds = values[there], people[there], seeds[there]
    if not len(values):
        return Estimate(math.nan, math.nan, math.nan, 0)
    mean = float(values.mean())
    rest = values - mean
    groups = [labels for labels in (people, seeds) if len(np.unique(labels)) > 1]
    if not groups:
        return Estimate(mean, math.nan, math.nan, len(values))
    spreads = [_clustered(rest, labels) for labels in groups]
    both = sum(spreads) - _clustered(rest, np.arange(len(rest))) if len(groups) > 1 else 0.0
    half = t95(min(len(np.unique(labels)) for labels in groups) - 1)
    half *= math.sqrt(max(*spreads, both, 0.0))
    return Estimate(mean, mean - half, mean + half, len(values))


def _clustered(rest: Floats, labels: Ints) -> float:
    names, places = np.unique(labels, return_inverse=True)
    sums = np.bincount(places, rest)
    many = len(names)
    return float((sums**2).sum()) / len(rest) ** 2 * many / (many - 1)


class Agreement(msgspec.Struct, frozen=True):
    """How far the order of recommenders by one measure is the order by another."""

    audience: str
    offline: str
    recommenders: int
    kendall: float
    kendall_low: float
    kendall_high: float
    spearman: float
    spearman_low: float
    spearman_high: float
    chance: float
    """How often an order by chance agrees or disagrees at least as much (Kendall, two-sided)."""


def agreement(names: tuple[str, str], first: Floats, second: Floats, seed: int) -> Agreement:
    """Return the rank correlations of two measures, each [recommenders, seeds].

    The bounds are percentiles over recommenders and seeds drawn again with replacement; NaN with
    fewer than five recommenders, where they would only look exact.
    """
    many = len(first)
    one, two = first.mean(axis=1), second.mean(axis=1)
    tau, rho = kendall(one, two), spearman(one, two)
    of_tau = of_rho = (math.nan, math.nan)
    if many >= FEWEST and not math.isnan(tau):
        drawn = np.array(list(_again(first, second, seed)))
        of_tau, of_rho = _middle(drawn[:, 0]), _middle(drawn[:, 1])
    chance = _chance(one, two, tau, seed)
    return Agreement(*names, many, tau, *of_tau, rho, *of_rho, chance)


def _middle(values: Floats) -> tuple[float, float]:
    """Return between which bounds the middle 95 % lie."""
    there = values[~np.isnan(values)]
    if not len(there):
        return math.nan, math.nan
    low, high = np.percentile(there, (2.5, 97.5)).tolist()
    return low, high


def _again(first: Floats, second: Floats, seed: int) -> Iterator[tuple[float, float]]:
    draw = rng(seed, "verdicts", "bootstrap")
    many, seeds = first.shape
    for _ in range(DRAWS):
        rows, columns = draw.integers(0, many, many), draw.integers(0, seeds, seeds)
        if len(np.unique(rows)) < 3:  # two can only agree or disagree
            continue
        one, two = (values[np.ix_(rows, columns)].mean(axis=1) for values in (first, second))
        yield kendall(one, two), spearman(one, two)


def _chance(one: Floats, two: Floats, tau: float, seed: int) -> float:
    if math.isnan(tau):
        return math.nan
    signs = _signs(one)
    found = [_tau(signs, _signs(two[order])) for order in _orders(len(one), seed)]
    return float(np.mean(np.abs(found) >= abs(tau) - 1e-12))


def least_chance(many: int) -> float:
    """Return the least chance that can be found with so many recommenders."""
    return 2.0 / math.factorial(many) if many <= ALL_ORDERS else 1.0 / (DRAWS + 1)


def _orders(many: int, seed: int) -> Iterator[Ints]:
    if many <= ALL_ORDERS:
        yield from (np.array(order) for order in permutations(range(many)))
        return
    draw = rng(seed, "verdicts", "permutation")
    yield np.arange(many)
    yield from (draw.permutation(many) for _ in range(DRAWS))


def kendall(one: Floats, two: Floats) -> float:
    """Return Kendall's tau-b: 1 for one order, -1 for its reverse; NaN where all are equal."""
    return _tau(_signs(one), _signs(two))


def _signs(values: Floats) -> Floats:
    return np.sign(values[:, None] - values[None, :])


def _tau(one: Floats, two: Floats) -> float:
    scale = math.sqrt(float((one * one).sum()) * float((two * two).sum()))
    return float((one * two).sum()) / scale if scale else math.nan


def spearman(one: Floats, two: Floats) -> float:
    """Return Spearman's rho, equal values sharing their rank; NaN where all are equal."""
    ranks = [_signs(values).sum(axis=1) for values in (one, two)]
    return _tau(*ranks)
