"""DirectLiNGAM: a causal order of variables and the strength of each arrow, from numbers alone.

Shimizu and others (2011), with the pairwise measure of Hyvärinen and Smith (2013). It supposes
linear effects, no loops, nothing hidden, and noise that is not Gaussian; where these fail, so may
its arrows.
"""

from __future__ import annotations

import numpy as np

from audience.world.rng import Floats

_K1, _K2, _GAMMA = 79.047, 7.4129, 0.37457
_GAUSSIAN = (1.0 + np.log(2.0 * np.pi)) / 2.0


def direct_lingam(rows: Floats) -> tuple[list[int], Floats]:
    """Return the causal order of the columns, and [to, from] effects in standard deviations.

    Columns are standardised; one that does not vary stands last in the order and has no effect.
    """
    spread = rows.std(axis=0)
    varying = np.flatnonzero(spread > 1e-9).tolist()
    values = (rows - rows.mean(axis=0)) / np.where(spread > 1e-9, spread, 1.0)
    order = _order(values, varying)
    effects = np.zeros((rows.shape[1], rows.shape[1]))
    for place, column in enumerate(order[1:], 1):
        causes = order[:place]
        found = np.linalg.lstsq(values[:, causes], values[:, column], rcond=None)[0]
        effects[column, causes] = found
    rest = [column for column in range(rows.shape[1]) if column not in varying]
    return order + rest, effects


def _order(values: Floats, columns: list[int]) -> list[int]:
    left, found, values = list(columns), list[int](), values.copy()
    while len(left) > 1:
        first = _exogenous(values, left)
        found.append(first)
        left.remove(first)
        for column in left:
            values[:, column] = _residual(values[:, column], values[:, first])
    return found + left


def _exogenous(values: Floats, left: list[int]) -> int:
    """Return the column that depends least on any other: ties go to the first."""
    scores = []
    for one in left:
        others = (other for other in left if other != one)
        scores.append(
            sum(min(0.0, _leaning(values[:, one], values[:, two])) ** 2 for two in others)
        )
    return left[int(np.argmin(np.round(scores, 12)))]


def _leaning(one: Floats, two: Floats) -> float:
    """Return the difference in entropies: above zero where `one` is the cause of `two`."""
    one, two = _standard(one), _standard(two)
    forward = _entropy(one) + _entropy(_standard(_residual(two, one)))
    backward = _entropy(two) + _entropy(_standard(_residual(one, two)))
    return backward - forward


def _standard(values: Floats) -> Floats:
    centred = values - values.mean()
    found: Floats = np.divide(centred, max(float(centred.std()), 1e-12))
    return found


def _residual(values: Floats, cause: Floats) -> Floats:
    centred, by = values - values.mean(), cause - cause.mean()
    slope = float((centred * by).mean()) / max(float((by * by).mean()), 1e-12)
    return np.subtract(values, slope * cause)


def _entropy(values: Floats) -> float:
    """Return Hyvärinen's approximation to the entropy of standardised values."""
    # log cosh u, written so that a large u does not overflow
    cosh = np.abs(values) + np.log1p(np.exp(-2.0 * np.abs(values))) - np.log(2.0)
    bell = values * np.exp(-(values**2) / 2.0)
    first, second = float(cosh.mean()) - _GAMMA, float(bell.mean())
    return float(_GAUSSIAN - _K1 * first**2 - _K2 * second**2)
