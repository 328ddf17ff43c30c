"""How near one curve comes to another."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from audience.errors import BadInput
from audience.world.rng import Floats

Curve = Sequence[float] | Floats


def resampled(curve: Curve, length: int) -> Floats:
    """Return a curve with `length` points, between its ends in straight lines."""
    values = np.asarray(curve, np.float64)
    if not len(values) or length < 1:
        raise BadInput("a curve needs at least one point")
    if len(values) == 1 or length == 1:
        return np.full(length, values[0])
    return np.interp(np.linspace(0.0, len(values) - 1.0, length), np.arange(len(values)), values)


def msed(actual: Curve, simulated: Curve, most: float = math.nan) -> float:
    """Return the mean over time of (actual - simulated)^2, both divided by the true maximum.

    Both are brought to the same length first; `most` is the maximum where `actual` is a part of
    the true curve.
    """
    truth, guess = _alike(actual, simulated)
    top = float(truth.max()) if math.isnan(most) else most
    if top <= 0.0:
        return math.nan
    return float((((truth - guess) / top) ** 2).mean())


def correlation(actual: Curve, simulated: Curve) -> float:
    """Return Pearson's correlation; NaN where one of them does not move."""
    truth, guess = _alike(actual, simulated)
    if len(truth) < 2 or np.ptp(truth) == 0.0 or np.ptp(guess) == 0.0:
        return math.nan
    return float(np.corrcoef(truth, guess)[0, 1])


def nrmse(actual: Curve, simulated: Curve) -> float:
    """Return the root of the mean squared error, divided by the true maximum."""
    found = msed(actual, simulated)
    return math.sqrt(found) if not math.isnan(found) else math.nan


def _alike(actual: Curve, simulated: Curve) -> tuple[Floats, Floats]:
    truth = np.asarray(actual, np.float64)
    if not len(truth):
        raise BadInput("a curve needs at least one point")
    return truth, resampled(simulated, len(truth))
