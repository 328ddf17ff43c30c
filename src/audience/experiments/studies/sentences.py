"""Sentences that follow from numbers: which way, by how much, how sure; or that nothing shows."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from audience.experiments.findings import Arm, Difference, Findings, Label, differ
from audience.metrics import LABELS
from audience.results import ANY, SHARE, Interval, shown, t_interval

_HEAD = re.compile(r" (?:of|for|in|on|with|among|that|who|whose|about|said|shown|by)\b|,")


def arm_of(findings: Findings, name: str) -> Arm | None:
    """Return an arm by its name; a changed study may have left it out."""
    return next((arm for arm in findings.arms if arm.name == name), None)


def label_of(findings: Findings, metric: str) -> Label:
    return findings.labels.get(metric) or LABELS.get(metric, (metric, "", ""))


def between(findings: Findings, metric: str, reference: str, other: str) -> Difference | None:
    """Return the paired difference of two arms, where both are there."""
    first, second = arm_of(findings, reference), arm_of(findings, other)
    return differ(first, second, metric) if first and second else None


def is_clear(one: Difference | None) -> bool:
    """Say whether an interval there is excludes zero."""
    return one is not None and not math.isnan(one.low) and one.is_clear


def level(findings: Findings, metric: str, name: str) -> str:
    """Return an arm's mean with its interval; that of a share ends where shares do."""
    arm = arm_of(findings, name)
    if arm is None:
        return "–"
    is_share = label_of(findings, metric)[1].startswith("share")
    return shown(*t_interval(arm.values(metric), SHARE if is_share else ANY).three)


def amount(one: Difference) -> str:
    """Return a difference with its interval."""
    return shown(one.difference, one.low, one.high, signed=True)


def clause(findings: Findings, metric: str, reference: str, other: str) -> str:
    """Return one comparison in words, without a full stop; nothing where an arm is missing."""
    one = between(findings, metric, reference, other)
    if one is None:
        return ""
    label, unit, _ = label_of(findings, metric)
    name = label[:1].lower() + label[1:] if label[:2] != label[:2].upper() else label
    pairs = f"{one.pairs} {one.over}"
    if math.isnan(one.difference):
        return f"too little happened to compare {other} with {reference}: {name}"
    if not is_clear(one):
        return (
            f"no difference in {name} could be shown between {other} and {reference} "
            f"({amount(one)}{_spaced(unit)}, {pairs})"
        )
    word = "higher" if one.difference > 0 else "lower"
    return (
        f"{name} {_verb(label)} {word} with {other} than with {reference} "
        f"({amount(one)}{_spaced(unit)}, {pairs})"
    )


def sentence(clauses: Sequence[str]) -> str:
    """Return clauses as one sentence."""
    said = [one for one in clauses if one]
    if not said:
        return "The arms that this study compares are not there, so nothing was found."
    whole = "; ".join(said)
    return f"{whole[:1].upper()}{whole[1:]}."


def against_zero(findings: Findings, metric: str, name: str) -> tuple[float, float, float]:
    """Return mean, low and high of an arm's number over seeds."""
    arm = arm_of(findings, name)
    return (t_interval(arm.values(metric)) if arm else Interval()).three


def judged(
    findings: Findings, metric: str, name: str, *, above: str, below: str, neither: str
) -> str:
    """Return which of three things an arm's number says: above zero, below it, or neither."""
    mean, low, high = against_zero(findings, metric, name)
    label, unit, _ = label_of(findings, metric)
    if math.isnan(mean):
        return f"too little happened with {name} to tell: {label[:1].lower()}{label[1:]}"
    said = above if low > 0.0 else below if high < 0.0 else neither
    return f"{said} ({shown(mean, low, high, signed=True)}{_spaced(unit)} with {name})"


def _verb(label: str) -> str:
    """Return whether what a label names is one or many."""
    head = _HEAD.split(label, maxsplit=1)[0]
    return "are" if head.endswith(("s", "People")) and not head.endswith("ss") else "is"


def _spaced(unit: str) -> str:
    return f" {unit}" if unit and not unit.startswith(("share", "0 to", "-1 to")) else ""
