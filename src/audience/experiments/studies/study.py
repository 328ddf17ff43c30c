"""What a study is: measures of its own, charts, and a sentence that follows from the numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from audience.experiments.findings import Findings, Label
from audience.experiments.scenario import Options, Scenario
from audience.metrics import LABELS, Metric
from audience.world import Genesis

RULE = "rule"
"""The kind of minds that read no words."""
DRAWN = ("films", "books")
"""Datasets whose people are drawn, with their past and their ties."""


class Chart(msgspec.Struct, frozen=True):
    """One figure: `rounds` of one number, `bars` of several, `against` one another, `edges`."""

    name: str
    kind: str
    metrics: tuple[str, ...]
    title: str = ""
    caption: str = ""
    ticks: tuple[str, ...] = ()
    """What stands under each group of bars."""


class Setting(msgspec.Struct, frozen=True):
    """What a study may look at before a run begins."""

    arm: str
    scenario: Scenario
    genesis: Genesis
    seed: int
    options: Mapping[str, Any]
    """The `[study]` table, less what every study has."""

    @property
    def change_round(self) -> int:
        """The round in which something changes: after the share `at` of the rounds."""
        return max(1, min(self.scenario.rounds, round(self.option("at", 0.5) * self.rounds) + 1))

    @property
    def rounds(self) -> int:
        return self.scenario.rounds

    def option(self, name: str, default: float) -> float:
        found = self.options.get(name, default)
        return float(found) if isinstance(found, (int, float)) else default


class StudyFindings(Findings, frozen=True):
    """Findings together with what was run: the scenario of every arm."""

    variants: tuple[Scenario, ...] = ()

    @property
    def has_rule_minds(self) -> bool:
        """Whether the people of any arm have rule minds."""
        return any(variant.mind.kind == RULE for variant in self.variants)

    def sets_rule(self, parameter: str) -> bool:
        """Return whether the rule minds of any arm are given this parameter."""
        minds = (variant.mind for variant in self.variants)
        return any(mind.kind == RULE and parameter in mind.options for mind in minds)


def _no_changes(setting: Setting) -> list[Options]:
    del setting
    return []


def _no_metrics(setting: Setting) -> list[Metric]:
    del setting
    return []


def _no_remarks(findings: StudyFindings) -> list[str]:
    del findings
    return []


class Study(msgspec.Struct, frozen=True):
    """How a question is measured and answered; the runs themselves are a scenario with arms."""

    name: str
    labels: dict[str, Label]
    """The numbers of its report, in order."""
    charts: tuple[Chart, ...]
    finding: Callable[[StudyFindings], str]
    """The answer in one sentence; from the numbers alone, also when they show nothing."""
    metrics: Callable[[Setting], list[Metric]] = _no_metrics
    """Measures besides the built-in ones, folded over the log of one run."""
    changes: Callable[[Setting], list[Options]] = _no_changes
    """Interventions that depend on who and what there is, as a scenario writes them."""
    options: tuple[str, ...] = ()
    """What its `[study]` table may hold besides kind, question and method."""
    remarks: Callable[[StudyFindings], Sequence[str]] = _no_remarks
    """What a reader of these very findings must know, such as what minds cannot do."""
    branches: bool = False
    """Whether all arms are one run until something changes, and branch there."""
    percent: bool = True
    """Whether a figure shows every arm in % of the first: not where numbers are no amounts."""
    asks: str = ""
    """What some people of every arm are asked at the end, where minds speak."""


def known(*names: str) -> dict[str, Label]:
    """Return the labels of built-in metrics."""
    return {name: LABELS[name] for name in names}
