"""The verdict in words: which arm is better, by how much, and when nothing of the kind is said."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

import msgspec

from audience.metrics import LABELS
from audience.results import (
    CLEAR,
    LEAST_SEEDS,
    NO_VERDICT,
    SEEN,
    Arm,
    Band,
    Difference,
    Findings,
    Lead,
    judged,
    lead_in,
    level,
    obstacle,
    shown,
    withheld,
)

HEADLINE = "satisfaction"
SPREAD_HEADLINE = "reach"
FOR_VERDICT = ("picks", "return_rate", "minutes_per_visit")
MORE_SEEDS = f"Fewer than three seeds give no verdict; for one, use --seeds {LEAST_SEEDS} or more."


def declared_in(metrics: Collection[str]) -> str:
    """Return the metric that a verdict is about."""
    return SPREAD_HEADLINE if SPREAD_HEADLINE in metrics else HEADLINE


def verdict(findings: Findings) -> str:
    """Return which arm serves the audience better, by how much, with its interval.

    Where minds failed too often, seeds are too few or an arm is marked, say so instead.
    """
    arms = findings.arms
    reason = withheld(arms)
    if reason:
        return reason
    if len(arms) < 2:
        totals = arms[0].runs[0].totals
        if SPREAD_HEADLINE in totals:
            return spread_verdict(totals)
        (clicks, over), (satisfaction, _) = level(arms[0], "click_rate"), level(arms[0], HEADLINE)
        mean = f", means over {over}" if over else ""
        return (
            f"{arms[0].name}: {_said(totals['picks'], ',.0f')} picks on "
            f"{_said(totals['pages'], ',.0f')} pages; click rate {_said(clicks.mean, '.1%')}, "
            f"satisfaction {_said(satisfaction.mean, '.3f')}{mean}."
        )
    return " ".join(_sentence(findings, other) for other in arms[1:])


def spread_verdict(totals: Mapping[str, float]) -> str:
    """Return the reach of topics, and the emotions and views of those who know of them."""
    positive = totals["positive"]
    view = "nobody has a view" if math.isnan(positive) else f"{positive:.0%} of views are for it"
    return (
        f"{_said(totals['reach'], '.1%')} of people know, after "
        f"{_said(totals['told'], ',.0f')} messages; "
        f"emotion {_said(totals['emotion'], '.2f')}, {view}; largest cascade "
        f"{_said(totals['cascade_scale'], ',.0f')} messages, "
        f"{_said(totals['cascade_depth'], ',.0f')} deep."
    )


def _said(value: float, digits: str) -> str:
    """Return a number as part of a sentence."""
    return format(value, digits) if math.isfinite(value) else "unknown"


def _sentence(findings: Findings, second: Arm) -> str:
    first, other = findings.arms[0], second.name
    reference = first.name
    by_metric = {each.metric: each for each in findings.differences if each.other == other}
    head = by_metric[findings.declared or declared_in(by_metric)]
    levels = tuple(shown(level(arm, head.metric)[0].mean) for arm in (first, second))
    if head.difference == head.low == head.high == 0.0 and levels[0] == levels[1]:
        label = LABELS[head.metric][0].lower()
        return f"No difference between {other} and {reference}: {label} {levels[0]} with both."
    if math.isnan(head.difference):
        label = LABELS[head.metric][0].lower()
        return f"Too little happened to compare {other} with {reference}: {label}."
    why = obstacle(findings, head)
    told = _told(head, *levels)
    better, worse = (other, reference) if head.difference > 0 else (reference, other)
    there = lead_in(findings.band, head)
    elsewhere = _elsewhere(there, better, worse) if there else ""
    if math.isnan(head.low) or not head.is_clear:
        more = MORE_SEEDS if why == SEEN else "More people, rounds or seeds would tell more."
        return f"No clear difference between {other} and {reference}: {told}.{elsewhere} {more}"
    if why:
        return (
            f"{better} is ahead of {worse}, which is no verdict: {told}.{elsewhere} "
            f"{_reason(findings, head)}"
        )
    judgements = judged(findings)
    rest = [name for name in FOR_VERDICT if judgements.get((other, name)) in CLEAR]
    also = f" Also: {', '.join(_briefly(by_metric[name]) for name in rest)}." if rest else ""
    but = f", but that depends on {there.depends_on}" if there and there.flips else ""
    return f"{better} serves this audience better than {worse}{but}: {told}.{also}{elsewhere}"


def _elsewhere(there: Lead, better: str, worse: str) -> str:
    """Return in how many other settings of people the leader stays ahead, and where it does not."""
    said = (
        f" Before other people, {better} stays ahead in {there.stays} of {there.settings} settings"
        f" (clearly in {there.clear})"
    )
    names = ", ".join(setting.name for setting in there.flips)
    return f"{said}; {worse} is clearly ahead with {names}." if names else f"{said}."


def with_band(findings: Findings, band: Band | None, note: str = "") -> Findings:
    """Return findings whose verdict says how it fares before other audiences."""
    notes = (*findings.notes, note) if note else findings.notes
    there = msgspec.structs.replace(findings, band=band, notes=notes)
    return msgspec.structs.replace(there, verdict=verdict(there))


def _reason(findings: Findings, head: Difference) -> str:
    """Return why a clear difference is no verdict."""
    marked = [
        f"{name} is {findings.marks[name]}"
        for name in (head.reference, head.other)
        if findings.marks.get(name) in NO_VERDICT
    ]
    if not marked:
        return MORE_SEEDS
    return (
        f"{' and '.join(marked)}: judged by minds that reason as it does. For a verdict, judge by "
        "minds that do not, as with --mind rule."
    )


def _briefly(difference: Difference) -> str:
    label = LABELS[difference.metric][0].lower()
    if not difference.reference_mean:
        return (
            f"{label} {shown(difference.difference, difference.low, difference.high, signed=True)}"
        )
    low, high = _percent(difference, difference.low), _percent(difference, difference.high)
    return f"{label} {difference.percent:+.1f} % [{low}, {high}]"


def _percent(difference: Difference, bound: float) -> str:
    return f"{100.0 * bound / abs(difference.reference_mean):+.1f}"


def _told(difference: Difference, reference: str, other: str) -> str:
    label = LABELS[difference.metric][0].lower()
    if math.isnan(difference.low) or not difference.reference_mean:
        minus = f"{difference.other} minus {difference.reference}"
        return f"{label} {difference.difference:+.3g} ({minus})"
    return (
        f"{label} {reference} with {difference.reference}, {other} with {difference.other} "
        f"({difference.percent:+.1f} %, 95 % interval {_percent(difference, difference.low)} to "
        f"{_percent(difference, difference.high)} % over {difference.pairs:,} {difference.over})"
    )
