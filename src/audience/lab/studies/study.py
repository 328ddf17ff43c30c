"""What a study consists of: metrics, charts, and an answer that follows from the numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from audience.metrics import LABELS, Metric
from audience.results import (
    Arm,
    Difference,
    Findings,
    Interval,
    Label,
    bounds_of,
    differ,
    shown,
    t_interval,
)
from audience.scenario import Options, Scenario
from audience.world import Genesis

RULE = "rule"
"""The kind of minds that read no words."""
DRAWN = ("films", "books")
"""Datasets whose people are drawn, with their past and their ties."""


class Chart(msgspec.Struct, frozen=True):
    """One figure: `rounds`, `bars`, `levels`, two numbers `against` each other, or `edges`."""

    name: str
    kind: str
    metrics: tuple[str, ...]
    title: str = ""
    caption: str = ""
    ticks: tuple[str, ...] = ()
    """The labels of the groups of bars."""


class Setting(msgspec.Struct, frozen=True):
    """What a study may look at before a run begins."""

    arm: str
    scenario: Scenario
    genesis: Genesis
    seed: int
    options: Mapping[str, Any]
    """The `[study]` table, without what every study has."""

    @property
    def change_round(self) -> int:
        """The round in which something changes: after the share `at` of the rounds."""
        return max(1, min(self.scenario.rounds, round(self.option("at", 0.5) * self.rounds) + 1))

    @property
    def rounds(self) -> int:
        return self.scenario.rounds

    def option(self, name: str, default: float) -> float:
        value = self.options.get(name, default)
        return float(value) if isinstance(value, (int, float)) else default


class StudyFindings(Findings, frozen=True):
    """Findings together with the scenario of every arm."""

    variants: tuple[Scenario, ...] = ()

    @property
    def has_rule_minds(self) -> bool:
        """Whether the people of any arm have rule minds."""
        return any(variant.mind.kind == RULE for variant in self.variants)

    def sets_rule(self, parameter: str) -> bool:
        """Return True if the rule minds of any arm are given this parameter."""
        minds = (variant.mind for variant in self.variants)
        return any(mind.kind == RULE and parameter in mind.options for mind in minds)


class Study(msgspec.Struct, frozen=True):
    """How a question is measured and answered; the runs themselves are a scenario with arms."""

    name: str
    labels: dict[str, Label]
    """The numbers of its report, in order."""
    charts: tuple[Chart, ...]
    finding: Callable[[StudyFindings], str]
    """The answer in one sentence; from the numbers alone, also if they show nothing."""
    metrics: Callable[[Setting], list[Metric]] = lambda setting: []
    """Metrics besides the built-in ones, folded over the log of one run."""
    changes: Callable[[Setting], list[Options]] = lambda setting: []
    """Interventions that depend on the genesis, as a scenario writes them."""
    options: tuple[str, ...] = ()
    """What its `[study]` table may hold besides kind, question and method."""
    notes: tuple[str, ...] = ()
    """What every reader must know."""
    rule_notes: tuple[str, ...] = ()
    """What a reader must know where any arm has rule minds."""
    remarks: Callable[[StudyFindings], Sequence[str]] = lambda findings: ()
    """What else a reader of these very findings must know."""
    branches: bool = False
    """Whether all arms are one run until something changes, and branch there."""
    percent: bool = True
    """Whether a figure shows every arm in % of the first: not if numbers are not amounts."""
    asks: str = ""
    """What some people of every arm are asked at the end, if minds speak."""
    recipe: str = ""
    """The study as TOML, with its `[study]` table; those of this package lie beside their code."""


def known(*names: str) -> dict[str, Label]:
    """Return the labels of built-in metrics."""
    return {name: LABELS[name] for name in names}


FIRST, SECOND = 0, 1
"""Arms by their place, whatever their names are."""
Clause = Callable[[Findings], str]
"""A part of a study's answer; empty where an arm it needs is missing."""


