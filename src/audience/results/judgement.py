"""Judgement of differences: clear or not after Holm's correction, and whether that is better."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from audience.metrics import LABELS
from audience.results.findings import Difference, Findings
from audience.results.interval import t95

ALPHA = 0.05
LEAST_SEEDS = 3
"""Fewer never give a `better`: two audiences that agree are a coincidence too often."""
BETTER, WORSE, DIFFERENT, SEEN, UNCLEAR, UNTESTED = (
    *("better", "worse", "different"),
    *("seen", "unclear", ""),
)
CLEAR = (BETTER, WORSE, DIFFERENT)
CIRCULAR, ALIKE, SHARED = "circular", "alike", "shared"
NO_VERDICT = (CIRCULAR, ALIKE)
"""Marks of arms that are never called better or worse."""
Judgements = Mapping[tuple[str, str], str]
"""By the other arm and the metric."""


def p_value(difference: Difference) -> float:
    """Return the two-sided p of Student's t behind a 95 % interval; NaN if there is none."""
    half = (difference.high - difference.low) / 2.0
    if math.isnan(half):
        return math.nan
    if half <= 0.0:
        return 0.0 if difference.difference else 1.0
    from scipy.special import stdtr

    freedom = difference.pairs - 1
    return float(2.0 * stdtr(freedom, -t95(freedom) * abs(difference.difference) / half))


def holm(values: Sequence[float]) -> list[bool]:
    """Return which of several p values are clear together, by Holm's step-down; NaN is not.

    With a single value this is the plain test.
    """
    tested = sorted((p, place) for place, p in enumerate(values) if not math.isnan(p))
    clear = [False] * len(values)
    for rank, (p, place) in enumerate(tested):
        if p > ALPHA / (len(tested) - rank):
            break
        clear[place] = True
    return clear


def judged(findings: Findings) -> Judgements:
    """Return the judgement of every difference.

    `better`, `worse`, `different` (clear, but neither direction is better), `unclear`, or empty if
    there is no interval. What is clear but no verdict is `seen` with fewer than three seeds, and
    `circular` or `alike` if one of the two arms is marked so. For each arm the declared metric is
    tested alone, then those looked at together, then all others together, with Holm's correction.
    """
    families: dict[tuple[str, int], list[Difference]] = {}
    for difference in findings.differences:
        place = _family(findings, difference.metric)
        families.setdefault((difference.other, place), []).append(difference)
    judgements: dict[tuple[str, str], str] = {}
    for family in families.values():
        clear = holm([p_value(difference) for difference in family])
        for difference, is_clear in zip(family, clear, strict=True):
            key = difference.other, difference.metric
            judgements[key] = _judgement(findings, difference, is_clear=is_clear)
    return judgements


def _family(findings: Findings, metric: str) -> int:
    if metric == findings.declared:
        return 0
    return 1 if metric in findings.looked_at else 2


def obstacle(findings: Findings, difference: Difference) -> str:
    """Return why a difference can be no verdict: `circular`, `alike` or `seen`; empty if it can."""
    marks = {findings.marks.get(name) for name in (difference.reference, difference.other)}
    for mark in NO_VERDICT:
        if mark in marks:
            return mark
    few = difference.over != "seeds" or difference.pairs < LEAST_SEEDS
    return SEEN if few else ""


def _judgement(findings: Findings, difference: Difference, *, is_clear: bool) -> str:
    if math.isnan(difference.low) or math.isnan(difference.high):
        return UNTESTED
    if not is_clear:
        return UNCLEAR
    if reason := obstacle(findings, difference):
        return reason
    label = findings.labels.get(difference.metric) or LABELS.get(difference.metric, ("", "", ""))
    if label[2] not in ("higher", "lower"):
        return DIFFERENT
    return BETTER if (difference.difference > 0) == (label[2] == "higher") else WORSE
