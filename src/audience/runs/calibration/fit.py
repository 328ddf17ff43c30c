"""Calibration of minds: parameters fitted on one half of real people, checked on the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from audience.agents import BatchMind
from audience.agents.rule import Calibratable, RuleParameters
from audience.datasets import Columns, Corpus, SourceOptions, Training, by_ratio, genesis_of, halves
from audience.datasets.loaders import is_own, read_folder, recognise
from audience.datasets.people import habits_of, traits_of
from audience.errors import BadInput
from audience.files import replace_all
from audience.grounding import (
    MATCHED,
    OTHERS,
    RATING,
    VISITING,
    WEIGHTS,
    Lives,
    Sessions,
    VisitStage,
    by_person,
    divergence,
    fit_enjoyment,
    fit_habits,
    fit_preferences,
    live_visits,
    log_likelihood,
    sessions_of,
    stage_of,
    steps_of,
)
from audience.results import POSITIVE, Calibration, Compared, ratio_interval
from audience.runs.calibration.held_out import choices_held, ratings_held
from audience.scenario import Part, context_of, dump, made
from audience.world import Agent, Catalogue, Clock, Floats, Genesis, Ints, World

HELD = 0.2
"""The latest share of everybody's interactions: held out to check ratings on."""
GROUNDED = "grounded"
Step = Callable[[str], None]
Make = Callable[[Mapping[str, float]], BatchMind]


class CalibrationOptions(msgspec.Struct, frozen=True):
    """How to calibrate."""

    mind: str = "rule"
    agents: int = 200
    page_size: int = 10
    max_pages: int = 60
    gap: float = 60.0
    seed: int = 1
    tries: int = 60
    options: dict[str, Any] = {}
    """Options of the mind that are not fitted."""

    def __post_init__(self) -> None:
        for name in ("agents", "page_size", "max_pages", "tries"):
            if getattr(self, name) < 1:
                raise BadInput(f"{name.replace('_', ' ')}: {getattr(self, name)} is too small")


class FittingHalf(msgspec.Struct, frozen=True, eq=False):
    """Half of the people of a dataset, as agents and as they lived."""

    genesis: Genesis
    agents: tuple[Agent, ...]
    lives: Lives
    real: Sessions


def calibrate(
    path: Path, options: CalibrationOptions, step: Step = lambda message: None
) -> Calibration:
    """Return parameters fitted on half of the people of a dataset, checked on the others."""
    corpus = corpus_at(path)
    split = by_ratio(corpus, HELD)
    mine, others = halves(corpus, options.seed)
    fitted_on = half_of(mine, options, None)
    checked_on = half_of(others, options, fitted_on.genesis.catalogue)
    stages = [stage_for(half, fitted_on, options) for half in (fitted_on, checked_on)]
    makes = [maker_of(options, half.genesis) for half in (fitted_on, checked_on)]
    rates = bool(len(fitted_on.real.stars))
    given, notes = preferences(mine, others, options)
    if rates:
        given |= fit_enjoyment(fitted_on.lives, fitted_on.agents, fitted_on.genesis.catalogue)
    step(f"{len(fitted_on.real.users):,} visits of {len(fitted_on.agents):,} people; searching")
    fitted = fit_habits(
        fitted_on.real, stages[0], makes[0], given=given, tries=options.tries, rates=rates
    )
    step("checking on other people")
    before = live_visits(makes[1]({}), stages[1])
    parameters, more = kept(fitted.parameters, checked_on.real, makes[1], stages[1], before)
    simulated = live_visits(makes[1](parameters), stages[1])
    step("checking predictions")
    foreseen = ratings_held(split, options.seed)
    if options.mind == GROUNDED:
        foreseen |= choices_held(split, options.seed)
    return Calibration(
        options.mind,
        corpus.name,
        parameters,
        _compare(fitted_on.real, checked_on.real, simulated, before),
        foreseen,
        (len(fitted_on.agents), len(checked_on.agents)),
        (len(fitted_on.real.users), len(checked_on.real.users)),
        len(stages[0].agents),
        options.page_size,
        options.max_pages,
        options.gap,
        options.seed,
        round(float(simulated.picks.sum()) / max(1, simulated.shown), 4),
        round(float(np.median(fitted_on.real.gaps)), 3) if len(fitted_on.real.gaps) else 0.0,
        fitted_on.real.has_pages,
        (*notes, *more),
    )


