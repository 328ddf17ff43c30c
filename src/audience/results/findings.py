"""Findings of an experiment: measured runs, and paired differences between arms."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import numpy as np

from audience.results.fitted import Fitting
from audience.results.interval import ANY, Bounds, Interval, t_interval
from audience.world import Floats

Label = tuple[str, str, str]
"""What a number is called, its unit, and whether `higher` or `lower` is better, or ``.

A unit that begins with `share` or `0 to 1` promises that the number lies between 0 and 1.
"""


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
    failed: float = 0.0
    """The share of decisions that minds failed to make."""
    failed_pages: float = 0.0
    """The share of pages that the recommender failed to fill."""


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


class BandSetting(msgspec.Struct, frozen=True):
    """One other audience, and how every arm differs from the first before it."""

    name: str
    """Such as `taste 6`."""
    parameter: str
    differences: tuple[Difference, ...]


class Band(msgspec.Struct, frozen=True):
    """The arms before a few other audiences."""

    metric: str
    settings: tuple[BandSetting, ...]
    people: int
    rounds: int
    seeds: int
    share: float = 1.0
    """The share of the usual visits."""
    left_out: tuple[str, ...] = ()
    """Settings in which the metric has no interval."""


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
    """If given, reports show exactly these numbers, in this order."""
    declared: str = ""
    """The metric that the verdict is about, judged first and alone."""
    looked_at: tuple[str, ...] = ()
    """The metrics judged together next; all others are judged together last."""
    marks: dict[str, str] = {}
    """Arms whose minds and recommender share evidence: `circular`, `alike` or `shared`."""
    notes: tuple[str, ...] = ()
    """What a reader of the verdict must know besides."""
    band: Band | None = None
    """The same arms before other audiences, if they were tried."""
    fitting: Fitting | None = None
    """What minds were fitted to, if they were."""

    @property
    def is_withheld(self) -> bool:
        """Whether too many decisions failed for a verdict."""
        return bool(withheld(self.arms))


MOST_FAILED = 0.05
"""The share of failed decisions above which a run says nothing about what it compares."""


def withheld(arms: Sequence[Arm]) -> str:
    """Return why there is no verdict on some arms; empty if there may be one."""
    runs = [(arm.name, run) for arm in arms for run in arm.runs if run.failed > MOST_FAILED]
    if not runs:
        return ""
    name, worst = max(runs, key=lambda named: named[1].failed)
    others = f" (and more than {MOST_FAILED:.0%} in {len(runs) - 1} other runs)" * (len(runs) > 1)
    place = worst.folder or f"{name}, seed {worst.seed}"
    return (
        f"No verdict: {worst.failed:.0%} of the decisions in {place} failed{others}; more than "
        f"{MOST_FAILED:.0%} leave nothing to judge by. `audience show RUN` tells why each failed. "
        "Fix that, then run again with another --out."
    )


def readable(value: float) -> str:
    """Return a number as people read it; a dash where there is none."""
    if math.isnan(value):
        return "–"
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def level(arm: Arm, metric: str, bounds: Bounds = ANY) -> tuple[Interval, str]:
    """Return an arm's number, and what it is a mean over: `seeds`, `people`, or `` for one run.

    Every report takes an arm's level from here, so that a label always has the same number.
    """
    values, over = arm.values(metric), "seeds" if len(arm.runs) > 1 else ""
    if not over and arm.runs and metric in arm.runs[0].agents:
        values, over = arm.runs[0].agents[metric], "people"
    return t_interval(values, bounds), over


def differ(reference: Arm, other: Arm, metric: str) -> Difference:
    """Return the paired difference: over seeds if there are several, else over people.

    Over people the means are those of the pairs, so that percentages refer to the same people.
    """
    if len(reference.runs) > 1:
        first, second, over = reference.values(metric), other.values(metric), "seeds"
    else:
        nothing = np.array([math.nan])
        first, second = (arm.runs[0].agents.get(metric, nothing) for arm in (reference, other))
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
