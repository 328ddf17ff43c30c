"""Findings of an experiment: measured runs, paired differences, and their summary."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from audience.metrics import LABELS, OPTIONAL
from audience.results.interval import (
    ANY,
    CORRELATION,
    POSITIVE,
    SHARE,
    Bounds,
    Interval,
    t_interval,
)
from audience.world import Floats

Label = tuple[str, str, str]
"""What a number is called, its unit, and whether `higher` or `lower` is better, or ``.

A unit that begins with `share` or `0 to 1` promises that the number lies between 0 and 1.
"""
_UNITS: dict[str, Bounds] = {
    "share": SHARE,
    "0 to 1": SHARE,
    "Jaccard": SHARE,
    "-1 to 1": CORRELATION,
    "1 to 10": (1.0, 10.0),
    "cosine distance": (0.0, 2.0),
    **dict.fromkeys(("bits", "times", "per ", "MSED"), POSITIVE),
}
"""The possible values of a number, by how its unit begins."""


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
    """If given, reports show exactly these numbers, in this order."""

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


HEADLINE = (
    "reach",
    "emotion",
    "positive",
    "satisfaction",
    "click_rate",
    "picks",
    "minutes_per_visit",
    "completion",
    "rating_mean",
    "return_rate",
    "entropy_consumption",
    "gini",
    "coverage_consumption",
)
"""The metrics shown first, in this order."""


class ArmCell(msgspec.Struct, frozen=True):
    """One metric of one arm with its 95 % interval; `over` says what it is a mean of."""

    arm: str
    mean: float
    low: float
    high: float
    count: int
    over: str
    """`seeds`, `people`, or `` for one number of one run."""


class Contrast(msgspec.Struct, frozen=True):
    """One metric of one arm against the reference, also in % of the reference."""

    other: str
    reference: str
    difference: float
    low: float
    high: float
    percent: float
    percent_low: float
    percent_high: float
    pairs: int
    over: str
    judgement: str
    """`better`, `worse`, `different` (clear, but neither is better), `unclear`, or `` untested."""


class Line(msgspec.Struct, frozen=True):
    """One metric over all arms."""

    metric: str
    label: str
    unit: str
    better: str
    cells: tuple[ArmCell, ...]
    contrasts: tuple[Contrast, ...]


def summary(findings: Findings) -> tuple[Line, ...]:
    """Return a line per metric, known ones first in their usual order; or those labelled.

    Optional metrics are left out if no run has them.
    """
    if findings.labels:
        return tuple(_line(findings, name) for name in findings.labels)
    names: dict[str, None] = {}
    for arm in findings.arms:
        for run in arm.runs:
            names.update(dict.fromkeys(run.totals))
    names.pop("round", None)
    order = {name: place for place, name in enumerate(LABELS)}
    ordered = sorted(names, key=lambda name: order.get(name, len(order)))
    lines = (_line(findings, name) for name in ordered)
    return tuple(line for line in lines if line.metric not in OPTIONAL or _is_defined(line))


def headline(lines: Sequence[Line], labels: Mapping[str, Label] | None = None) -> tuple[Line, ...]:
    """Return the lines to show first; the first ten if none of them is known.

    If `labels` are given, those lines.
    """
    defined = {line.metric: line for line in lines if _is_defined(line)}
    if labels:
        return tuple(defined.values())
    chosen = tuple(defined[name] for name in HEADLINE if name in defined)
    return chosen or tuple(defined.values())[:10]


def _is_defined(line: Line) -> bool:
    return any(not math.isnan(cell.mean) for cell in line.cells)


def _line(findings: Findings, metric: str) -> Line:
    label, unit, better = findings.labels.get(metric) or LABELS.get(metric, (metric, "", ""))
    bounds = bounds_of(metric, unit)
    cells = tuple(_cell(arm, metric, bounds) for arm in findings.arms)
    unit = unit or _unit_of_count(metric, label, {cell.over for cell in cells})
    contrasts = tuple(
        _contrast(difference, better, bounds)
        for difference in findings.differences
        if difference.metric == metric
    )
    return Line(metric, label, unit, better, cells, contrasts)


def _unit_of_count(metric: str, label: str, over: set[str]) -> str:
    """Return the unit of a number without one: a count of a person, of a run, or in all."""
    if "people" in over:
        return "per person"
    if metric not in LABELS or LABELS[metric][0] != label:
        return ""
    return "per run" if "seeds" in over else "total"


def bounds_of(metric: str, unit: str) -> Bounds:
    """Return the possible values of a number: by its unit, and none is below 0 if built in."""
    if metric in LABELS and unit == "stars":
        return (1.0, 5.0)
    by_unit = (bounds for begin, bounds in _UNITS.items() if unit.startswith(begin))
    return next(by_unit, POSITIVE if metric in LABELS else ANY)


def _cell(arm: Arm, metric: str, bounds: Bounds) -> ArmCell:
    mean, over = level(arm, metric, bounds)
    return ArmCell(arm.name, *mean.three, mean.count, over)


def _contrast(difference: Difference, better: str, bounds: Bounds) -> Contrast:
    scale = 100.0 / abs(difference.reference_mean) if difference.reference_mean else math.nan
    apart = bounds[1] - bounds[0]
    bounded = Interval(difference.difference, difference.low, difference.high).within(
        (-apart, apart)
    )
    return Contrast(
        difference.other,
        difference.reference,
        *bounded.three,
        bounded.mean * scale,
        bounded.low * scale,
        bounded.high * scale,
        difference.pairs,
        difference.over,
        _judgement(difference, better),
    )


def _judgement(difference: Difference, better: str) -> str:
    if math.isnan(difference.low) or math.isnan(difference.high):
        return ""
    if not difference.is_clear:
        return "unclear"
    if better not in ("higher", "lower"):
        return "different"
    return "better" if (difference.difference > 0) == (better == "higher") else "worse"
