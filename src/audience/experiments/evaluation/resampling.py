"""Intervals of measures that are no means over people: people drawn again and again."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from audience.experiments.evaluation.results import Cell, Estimate
from audience.world.rng import Floats, rng

SAMPLES = 500
Measure = Callable[[Floats], Floats]
"""From how often each person counts, [samples, people], to one value a sample."""


def weights_of(people: int, seed: int) -> Floats:
    """Return how often each person counts: once in the first row, as drawn in the others."""
    chosen = rng(seed, "eval", "bootstrap").multinomial(
        people, np.full(people, 1.0 / people), SAMPLES
    )
    return np.concatenate([np.ones((1, people)), chosen.astype(np.float64)])


def cells_of(
    measures: Mapping[str, Measure], weights: Floats, baselines: Sequence[str], users: int
) -> tuple[dict[str, Cell], str]:
    """Return everybody's cell in one column where less is better, and the best baseline."""
    found = {name: measure(weights) for name, measure in measures.items()}
    means = {name: float(found[name][0]) for name in baselines if math.isfinite(found[name][0])}
    best = min(means, key=lambda name: means[name]) if means else ""
    cells = {}
    for name, values in found.items():
        against = estimate(values - found[best]) if best and name != best else None
        cells[name] = Cell(estimate(values), users, against)
    return cells, best


def estimate(values: Floats) -> Estimate:
    """Return the first value, and the middle 95 % of the others."""
    low, high = np.quantile(values[1:], (0.025, 0.975)).tolist()
    return Estimate(float(values[0]), low, high)
