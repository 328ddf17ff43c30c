"""Rule minds fitted to the past of a scenario's data, or to the public figures of embedded items.

Only what is quick to fit and holds on any platform: what people prefer, and how they rate. How long
they visit depends on the platform; `audience eval calibration` fits that too.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import msgspec
import numpy as np

from audience.agents.rule import RuleParameters
from audience.datasets import Corpus, Loaded, chosen, embedded_people, halves, split_options
from audience.datasets.loaders import Folder
from audience.errors import BadInput
from audience.grounding import (
    RATING,
    STARS,
    WEIGHTS,
    Sessions,
    fit_bounds,
    fit_completion,
    fit_enjoyment,
    live_visits,
)
from audience.results import FittedFigure, Fitting
from audience.runs.calibration.fit import (
    CalibrationOptions,
    folder_corpus,
    half_of,
    kept,
    maker_of,
    preferences,
    stage_for,
)
from audience.scenario import Part, Scenario, made
from audience.toml_reader import read_toml

RULES = ("rule", "voiced", "tuned")
"""Minds that decide by the parameters of rule minds, at least what follows a pick."""
PEOPLE = 2000
"""People that are fitted on and checked on at most."""
FEWEST = 40
"""With fewer people nothing is fitted."""
QUICK = CalibrationOptions(agents=200, max_pages=5)


class FittedPeople(msgspec.Struct, frozen=True):
    """A scenario with fitted minds, and what was fitted in a sentence; empty if nothing was."""

    scenario: Scenario
    note: str = ""
    fitting: Fitting | None = None


def with_fitted_people(scenario: Scenario) -> FittedPeople:
    """Return a scenario whose rule minds prefer and rate as the people of its data did.

    People of embedded films are fitted to public figures. A scenario that sets any of these
    parameters itself, or names a file of them, stays as it is.
    """
    mind = scenario.mind
    if mind.kind not in RULES or "parameters" in mind.options:
        return FittedPeople(scenario)
    if told := embedded_people(scenario.dataset.kind):
        return _with_public_figures(scenario, told)
    if {"dropped", *WEIGHTS, *RATING} & set(mind.options):
        return FittedPeople(scenario)
    corpus = corpus_of(scenario.dataset)
    if corpus is None or len(corpus.people) < FEWEST or not len(corpus.lived):
        return FittedPeople(scenario)
    found, fitting = fit_people(corpus, scenario.seed)
    said = _sentence(corpus.name, found, fitting.notes)
    if not found:
        return FittedPeople(scenario, said)
    return FittedPeople(_with(scenario, found), said, fitting)


def _with(scenario: Scenario, found: Mapping[str, float]) -> Scenario:
    part = Part(scenario.mind.kind, {**scenario.mind.options, **found})
    return msgspec.structs.replace(scenario, mind=part)


def _with_public_figures(scenario: Scenario, told: str) -> FittedPeople:
    """Return a scenario whose rule minds agree with public figures; `told` is the file of them."""
    tree = read_toml(told, "public figures")
    if set(tree["mind"]) & set(scenario.mind.options):
        return FittedPeople(scenario)
    fitting = Fitting("public figures", msgspec.convert(tree["figures"], tuple[FittedFigure, ...]))
    return FittedPeople(_with(scenario, tree["mind"]), "", fitting)


def corpus_of(dataset: Part) -> Corpus | None:
    """Return the interactions behind a dataset; None where it is drawn or has none."""
    _, options = split_options(dataset.options)
    source = made("datasets", Part(dataset.kind, options))
    if isinstance(source, Loaded):
        return source.corpus()
    if isinstance(source, Folder) and (source.path / "interactions.csv").is_file():
        corpus = folder_corpus(source.path)
        return corpus if len(corpus.people) else None
    return None


@lru_cache(maxsize=2)
def fit_people(corpus: Corpus, seed: int) -> tuple[dict[str, float], Fitting]:
    """Return what people of a corpus prefer and how they rate and finish, and how close that is.

    Half of the people are fitted on; what is no closer to the other half than the usual parameters
    is left out.
    """
    options = msgspec.structs.replace(QUICK, seed=seed)
    some = chosen(corpus, min(PEOPLE, len(corpus.people)), seed, sample=True)
    mine, others = halves(some, seed)
    try:
        found, notes = preferences(mine, others, options)
    except BadInput as error:
        found, notes = {}, (str(error),)
    fitted_on = half_of(mine, options, None)
    real = fitted_on.real
    if len(real.stars) < FEWEST and real.finished is None:
        return found, Fitting(corpus.name, notes=notes)
    checked_on = half_of(others, options, fitted_on.genesis.catalogue)
    stages = [stage_for(half, fitted_on, options) for half in (fitted_on, checked_on)]
    makes = [maker_of(options, half.genesis) for half in (fitted_on, checked_on)]
    if len(real.stars) >= FEWEST:
        found |= fit_enjoyment(fitted_on.lives, fitted_on.agents, fitted_on.genesis.catalogue)
        found |= fit_bounds(real, stages[0], makes[0], found)
    if real.finished is not None:
        found |= fit_completion(real.finished, stages[0], makes[0], found)
    before = live_visits(makes[1]({}), stages[1])
    found, more = kept(found, checked_on.real, makes[1], stages[1], before)
    now = live_visits(makes[1](found), stages[1])
    return found, Fitting(corpus.name, _figures(checked_on.real, now, before), (*notes, *more))


def _figures(real: Sessions, now: Sessions, before: Sessions) -> tuple[FittedFigure, ...]:
    """Return the figures of people who were not fitted on, and of minds in their place."""
    source = "people not fitted on"
    figures = []
    sessions = (real, now, before)
    target, reached, was = (
        each.histograms().get("stars", np.zeros(STARS)).tolist() for each in sessions
    )
    for place, share in enumerate(target if any(target) else ()):
        name = f"{place + 1} star{'s' * (place > 0)}"
        figures.append(FittedFigure(name, share, reached[place], was[place], source))
    if real.finished is not None:
        ends = (real.finished, now.finished or 0.0, before.finished or 0.0)
        figures.append(FittedFigure("watched to the end", *ends, source))
    return tuple(figures)


def _sentence(name: str, found: Mapping[str, float], notes: tuple[str, ...]) -> str:
    usual = msgspec.to_builtins(RuleParameters())
    moved = [f"{key} {found[key]:.2f} ({usual[key]:.2f})" for key in WEIGHTS if key in found]
    moved += ["enjoyment and stars"] if set(RATING) & set(found) else []
    moved += ["what is finished"] if "dropped" in found else []
    if not moved:
        return f"Rule minds are as usual; {'; '.join(notes)}." if notes else ""
    said = f"Rule minds fitted to half of the people of {name}: {', '.join(moved)}"
    return f"{'; '.join([said, *notes])}. Set any of them under [mind] to choose for yourself."
