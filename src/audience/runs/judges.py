"""Who judges: people who know where a scenario does not say, and rule minds fitted to the past."""

from __future__ import annotations

from pathlib import Path

import msgspec

from audience.errors import BadInput
from audience.grounding import TooFew, grounds_of
from audience.results import Fitting
from audience.runs.calibration import with_fitted_people
from audience.runs.marks import as_tree, can_be_apart
from audience.scenario import PRESETS, Part, Scenario, genesis_of
from audience.toml_reader import read_toml, text_file
from audience.world import Genesis


class Judges(msgspec.Struct, frozen=True):
    """A scenario with the minds that judge, and a sentence about them if they were chosen here."""

    scenario: Scenario
    note: str = ""


class Audience(msgspec.Struct, frozen=True):
    """A scenario with the people who judge, what is to be said of them, and what they fit."""

    scenario: Scenario
    notes: tuple[str, ...] = ()
    fitting: Fitting | None = None


def audience_of(scenario: Scenario, *, is_named: bool) -> Audience:
    """Return a scenario with its judges if no mind `is_named`, and with fitted rule minds."""
    judges = Judges(scenario) if is_named else with_judges(scenario)
    fitted = with_fitted_people(judges.scenario)
    notes = tuple(filter(None, (judges.note, fitted.note)))
    return Audience(fitted.scenario, notes, fitted.fitting)


def names_mind(path: Path) -> bool:
    """Return whether a scenario file, or any arm of it, says by which minds people decide."""
    return tells_mind(text_file(path)) if path.is_file() else str(path) in PRESETS


def tells_mind(text: str) -> bool:
    """Return whether a scenario says by which minds people decide."""
    tree = read_toml(text, "scenario")
    arms = tree.get("arms")
    variants = arms.values() if isinstance(arms, dict) else ()
    return "mind" in tree or any("mind" in arm for arm in variants if isinstance(arm, dict))


def with_judges(scenario: Scenario) -> Judges:
    """Return a scenario that names no mind, judged by those who know where there is a past.

    Where a dataset has real histories, people decide by `grounded` minds, with stars if there are
    any, and what they know comes from other people than those from whom recommenders learn. Drawn
    datasets, and pasts too short to learn from, stay as they are.
    """
    if not can_be_apart(as_tree(scenario.dataset)):
        return Judges(scenario)
    judged, genesis, why = _apart(scenario)
    try:
        if not genesis.evidence:
            return Judges(scenario)
        grounds_of(genesis)
    except TooFew as few:
        return Judges(scenario, f"The past is too short to judge by ({few}): minds are `rule`.")
    stars = any(past.stars for past in genesis.evidence)
    mind = Part("grounded", {"stars": True} if stars else {})
    apart = (
        "who know other people's past than recommenders learn from"
        if genesis.others
        else f"who know the same past as recommenders learn from{why}"
    )
    note = f"Judged by grounded minds{' with stars' * stars}, {apart}; --mind chooses others."
    return Judges(msgspec.structs.replace(judged, mind=mind), note)


def _apart(scenario: Scenario) -> tuple[Scenario, Genesis, str]:
    """Return the scenario with evidence apart if its people can be split, its genesis, and why not.

    A scenario that says `apart` itself is left as it is.
    """
    dataset = scenario.dataset
    if "apart" not in dataset.options:
        part = Part(dataset.kind, {**dataset.options, "apart": True})
        split = msgspec.structs.replace(scenario, dataset=part)
        try:
            return split, genesis_of(split, split.seed), ""
        except BadInput as error:
            return scenario, genesis_of(scenario, scenario.seed), f" ({error})"
    return scenario, genesis_of(scenario, scenario.seed), ""
