"""Calibration of minds: parameters fitted on one half of real people, checked on the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from audience.agents import BatchMind
from audience.agents.rule import Calibratable
from audience.datasets import Columns, Corpus, SourceOptions, Training, by_ratio, genesis_of, halves
from audience.datasets.loaders import is_own, read_folder, recognise
from audience.datasets.people import habits_of, traits_of
from audience.errors import BadInput
from audience.files import replace_all
from audience.grounding import (
    Lives,
    Sessions,
    VisitStage,
    divergence,
    fit_enjoyment,
    fit_habits,
    live_visits,
    sessions_of,
    stage_of,
)
from audience.lab.calibration.held_out import choices_held, ratings_held
from audience.results import POSITIVE, Calibration, Compared, ratio_interval
from audience.scenario import Part, context_of, dump, made
from audience.world import Agent, Catalogue, Clock, Floats, Genesis, World

HELD = 0.2
"""The latest share of everybody's interactions: held out to check ratings on."""
GROUNDED = "grounded"
Step = Callable[[str], None]


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


class _Half(msgspec.Struct, frozen=True, eq=False):
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
    fitted_on = _half(mine, options, None)
    checked_on = _half(others, options, fitted_on.genesis.catalogue)
    stages = [_stage(half, fitted_on, options) for half in (fitted_on, checked_on)]
    makes = [_maker(options, half.genesis) for half in (fitted_on, checked_on)]
    rates = bool(len(fitted_on.real.stars))
    enjoyment: dict[str, float] = {}
    if rates:
        enjoyment = fit_enjoyment(fitted_on.lives, fitted_on.agents, fitted_on.genesis.catalogue)
    step(f"{len(fitted_on.real.users):,} visits of {len(fitted_on.agents):,} people; searching")
    fitted = fit_habits(
        fitted_on.real, stages[0], makes[0], given=enjoyment, tries=options.tries, rates=rates
    )
    step("checking on other people")
    simulated = live_visits(makes[1](fitted.parameters), stages[1])
    before = live_visits(makes[1]({}), stages[1])
    step("checking predictions")
    foreseen = ratings_held(split, options.seed)
    if options.mind == GROUNDED:
        foreseen |= choices_held(split, options.seed)
    return Calibration(
        options.mind,
        corpus.name,
        fitted.parameters,
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
    )


def corpus_at(path: Path) -> Corpus:
    """Return a dataset of files with dated interactions; raise if something is missing."""
    if not path.exists():
        raise BadInput(f"--data {path} does not exist; give a folder or file with interactions")
    corpus = _own(path) if is_own(path) else recognise(path).make(path).corpus()
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


def _own(path: Path) -> Corpus:
    held = read_folder(path)
    past = held.past or []
    rows = [(own.agent, own.item, own.at, own.stars, own.fraction) for own in past]
    columns = np.array(rows, np.float64).reshape(-1, 5).T
    columns = columns[:, np.argsort(columns[2], kind="stable")]
    users, items, at = (column.astype(np.int64) for column in columns[:3])
    lived = Columns(users, items, at, columns[3].copy(), columns[4].copy())
    return Corpus(path.name, held.items, held.people or (), lived)


def _half(corpus: Corpus, options: CalibrationOptions, learnt: Catalogue | None) -> _Half:
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
    return _Half(genesis, agents, lives, sessions_of(lives, gap=options.gap))


def _stage(half: _Half, learnt: _Half, options: CalibrationOptions) -> VisitStage:
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


def _maker(
    options: CalibrationOptions, genesis: Genesis
) -> Callable[[Mapping[str, float]], BatchMind]:
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
    ones, pages = np.ones(len(visits.users)), visits.pages.astype(np.float64)
    stars, picks = visits.stars.astype(np.float64), visits.picks.astype(np.float64)
    return {
        "stars": ratio_interval(visits.raters, stars, np.ones(len(stars)), (0.5, 5.0)).three,
        "picks per page": ratio_interval(visits.users, picks, pages, POSITIVE).three,
        "pages per visit": ratio_interval(visits.users, pages, ones, POSITIVE).three,
        "picks per visit": ratio_interval(visits.users, picks, ones, POSITIVE).three,
        "minutes per visit": ratio_interval(visits.users, visits.minutes, ones, POSITIVE).three,
    }


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
