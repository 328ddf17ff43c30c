"""Deprecated names: see `audience.scenario`, `audience.results` and `audience.runs`."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

_NAMES = {
    "results": ("Arm Difference Findings Measured write_report"),
    "runs": (
        "Finished Outcome Progress Quiet Run WORDS ask branch compared condition conduct "
        "drawn_instead embedded_scenario estimate export findings first_difference "
        "gathered is_experiment load_any load_interventions make_room measured "
        "measured_upto person_at plain_comparison prolong remember_answers resume run "
        "scenario_of settle_people start story try_recommender verify write_people"
    ),
    "scenario": ("Part Scenario arms_of changed load parse"),
}
_RENAMED = {"Estimate": "CostEstimate", "play": "play_person"}


def __getattr__(name: str) -> Any:  # noqa: ANN401
    for room, names in _NAMES.items():
        if name in names.split() or (room == "runs" and name in _RENAMED):
            there = f"audience.{room}"
            new = _RENAMED.get(name, name)
            warnings.warn(
                f"audience.experiments.{name} is now {there}.{new}; the old name goes with 0.3",
                DeprecationWarning,
                stacklevel=2,
            )
            return getattr(import_module(there), new)
    raise AttributeError(f"module 'audience.experiments' has no attribute {name!r}")
