"""The formulas that several metrics share. Undefined is NaN, never a warning."""

from __future__ import annotations

import math

import numpy as np

from audience.world.rng import Floats

NAN = math.nan


def ratio(part: float, whole: float) -> float:
    """Return part / whole, NaN when there is no whole."""
    return part / whole if whole else NAN


def ratios(parts: Floats, wholes: Floats) -> Floats:
    """Return parts / wholes by element, NaN where there is no whole."""
    found: Floats = np.full(len(parts), NAN)
    np.divide(parts, wholes, out=found, where=wholes != 0.0)
    return found


def entropies(weights: Floats) -> Floats:
    """Return H = -sum p log2 p in bits of each row of weights, NaN for a row of zeros."""
    totals = weights.sum(axis=1)
    defined = totals > 0.0
    shares = weights[defined] / totals[defined, None]
    logs = np.log2(np.where(shares > 0.0, shares, 1.0))
    found = np.full(len(weights), NAN)
    # Adding 0.0 turns the -0.0 of a single tag into 0.0.
    found[defined] = -(shares * logs).sum(axis=1) + 0.0
    return found


def entropy(weights: Floats) -> float:
    """Return the entropy in bits of one row of weights."""
    return float(entropies(weights[None, :])[0]) if len(weights) else NAN


def gini(counts: Floats) -> float:
    """Return G = 2 sum(i x_i) / (n sum x) - (n + 1) / n, with x in ascending order.

    0 when all are equal, 1 - 1/n when one has everything.
    """
    total = float(counts.sum()) if len(counts) else 0.0
    if total <= 0.0:
        return NAN
    places = np.arange(1, len(counts) + 1)
    weighted = float((places * np.sort(counts)).sum())
    return max(0.0, (2.0 * weighted / total - (len(counts) + 1)) / len(counts))


def mean(values: Floats) -> float:
    """Return the mean of the defined values, NaN when none is."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else NAN


def resized(array: Floats, size: int) -> Floats:
    """Return the array with at least `size` rows, new ones zero."""
    if len(array) >= size:
        return array
    grown = np.zeros((size, *array.shape[1:]))
    grown[: len(array)] = array
    return grown
