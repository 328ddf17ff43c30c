"""The summary of findings: a line per metric, with its arms and its judged differences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec

from audience.metrics import LABELS, OPTIONAL
from audience.results.findings import Arm, Difference, Findings, Label, level
from audience.results.interval import (
    ANY,
    CORRELATION,
    POSITIVE,
    SHARE,
    Bounds,
    Interval,
)
from audience.results.judgement import Judgements, judged

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
    """As `judged` returns it."""


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
    judgements = judged(findings)
    if findings.labels:
        return tuple(_line(findings, name, judgements) for name in findings.labels)
    names: dict[str, None] = {}
    for arm in findings.arms:
        for run in arm.runs:
            names.update(dict.fromkeys(run.totals))
    names.pop("round", None)
    order = {name: place for place, name in enumerate(LABELS)}
    ordered = sorted(names, key=lambda name: order.get(name, len(order)))
    lines = (_line(findings, name, judgements) for name in ordered)
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


def _line(findings: Findings, metric: str, judgements: Judgements) -> Line:
    label, unit, better = findings.labels.get(metric) or LABELS.get(metric, (metric, "", ""))
    bounds = bounds_of(metric, unit)
    cells = tuple(_cell(arm, metric, bounds) for arm in findings.arms)
    unit = unit or _unit_of_count(metric, label, {cell.over for cell in cells})
    contrasts = tuple(
        _contrast(difference, judgements[difference.other, metric], bounds)
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


def _contrast(difference: Difference, judgement: str, bounds: Bounds) -> Contrast:
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
        judgement,
    )