def answer(*clauses: Clause) -> Clause:
    """Return what puts the findings of a study into one sentence."""
    return lambda findings: sentence([clause_of(findings) for clause_of in clauses])


def comparing(metric: str, reference: str | int, other: str | int) -> Clause:
    """Return the clause on the difference between two arms, given by name or place."""
    return lambda findings: clause(
        findings, metric, _name(findings, reference), _name(findings, other)
    )


def judging(metric: str, arm: str | int = FIRST, *, above: str, below: str, neither: str) -> Clause:
    """Return the clause on whether an arm's number is above zero, below it, or neither."""
    return lambda findings: judged(
        findings, metric, _name(findings, arm), above=above, below=below, neither=neither
    )


def _name(findings: Findings, arm: str | int) -> str:
    return findings.arms[arm].name if isinstance(arm, int) else arm


_HEAD = re.compile(r" (?:of|for|in|on|with|among|that|who|whose|about|said|shown|by)\b|,")


def arm_of(findings: Findings, name: str) -> Arm | None:
    """Return an arm by its name; None if a changed study left it out."""
    return next((arm for arm in findings.arms if arm.name == name), None)


def label_of(findings: Findings, metric: str) -> Label:
    return findings.labels.get(metric) or LABELS.get(metric, (metric, "", ""))


def between(findings: Findings, metric: str, reference: str, other: str) -> Difference | None:
    """Return the paired difference of two arms; None if either is missing."""
    first, second = arm_of(findings, reference), arm_of(findings, other)
    return differ(first, second, metric) if first and second else None


def is_clear(difference: Difference | None) -> bool:
    """Return True if there is an interval and it excludes zero."""
    return difference is not None and not math.isnan(difference.low) and difference.is_clear


def level(findings: Findings, metric: str, name: str) -> str:
    """Return an arm's mean with its interval, which ends where the possible values do."""
    arm = arm_of(findings, name)
    if arm is None:
        return "–"
    bounds = bounds_of(metric, label_of(findings, metric)[1])
    return shown(*t_interval(arm.values(metric), bounds).three)


def amount(difference: Difference) -> str:
    """Return a difference with its interval."""
    return shown(difference.difference, difference.low, difference.high, signed=True)


def clause(findings: Findings, metric: str, reference: str, other: str) -> str:
    """Return one comparison in words, without a full stop; empty if an arm is missing."""
    difference = between(findings, metric, reference, other)
    if difference is None:
        return ""
    label, unit, _ = label_of(findings, metric)
    name = label[:1].lower() + label[1:] if label[:2] != label[:2].upper() else label
    pairs = f"{difference.pairs} {difference.over}"
    if math.isnan(difference.difference):
        return f"too little happened to compare {other} with {reference}: {name}"
    if not is_clear(difference):
        return (
            f"no difference in {name} could be shown between {other} and {reference} "
            f"({amount(difference)}{_spaced(unit)}, {pairs})"
        )
    word = "higher" if difference.difference > 0 else "lower"
    return (
        f"{name} {_verb(label)} {word} with {other} than with {reference} "
        f"({amount(difference)}{_spaced(unit)}, {pairs})"
    )


def sentence(clauses: Sequence[str]) -> str:
    """Return clauses as one sentence."""
    parts = [part for part in clauses if part]
    if not parts:
        return "The arms that this study compares are missing, so nothing was found."
    whole = "; ".join(parts)
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
    text = above if low > 0.0 else below if high < 0.0 else neither
    return f"{text} ({shown(mean, low, high, signed=True)}{_spaced(unit)} with {name})"


def _verb(label: str) -> str:
    """Return `are` if a label names several things, else `is`."""
    head = _HEAD.split(label, maxsplit=1)[0]
    return "are" if head.endswith(("s", "People")) and not head.endswith("ss") else "is"


def _spaced(unit: str) -> str:
    hidden = ("share", "0 to", "-1 to", "difference", "relative")
    return f" {unit}" if unit and not unit.startswith(hidden) else ""