def preferences(
    mine: Corpus, others: Corpus, options: CalibrationOptions
) -> tuple[dict[str, float], tuple[str, ...]]:
    """Return the weights of a choice, fitted on later steps, and what is to be said of them."""
    if options.mind == GROUNDED:
        return {}, ()
    splits = [by_ratio(half, HELD) for half in (mine, others)]
    learnt = half_of(splits[0].corpus, options, None)
    catalogue = learnt.genesis.catalogue
    both = (learnt, half_of(splits[1].corpus, options, catalogue))
    popularity = np.bincount(splits[0].train.items, minlength=len(catalogue))
    asked = [
        steps_of(
            half.agents,
            catalogue,
            split.test.users,
            split.test.items,
            popularity=popularity,
            seed=options.seed,
        )
        for half, split in zip(both, splits, strict=True)
        if len(split.test)
    ]
    if len(asked) < 2:
        return {}, ("histories are too short to tell what people prefer: weights stay",)
    usual = msgspec.to_builtins(RuleParameters())
    before = {name: float(options.options.get(name, usual[name])) for name in WEIGHTS}
    found = fit_preferences(asked[0], before)
    was, now = (log_likelihood(asked[1], weights) for weights in (before, found))
    chance = -math.log(1 + OTHERS)
    said = (
        f"what others take next: log-likelihood {now:.3f} a step fitted, {was:.3f} before, "
        f"{chance:.3f} by chance"
    )
    if now <= was:
        return {}, (f"{said}; the weights of taste, quality and novelty stay",)
    return found, (said,)


def kept(
    fitted: dict[str, float], real: Sessions, make: Make, stage: VisitStage, before: Sessions
) -> tuple[dict[str, float], tuple[str, ...]]:
    """Return the parameters that are closer to other people than those before, and a word on it."""
    targets, then = real.histograms(), before.histograms()
    visiting = (*VISITING, "fatigue", "sated", "most_picks")
    groups = (("visits", visiting, MATCHED), ("stars", RATING, ("stars",)))
    parameters, notes = dict(fitted), []
    for what, names, matched in groups:
        now = live_visits(make(parameters), stage).histograms()
        compared = [name for name in matched if name in targets]
        if not compared or not set(names) & set(parameters):
            continue
        far, was = (
            sum(divergence(targets[name], each[name]) if name in each else 1.0 for name in compared)
            for each in (now, then)
        )
        if far >= was:
            parameters = {name: at for name, at in parameters.items() if name not in names}
            notes.append(f"{what}: the fit is no closer to other people; parameters stay")
    if "dropped" in parameters and real.finished is not None:
        ends = live_visits(make(parameters), stage).finished or 0.0
        if abs(ends - real.finished) >= abs((before.finished or 0.0) - real.finished):
            del parameters["dropped"]
            notes.append("what is finished: the fit is no closer to other people; it stays")
    return parameters, tuple(notes)


def corpus_at(path: Path) -> Corpus:
    """Return a dataset of files with dated interactions; raise if something is missing."""
    if not path.exists():
        raise BadInput(f"--data {path} does not exist; give a folder or file with interactions")
    corpus = folder_corpus(path) if is_own(path) else recognise(path).make(path).corpus()
    if not len(corpus.lived):
        raise BadInput(f"{path}: has no interactions, so there are no visits to learn from")
    if not corpus.dated:
        raise BadInput(
            f"{path}: its interactions have no times, so visits cannot be separated; "
            "give data with times"
        )
    if len(corpus.people) < 4:
        raise BadInput(f"{path}: has {len(corpus.people)} people; give data with at least 4")
    return corpus


def folder_corpus(path: Path) -> Corpus:
    """Return the interactions of a folder of one's own."""
    held = read_folder(path)
    past = held.past or []
    rows = [(own.agent, own.item, own.at, own.stars, own.fraction) for own in past]
    columns = np.array(rows, np.float64).reshape(-1, 5).T
    columns = columns[:, np.argsort(columns[2], kind="stable")]
    users, items, at = (column.astype(np.int64) for column in columns[:3])
    lived = Columns(users, items, at, columns[3].copy(), columns[4].copy())
    return Corpus(path.name, held.items, held.people or (), lived)


