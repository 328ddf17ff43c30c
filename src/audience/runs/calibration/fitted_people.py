"""Rule minds fitted to the past of a scenario's data, wherever there is one.

Only what is quick to fit and holds on any platform: what people prefer, and how they rate. How long
they visit depends on the platform; `audience eval calibration` fits that too.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import msgspec

from audience.agents.rule import RuleParameters
from audience.datasets import Corpus, Loaded, chosen, halves, split_options
from audience.datasets.loaders import Folder
from audience.errors import BadInput
from audience.grounding import RATING, WEIGHTS, fit_bounds, fit_enjoyment, live_visits
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

RULE = "rule"
PEOPLE = 2000
"""People that are fitted on and checked on at most."""
FEWEST = 40
"""With fewer people nothing is fitted."""
QUICK = CalibrationOptions(agents=200, max_pages=5)


class FittedPeople(msgspec.Struct, frozen=True):
    """A scenario with fitted minds, and what was fitted in a sentence; empty if nothing was."""

    scenario: Scenario
    note: str = ""


def with_fitted_people(scenario: Scenario) -> FittedPeople:
    """Return a scenario whose rule minds prefer and rate as the people of its data did.

    A scenario that sets any of these parameters itself, or names a file of them, stays as it is.
    """
    mind = scenario.mind
    if mind.kind != RULE or {"parameters", *WEIGHTS, *RATING} & set(mind.options):
        return FittedPeople(scenario)
    corpus = corpus_of(scenario.dataset)
    if corpus is None or len(corpus.people) < FEWEST or not len(corpus.lived):
        return FittedPeople(scenario)
    found, notes = fit_people(corpus, scenario.seed)
    if not found:
        return FittedPeople(scenario, _sentence(corpus.name, found, notes))
    part = Part(mind.kind, {**mind.options, **found})
    fitted = msgspec.structs.replace(scenario, mind=part)
    return FittedPeople(fitted, _sentence(corpus.name, found, notes))


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
def fit_people(corpus: Corpus, seed: int) -> tuple[dict[str, float], tuple[str, ...]]:
    """Return what people of a corpus prefer and how they rate, and remarks on the fit.

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
    if len(fitted_on.real.stars) < FEWEST:
        return found, notes
    checked_on = half_of(others, options, fitted_on.genesis.catalogue)
    found |= fit_enjoyment(fitted_on.lives, fitted_on.agents, fitted_on.genesis.catalogue)
    stages = [stage_for(half, fitted_on, options) for half in (fitted_on, checked_on)]
    makes = [maker_of(options, half.genesis) for half in (fitted_on, checked_on)]
    found |= fit_bounds(fitted_on.real, stages[0], makes[0], found)
    before = live_visits(makes[1]({}), stages[1])
    found, more = kept(found, checked_on.real, makes[1], stages[1], before)
    return found, (*notes, *more)


def _sentence(name: str, found: Mapping[str, float], notes: tuple[str, ...]) -> str:
    usual = msgspec.to_builtins(RuleParameters())
    moved = [f"{key} {found[key]:.2f} ({usual[key]:.2f})" for key in WEIGHTS if key in found]
    moved += ["enjoyment and stars"] if set(RATING) & set(found) else []
    if not moved:
        return f"Rule minds are as usual; {'; '.join(notes)}." if notes else ""
    said = f"Rule minds fitted to half of the people of {name}: {', '.join(moved)}"
    return f"{'; '.join([said, *notes])}. Set any of them under [mind] to choose for yourself."
