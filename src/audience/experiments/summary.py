"""The summary of findings as numbers: every metric over all arms, and against the reference."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec

from audience.experiments.findings import Arm, Difference, Findings, Label, level
from audience.metrics import LABELS, OPTIONAL
from audience.results import ANY, POSITIVE, SHARE, Bounds, Interval

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
"""What a reader wants to see first, in this order."""


class ArmCell(msgspec.Struct, frozen=True):
    """One metric of one arm with its 95 % interval; `over` says what it is the mean of."""

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
    """Return every metric, known ones first in their usual order; or those that are labelled.

    Optional ones are left out where no run has them.
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
    """Return the lines a reader wants to see first; the first ten where none of them is known.

    Where `labels` name the numbers, these are the lines.
    """
    found = {line.metric: line for line in lines if _is_defined(line)}
    if labels:
        return tuple(found.values())
    chosen = tuple(found[name] for name in HEADLINE if name in found)
    return chosen or tuple(found.values())[:10]


def _is_defined(line: Line) -> bool:
    return any(not math.isnan(cell.mean) for cell in line.cells)


def _line(findings: Findings, metric: str) -> Line:
    label, unit, better = findings.labels.get(metric) or LABELS.get(metric, (metric, "", ""))
    bounds = _bounds(metric, unit)
    cells = tuple(_cell(arm, metric, bounds) for arm in findings.arms)
    if any(cell.over == "people" for cell in cells):
        # Over people a count becomes an amount of each person, which the unit has to say.
        unit = unit or "per person"
    contrasts = tuple(
        _contrast(found, better, bounds) for found in findings.differences if found.metric == metric
    )
    return Line(metric, label, unit, better, cells, contrasts)


def _bounds(metric: str, unit: str) -> Bounds:
    """Return between which values a built-in metric can lie; of others nothing is known."""
    if metric not in LABELS:
        return ANY
    if unit.startswith(("share", "0 to 1")):
        return SHARE
    return (1.0, 5.0) if unit == "stars" else POSITIVE


def _cell(arm: Arm, metric: str, bounds: Bounds) -> ArmCell:
    mean, over = level(arm, metric, bounds)
    return ArmCell(arm.name, *mean.three, mean.count, over)


def _contrast(found: Difference, better: str, bounds: Bounds) -> Contrast:
    scale = 100.0 / abs(found.reference_mean) if found.reference_mean else math.nan
    apart = bounds[1] - bounds[0]
    bounded = Interval(found.difference, found.low, found.high).within((-apart, apart))
    return Contrast(
        found.other,
        found.reference,
        *bounded.three,
        bounded.mean * scale,
        bounded.low * scale,
        bounded.high * scale,
        found.pairs,
        found.over,
        _judgement(found, better),
    )


def _judgement(found: Difference, better: str) -> str:
    if math.isnan(found.low) or math.isnan(found.high):
        return ""
    if not found.is_clear:
        return "unclear"
    if better not in ("higher", "lower"):
        return "different"
    return "better" if (found.difference > 0) == (better == "higher") else "worse"
