"""Activity levels of real people: Pareto and lognormal by maximum likelihood, with KS distances."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from audience.errors import BadInput, unknown
from audience.world.rng import Floats, Ints, rng

LAWS = ("lognormal", "pareto")
RAREST, OFTENEST = 0.05, 20.0
"""The bounds of a level, as a multiple of the mean count."""
POOR = 0.15
"""A law further from the counts than this KS distance does not describe them."""
_ROUNDING = 0.5
"""A count k stands for all levels that round to it: those up to k + 1/2."""


class Pareto(msgspec.Struct, frozen=True):
    """p(x) = a x_min^a / x^(a+1) from x_min on."""

    shape: float
    least: float
    ks: float
    likelihood: float
    """The logarithm of it, per person."""
    people: int
    """Those with `least` or more: the others are not fitted."""


class Lognormal(msgspec.Struct, frozen=True):
    """The logarithm of a count is normal."""

    mu: float
    sigma: float
    ks: float
    likelihood: float
    people: int


class Fitted(msgspec.Struct, frozen=True):
    """Both laws for the same counts."""

    pareto: Pareto
    lognormal: Lognormal
    best: str
    """The law of the smaller KS distance."""
    people: int
    silent: int
    """People without any interaction, who are not fitted."""
    mean: float
    """The mean count of those who are."""


def fit_activity(counts: Sequence[int] | Ints, least: float | None = None) -> Fitted:
    """Return the laws that make the counts likeliest.

    x_min is `least`, or its own likeliest value, the smallest count. KS is the largest difference,
    over all counts k, between the share of people with at most k and what a law says of it.
    """
    every = np.asarray(counts, np.float64)
    if np.any(every < 0) or not np.all(np.isfinite(every)):
        raise BadInput("counts of interactions are whole numbers of 0 or more; correct them")
    some = every[every > 0]
    if len(np.unique(some)) < 2:
        what = "all have equally many" if len(some) else "nobody has interactions"
        raise BadInput(
            f"of {len(every)} people {what}: no law can be fitted; take a dataset where people "
            "differ, or another activity such as 'equal'"
        )
    pareto, lognormal = _pareto(some, least), _lognormal(some)
    best = "lognormal" if lognormal.ks <= pareto.ks else "pareto"
    silent = len(every) - len(some)
    return Fitted(pareto, lognormal, best, len(some), silent, float(some.mean()))


def draw_levels(fitted: Fitted, people: int, seed: int, law: str = "") -> Floats:
    """Return levels drawn from a law, the best unless named, as multiples of the mean count.

    Person i does not depend on how many there are. A level is at least 0.05 and at most 20: a
    Pareto law of a shape below 1 has no mean.
    """
    kind = law or fitted.best
    if kind not in LAWS:
        raise unknown("law", kind, LAWS)
    draws = rng(seed, "population", "activity")
    if kind == "pareto":
        tail = 1.0 - draws.random(people)
        found = fitted.pareto.least * tail ** (-1.0 / fitted.pareto.shape)
    else:
        found = np.exp(fitted.lognormal.mu + fitted.lognormal.sigma * draws.standard_normal(people))
    return levels_of(found, fitted.mean)


def levels_of(counts: Floats | Ints, mean: float) -> Floats:
    """Return how often people come, from how much each did and the mean of that."""
    ratios: Floats = np.asarray(counts, np.float64) / max(mean, 1e-12)
    bounded: Floats = np.minimum(np.maximum(ratios, RAREST), OFTENEST)
    return np.round(bounded, 4)


def _pareto(counts: Floats, least: float | None) -> Pareto:
    floor = float(counts.min()) if least is None else float(least)
    tail = counts[counts >= floor]
    if floor <= 0 or len(np.unique(tail)) < 2:
        raise BadInput(
            f"x_min {floor:g}: fewer than two different counts are as high; "
            f"give a number from 1 to {counts.max():g}"
        )
    over = np.log(tail / floor)
    shape = len(tail) / float(over.sum())
    ks = _distance(tail, lambda k: 1.0 - np.maximum(k / floor, 1.0) ** -shape)
    likelihood = float(np.log(shape / floor) - (shape + 1.0) * over.mean())
    return Pareto(shape, floor, ks, likelihood, len(tail))


def _lognormal(counts: Floats) -> Lognormal:
    logs = np.log(counts)
    mu, sigma = float(logs.mean()), float(logs.std())
    ks = _distance(counts, lambda k: _normal((np.log(k) - mu) / sigma))
    likelihood = -mu - float(np.log(sigma)) - 0.5 * (float(np.log(2 * np.pi)) + 1.0)
    return Lognormal(mu, sigma, ks, likelihood, len(counts))


def _normal(places: Floats) -> Floats:
    return np.array([0.5 * math.erfc(-place / math.sqrt(2.0)) for place in places.tolist()])


def _distance(counts: Floats, law: Callable[[Floats], Floats]) -> float:
    values, sizes = np.unique(counts, return_counts=True)
    upto = np.cumsum(sizes) / len(counts)
    before = np.concatenate([[0.0], upto[:-1]])
    # Between two observed counts a law goes on growing: just below each it may be furthest off.
    here = np.abs(upto - law(values + _ROUNDING))
    below = np.abs(before - law(values - _ROUNDING))
    return float(max(here.max(), below.max()))
