"""Comparing: scenarios, arms x seeds, interventions, reports."""

from audience.experiments.api import embedded_scenario, load_interventions, run
from audience.experiments.compare import compared, condition, first_difference, parting
from audience.experiments.experiment import (
    Outcome,
    conduct,
    findings,
    gathered,
    is_experiment,
    scenario_of,
)
from audience.experiments.export import export
from audience.experiments.findings import Arm, Difference, Findings, Measured
from audience.experiments.report import write as write_report
from audience.experiments.runs import (
    Finished,
    Progress,
    Quiet,
    branch,
    measured,
    measured_upto,
    prolong,
    resume,
    start,
)
from audience.experiments.scenario import Part, Scenario, changed, load, parse
from audience.experiments.story import person_at, story
from audience.experiments.trying import try_recommender

__all__ = [
    "Arm",
    "Difference",
    "Findings",
    "Finished",
    "Measured",
    "Outcome",
    "Part",
    "Progress",
    "Quiet",
    "Scenario",
    "branch",
    "changed",
    "compared",
    "condition",
    "conduct",
    "embedded_scenario",
    "export",
    "findings",
    "first_difference",
    "gathered",
    "is_experiment",
    "load",
    "load_interventions",
    "measured",
    "measured_upto",
    "parse",
    "parting",
    "person_at",
    "prolong",
    "resume",
    "run",
    "scenario_of",
    "start",
    "story",
    "try_recommender",
    "write_report",
]
