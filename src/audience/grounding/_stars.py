"""From what somebody is expected to make of an item to whole stars, as people give them.

An expectation is close to the middle; people use the whole scale, each in a way of its own.
"""

from __future__ import annotations

import msgspec
import numpy as np

from audience.world.rng import Floats, Ints

STARS = 5
_BOUNDS = np.array([1.5, 2.5, 3.5, 4.5])
_WIDTH = 0.45
_DOUBT = 10.0
"""A person's own way counts as if so many ratings of the usual way came besides."""
_LEAST = 1e-6


class Scale(msgspec.Struct, frozen=True, eq=False):
    """Stars given an expectation m: bounds smeared by a logistic, then drawn to one's own way.

    P(at most k stars) = logistic((bounds[k] - m) / (width * spread^power)); a person's spread is
    how far its ratings lie from what was expected, 1 for the usual. Then star k is weighed by
    (its share in the person's ratings / the share expected there)^lean.
    """

    bounds: tuple[float, ...]
    width: float
    power: float
    lean: float
    usual: tuple[float, ...]
    """The shares of the stars over all people."""
    missed: float
    """The mean square of what all people's ratings lie from what was expected of them."""


class Ways(msgspec.Struct, frozen=True, eq=False):
    """How each of some people uses the scale."""

    spread: Floats
    own: Floats
    """[people, stars]: the logarithm of one's own share over the share expected."""


def whole(stars: Floats) -> Ints:
    """Return whole stars; halves are given upwards: 0.5 is one star."""
    found: Ints = np.clip(np.floor(stars + 0.5), 1, STARS).astype(np.int64)
    return found


def ways_of(
    people: int,
    owners: Ints,
    stars: Floats,
    expectations: Floats,
    usual: tuple[float, ...],
    missed: float,
) -> Ways:
    """Return how people use the scale, from their ratings and what was expected of these."""
    counts = np.bincount(owners, minlength=people)
    apart = np.bincount(owners, (stars - expectations) ** 2, people)
    spread = np.sqrt((apart + _DOUBT * missed) / (counts + _DOUBT) / missed)
    chances = _smeared(expectations, _BOUNDS, _WIDTH * spread[owners])
    given = whole(stars)
    shares = np.array(usual)
    own = np.empty((people, STARS))
    for star in range(STARS):
        seen = np.bincount(owners, given == star + 1, people) + _DOUBT * shares[star]
        meant = np.bincount(owners, chances[:, star], people) + _DOUBT * shares[star]
        own[:, star] = np.log(seen / meant)
    return Ways(spread, own)


def chances_of(scale: Scale, expectations: Floats, owners: Ints, ways: Ways) -> Floats:
    """Return [rows, stars]: the chance of one to five stars."""
    width = scale.width * ways.spread[owners] ** scale.power
    plain = _smeared(expectations, np.array(scale.bounds), width)
    weighed = plain * np.exp(scale.lean * ways.own[owners])
    found: Floats = weighed / weighed.sum(axis=1, keepdims=True)
    return found


def drawn_stars(chances: Floats, draws: Floats) -> Ints:
    """Return whole stars, 1 to 5, for one number in [0, 1) a row."""
    below = (np.cumsum(chances, axis=1) <= draws[:, None]).sum(axis=1)
    found: Ints = 1 + np.minimum(below, STARS - 1)
    return found


def fit_scale(
    stars: Floats,
    expectations: Floats,
    owners: Ints,
    ways: Ways,
    usual: tuple[float, ...],
    missed: float,
) -> Scale:
    """Return the scale that makes ratings likeliest which their expectations never saw."""
    from scipy.optimize import minimize

    given, rows = whole(stars) - 1, np.arange(len(stars))

    def unlikely(x: Floats) -> float:
        chances = chances_of(_scale(x, usual, missed), expectations, owners, ways)
        return -float(np.log(np.maximum(chances[rows, given], _LEAST)).mean())

    start = np.array([_BOUNDS[0], 0.0, 0.0, 0.0, np.log(_WIDTH), 0.5, 0.5])
    limits = [(-1.0, 5.0), *[(-3.0, 2.0)] * 3, (-3.0, 1.0), (0.0, 2.0), (0.0, 1.5)]
    return _scale(minimize(unlikely, start, method="L-BFGS-B", bounds=limits).x, usual, missed)


def _scale(x: Floats, usual: tuple[float, ...], missed: float) -> Scale:
    bounds = x[0] + np.concatenate([[0.0], np.cumsum(np.exp(x[1:4]))])
    return Scale(
        tuple(bounds.tolist()), float(np.exp(x[4])), float(x[5]), float(x[6]), usual, missed
    )


def _smeared(expectations: Floats, bounds: Floats, width: Floats) -> Floats:
    reach = (bounds[None, :] - expectations[:, None]) / width[:, None]
    upto = 1.0 / (1.0 + np.exp(-np.clip(reach, -30.0, 30.0)))
    edges = np.zeros((len(expectations), 1))
    return np.maximum(np.diff(np.hstack([edges, upto, edges + 1.0]), axis=1), _LEAST)
