"""Curves without people: logistic growth and Bass diffusion, fitted by least squares.

logistic   1 / (1 + exp(-rate (t - middle))), from 0 at the onset
Bass       (1 - e) / (1 + (imitation / innovation) e), e = exp(-(innovation + imitation) t)
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from audience.lab.spread.curves import correlation, msed
from audience.lab.spread.real import FittedSpread, Truth, error_of, scale
from audience.results import Interval
from audience.world import Floats

LOGISTIC, BASS = "logistic curve", "Bass curve"
_GRID = 60
_FINER = 3


def logistic(hours: Floats, rate: float, middle: float) -> Floats:
    """Return the share reached at each hour, 0 at hour 0."""
    shares: Floats = 1.0 / (1.0 + np.exp(-np.clip(rate * (hours - middle), -50.0, 50.0)))
    first = 1.0 / (1.0 + np.exp(np.clip(rate * middle, -50.0, 50.0)))
    begun: Floats = (shares - first) / max(1.0 - float(first), 1e-12)
    return begun


def bass(hours: Floats, innovation: float, imitation: float) -> Floats:
    """Return the share reached at each hour, 0 at hour 0."""
    left = np.exp(-(innovation + imitation) * hours)
    shares: Floats = (1.0 - left) / (1.0 + (imitation / innovation) * left)
    return shares


def reference_fits(truth: Truth) -> list[FittedSpread]:
    """Return both curves, fitted to the fitted hours and scored on the rest."""
    span = float(truth.fitted)
    growth = {"rate": (0.2 / span, 40.0 / span), "middle": (0.1, 4.0 * span)}
    return [
        _fit(truth, LOGISTIC, logistic, growth),
        _fit(truth, BASS, bass, {"innovation": (1e-4, 1.0), "imitation": (1e-4, 2.0)}),
    ]


def _fit(
    truth: Truth,
    name: str,
    shape: Callable[[Floats, float, float], Floats],
    ranges: dict[str, tuple[float, float]],
) -> FittedSpread:
    """Search a grid on a logarithmic scale, then finer around its best point."""
    hours = np.arange(len(truth.counts), dtype=np.float64)
    spans = [tuple(np.log(bound) for bound in bounds) for bounds in ranges.values()]
    best, least = (0.0, 0.0), np.inf
    for _ in range(_FINER):
        first, other = (np.exp(np.linspace(low, high, _GRID)) for low, high in spans)
        for left in first.tolist():
            for right in other.tolist():
                error = error_of(truth, shape(hours[: truth.fitted], left, right))
                if error < least:
                    best, least = (left, right), error
        steps = [2.0 * (high - low) / _GRID for low, high in spans]
        spans = [
            (float(np.log(value)) - step, float(np.log(value)) + step)
            for value, step in zip(best, steps, strict=True)
        ]
    whole = shape(hours, *best)
    curve = scale(truth, whole) * whole
    rest, told = truth.counts[truth.fitted :], curve[truth.fitted :]
    parameters = {key: float(f"{value:.3g}") for key, value in zip(ranges, best, strict=True)}
    return FittedSpread(
        name,
        parameters,
        float(least),
        Interval(msed(rest, told, truth.most)),
        Interval(correlation(rest, told)),
        (tuple(curve.tolist()),),
    )
