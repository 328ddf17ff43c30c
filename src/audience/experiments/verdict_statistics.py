"""How far two orders of recommenders agree."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import permutations

import msgspec
import numpy as np

from audience.results import CORRELATION, bootstrap, percentile_interval
from audience.world.rng import Floats, Ints, rng

ALL_ORDERS = 7
"""Up to so many recommenders every order is tried; of more, some are drawn."""
DRAWS = 2_000
FEWEST = 5
"""Below so many recommenders no order can be told from chance."""


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
    taus = rhos = np.empty(0)

    def drawn(rows: Ints, columns: Ints) -> tuple[float, float]:
        if len(np.unique(rows)) < 3:  # two can only agree or disagree
            return math.nan, math.nan
        one, two = (values[np.ix_(rows, columns)].mean(axis=1) for values in (first, second))
        return kendall(one, two), spearman(one, two)

    if many >= FEWEST and not math.isnan(tau):
        taus, rhos = bootstrap(drawn, *first.shape, seed=seed, names=("verdicts",))
    of_tau = percentile_interval(tau, taus, bounds=CORRELATION)
    of_rho = percentile_interval(rho, rhos, bounds=CORRELATION)
    chance = _chance(one, two, tau, seed)
    return Agreement(*names, many, *of_tau.three, *of_rho.three, chance)


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
