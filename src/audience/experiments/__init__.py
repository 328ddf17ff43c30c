"""Comparing: scenarios, arms x seeds, interventions, reports."""

from audience.experiments.api import embedded_scenario, load_interventions, run
from audience.experiments.asking import ask
from audience.experiments.asking import remember as remember_answers
from audience.experiments.compare import (
    compared,
    condition,
    first_difference,
    plain_comparison,
)
from audience.experiments.estimate import Estimate, estimate
from audience.experiments.experiment import (
    Outcome,
    conduct,
    findings,
    gathered,
    is_experiment,
    scenario_of,
    verify,
)
from audience.experiments.export import export
from audience.experiments.findings import Arm, Difference, Findings, Measured
from audience.experiments.folders import make_room
from audience.experiments.going import Finished, Progress, Quiet
from audience.experiments.loaded import Run, load_any
from audience.experiments.measuring import measured, measured_upto
from audience.experiments.people import drawn_instead, settle_people, write_people
from audience.experiments.playing import play
from audience.experiments.report import write as write_report
from audience.experiments.runs import branch, prolong, resume, start
from audience.experiments.scenario import Part, Scenario, arms_of, changed, load, parse
from audience.experiments.story import WORDS, person_at, story
from audience.experiments.trying import try_recommender

__all__ = [
    "WORDS",
    "Arm",
    "Difference",
    "Estimate",
    "Findings",
    "Finished",
    "Measured",
    "Outcome",
    "Part",
    "Progress",
    "Quiet",
    "Run",
    "Scenario",
    "arms_of",
    "ask",
    "branch",
    "changed",
    "compared",
    "condition",
    "conduct",
    "drawn_instead",
    "embedded_scenario",
    "estimate",
    "export",
    "findings",
    "first_difference",
    "gathered",
    "is_experiment",
    "load",
    "load_any",
    "load_interventions",
    "make_room",
    "measured",
    "measured_upto",
    "parse",
    "person_at",
    "plain_comparison",
    "play",
    "prolong",
    "remember_answers",
    "resume",
    "run",
    "scenario_of",
    "settle_people",
    "start",
    "story",
    "try_recommender",
    "verify",
    "write_people",
    "write_report",
]