def half_of(corpus: Corpus, options: CalibrationOptions, learnt: Catalogue | None) -> FittingHalf:
    """Return some people as agents; what is known of items is that of `learnt`, if given."""
    people = len(corpus.people)
    genesis = genesis_of(corpus, people, options.seed, Clock(), SourceOptions(move=True))
    if learnt is not None:
        genesis = Genesis(
            learnt, genesis.profiles, genesis.ties, genesis.clock, genesis.domain, genesis.past
        )
    drawn = [who.habits for who in genesis.profiles]
    habits = habits_of(traits_of(Training(corpus)), drawn, np.arange(people))
    replace = msgspec.structs.replace
    agents = tuple(
        replace(me, profile=replace(me.profile, habits=own))
        for me, own in zip(World(genesis).agents, habits, strict=True)
    )
    lived = corpus.lived
    columns = (lived.users, lived.items, lived.at, lived.stars)
    lives = Lives(genesis.catalogue, people, *columns)
    real = sessions_of(lives, gap=options.gap, fractions=lived.fractions)
    return FittingHalf(genesis, agents, lives, real)


def stage_for(half: FittingHalf, learnt: FittingHalf, options: CalibrationOptions) -> VisitStage:
    popularity = np.bincount(learnt.lives.items, minlength=len(half.genesis.catalogue))
    return stage_of(
        half.agents[: options.agents],
        half.genesis.catalogue,
        half.genesis.domain,
        popularity,
        learnt.real.pauses,
        page_size=options.page_size,
        max_pages=options.max_pages,
        seed=options.seed,
    )


def maker_of(options: CalibrationOptions, genesis: Genesis) -> Make:
    def make(parameters: Mapping[str, float]) -> BatchMind:
        values = {**options.options, **parameters}
        mind: BatchMind = made("minds", Part(options.mind, values), context_of(genesis))
        return mind

    mind = made("minds", Part(options.mind, dict(options.options)), context_of(genesis))
    if not isinstance(mind, BatchMind) or not isinstance(mind, Calibratable):
        raise BadInput(f"mind {options.mind!r} has no parameters to calibrate; use rule")
    return make


def _compare(
    fitted: Sessions, real: Sessions, simulated: Sessions, before: Sessions
) -> tuple[Compared, ...]:
    shares = [visits.histograms() for visits in (real, simulated, before, fitted)]
    means = [_means(visits) for visits in (real, simulated)]
    rows = []
    for name in shares[0]:
        there, now, then, floor = (visits.get(name, np.zeros(0)) for visits in shares)
        if len(now) != len(there) or len(then) != len(there) or len(floor) != len(there):
            continue
        rows.append(
            Compared(
                name,
                _rounded(there),
                _rounded(now),
                _rounded(then),
                round(divergence(there, now), 5),
                round(divergence(there, then), 5),
                round(divergence(there, floor), 5),
                means[0][name],
                means[1][name],
            )
        )
    return tuple(rows)


def _rounded(values: Floats) -> tuple[float, ...]:
    return tuple(np.round(values, 5).tolist())


def _means(visits: Sessions) -> dict[str, tuple[float, float, float]]:
    rows: dict[str, tuple[Ints, Floats, tuple[float, float]]] = {
        "stars": (visits.raters, visits.stars.astype(np.float64), (0.5, 5.0)),
        "picks per page": (visits.pagers, visits.per_page.astype(np.float64), POSITIVE),
        "pages per visit": (visits.users, visits.pages.astype(np.float64), POSITIVE),
        "picks per visit": (visits.users, visits.picks.astype(np.float64), POSITIVE),
        "minutes per visit": (visits.users, visits.minutes, POSITIVE),
    }
    return {name: _mean(*row) for name, row in rows.items()}


def _mean(owners: Ints, values: Floats, bounds: tuple[float, float]) -> tuple[float, float, float]:
    """Return a mean in which everybody counts the same, with its interval over people."""
    counted = by_person(owners)
    return ratio_interval(owners, values * counted, counted, bounds).three


_HEAD = """\
# Parameters fitted to {source}: [mind] parameters = "{name}" uses them. Pages were of {size} items,
# {pages} at most: set page_size = {size} and max_pages = {pages} under [platform], and max_turns
# = {turns} under [run], for visits as long as those. All tables but [mind] say how it was fitted.
"""


def write_parameters(calibration: Calibration, path: Path) -> Path:
    """Write the parameters of a calibration as TOML, with how they were fitted."""
    facts: dict[str, Any] = msgspec.to_builtins(calibration)
    tree = {"mind": facts.pop("parameters"), "calibration": facts}
    head = _HEAD.format(
        source=calibration.source,
        name=path.name,
        size=calibration.page_size,
        pages=calibration.max_pages,
        turns=calibration.max_pages + 4,
    )
    return replace_all({path: f"{head}{dump(tree)}".encode()})[0]
