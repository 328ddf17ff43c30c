"""What an experiment found: measured runs, and paired differences with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import numpy as np

from audience.results import ANY, Bounds, Interval, t_interval
from audience.world.rng import Floats

Label = tuple[str, str, str]
"""What a number is called, its unit, and whether `higher` or `lower` is better, or ``."""


class Measured(msgspec.Struct, frozen=True):
    """One run with its numbers."""

    folder: str
    seed: int
    digest: str
    totals: dict[str, float]
    """Metric name to value over the whole run."""
    rounds: tuple[dict[str, float], ...]
    """The values of each round alone."""
    agents: dict[str, Floats]
    """Metric name to one value per person; NaN where there is none."""


class Arm(msgspec.Struct, frozen=True):
    """A variant with one run per seed."""

    name: str
    runs: tuple[Measured, ...]

    def values(self, metric: str) -> Floats:
        """Return the metric of each seed's run."""
        return np.array([run.totals.get(metric, math.nan) for run in self.runs], np.float64)


class Difference(msgspec.Struct, frozen=True):
    """How much more `other` has of a metric than `reference`, paired, with its 95 % interval."""

    metric: str
    reference: str
    other: str
    reference_mean: float
    other_mean: float
    difference: float
    low: float
    high: float
    pairs: int
    over: str
    """What the pairs are: `seeds` or `people`."""

    @property
    def is_clear(self) -> bool:
        """Whether the interval excludes zero."""
        return self.low > 0.0 or self.high < 0.0

    @property
    def percent(self) -> float:
        """The difference as a percentage of the reference."""
        if not self.reference_mean or math.isnan(self.reference_mean):
            return math.nan
        return 100.0 * self.difference / abs(self.reference_mean)


class Findings(msgspec.Struct, frozen=True):
    """Everything a report is written from."""

    title: str
    arms: tuple[Arm, ...]
    differences: tuple[Difference, ...]
    verdict: str
    """The answer in one or two sentences."""
    scenario: str
    """The scenario as TOML."""
    facts: dict[str, str]
    """What else a reader wants to know: people, rounds, seeds, versions."""
    labels: dict[str, Label] = {}
    """Where given, reports keep to these numbers, in this order."""


def readable(value: float) -> str:
    """Return a number as people read it; a dash where there is none."""
    if math.isnan(value):
        return "–"
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def level(arm: Arm, metric: str, bounds: Bounds = ANY) -> tuple[Interval, str]:
    """Return an arm's number, and what it is a mean over: `seeds`, `people`, or `` of one run.

    Whatever tells an arm's level takes it from here, so that a label has one number.
    """
    values, over = arm.values(metric), "seeds" if len(arm.runs) > 1 else ""
    if not over and arm.runs and metric in arm.runs[0].agents:
        values, over = arm.runs[0].agents[metric], "people"
    return t_interval(values, bounds), over


def differ(reference: Arm, other: Arm, metric: str) -> Difference:
    """Return the paired difference: over seeds where there are several, else over people.

    Over people the means are those of the pairs, so that a percentage speaks of the same thing.
    """
    if len(reference.runs) > 1:
        first, second, over = reference.values(metric), other.values(metric), "seeds"
    else:
        nothing = np.array([math.nan])
        first, second = (one.runs[0].agents.get(metric, nothing) for one in (reference, other))
        people = min(len(first), len(second))
        first, second, over = first[:people], second[:people], "people"
    both = ~(np.isnan(first) | np.isnan(second))
    mean, low, high = t_interval((second - first)[both]).three
    if both.any():
        means = float(first[both].mean()), float(second[both].mean())
    else:
        means = t_interval(reference.values(metric)).mean, t_interval(other.values(metric)).mean
        mean = means[1] - means[0]
    return Difference(
        metric, reference.name, other.name, *means, mean, low, high, int(both.sum()), over
    )


def differences(arms: Sequence[Arm], metrics: Sequence[str]) -> tuple[Difference, ...]:
    """Return every arm against the first, for every metric."""
    return tuple(differ(arms[0], arm, metric) for arm in arms[1:] for metric in metrics)
