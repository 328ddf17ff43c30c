"""Calibration of choices: are the chances that a model gives to items those of people's choices?"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from audience.grounding import Bin
from audience.lab.evaluation import Case, ContestAnswers
from audience.lab.probing.result import ProbeRow, row, statistic_row
from audience.world import Floats, Ints, rng

PART, BY_CHANCE = "calibration", "calibration by chance"
BINS = 10
DRAWS = 200
"""Outcomes that are drawn to see how far a calibrated model would be off by chance."""


class ChoiceChances(msgspec.Struct, frozen=True, eq=False):
    """The chance of each candidate and the share of the choices it really got, case by case.

    Both add up to one in every case: a person who took three items gave a third to each.
    """

    users: Ints
    """Whose case a candidate is of."""
    cases: Ints
    chances: Floats
    happened: Floats
    unreadable: int = 0


class CalibrationTable(msgspec.Struct, frozen=True):
    """Rows of calibration, and their bins for a figure, by task."""

    rows: tuple[ProbeRow, ...]
    bins: dict[str, tuple[Bin, ...]]


def calibration_of(played: Sequence[ContestAnswers], kind: str, seed: int) -> CalibrationTable:
    """Return how reliable the chances are that a mind which decides by scoring gives."""
    rows: list[ProbeRow] = []
    bins: dict[str, tuple[Bin, ...]] = {}
    for contest in played:
        for task in contest.arena.tasks:
            given = chances_in(task.cases, contest.answers[kind, task.name].scores)
            if len(given.users):
                rows.append(_error_row(task.name, given, seed))
                within = _bin_rows(task.name, given, seed)
                rows += within
                bins[task.name] = tuple(map(_bin_of, within))
    return CalibrationTable(tuple(rows), bins)


def chances_in(cases: Sequence[Case], scores: Sequence[Floats]) -> ChoiceChances:
    """Return log-odds as chances among the candidates; unreadable answers are left out."""
    kept = [(case, own) for case, own in zip(cases, scores, strict=True) if not np.isnan(own).any()]
    sizes = [len(own) for _, own in kept]
    weights = [np.exp(own - own.max()) for _, own in kept]
    truth = [np.array(case.truth, np.float64) for case, _ in kept]
    return ChoiceChances(
        np.repeat([case.user for case, _ in kept], sizes).astype(np.int64),
        np.repeat(np.arange(len(kept)), sizes),
        np.concatenate([each / each.sum() for each in weights]) if kept else np.empty(0),
        np.concatenate([each / max(each.sum(), 1.0) for each in truth]) if kept else np.empty(0),
        len(cases) - len(kept),
    )


def expected_error(chances: Floats, happened: Floats, places: Ints) -> float:
    """Return the expected calibration error: how far bins are off, weighed by their size."""
    apart = np.bincount(places, chances - happened)
    return float(np.abs(apart).sum() / max(len(chances), 1))


def bins_of(chances: Floats) -> Ints:
    """Return the bin of each chance, of about equal size; equal chances stay together."""
    edges = np.unique(np.quantile(chances, np.linspace(0.0, 1.0, BINS + 1)[1:-1]))
    return np.searchsorted(edges, chances, side="right").astype(np.int64)


def _error_row(task: str, given: ChoiceChances, seed: int) -> ProbeRow:
    places = bins_of(given.chances)
    people, owner = np.unique(given.users, return_inverse=True)
    table = np.zeros((len(people), int(places.max()) + 1))
    np.add.at(table, (owner, places), given.chances - given.happened)
    sizes = np.bincount(owner)

    def error(drawn: Ints) -> float:
        return float(np.abs(table[drawn].sum(axis=0)).sum() / sizes[drawn].sum())

    cases = len(np.unique(given.cases))
    what = f"{task}: expected calibration error"
    made = statistic_row(PART, what, error, len(people), seed=seed, count=cases)
    by_chance = _by_chance(given, places, seed)
    return msgspec.structs.replace(made, chance=by_chance, unreadable=given.unreadable)


def _by_chance(given: ChoiceChances, places: Ints, seed: int) -> float:
    """Return the error of a calibrated model: people choose as often as the chances say.

    Everybody takes as many as they did, without taking one twice.
    """
    draws = rng(seed, "probe", "calibrated")
    taken = np.rint(np.bincount(given.cases, given.happened > 0)).astype(np.int64)
    starts = np.flatnonzero(np.diff(given.cases, prepend=-1))
    sizes = np.diff(np.append(starts, len(given.cases)))
    width = int(sizes.max())
    log_chances = np.full((len(starts), width), -np.inf)
    inside = np.arange(width)[None, :] < sizes[:, None]
    log_chances[inside] = np.log(np.maximum(given.chances, 1e-12))
    errors = []
    for _ in range(DRAWS):
        # Gumbel's trick: the highest are drawn without replacement by their chances.
        noisy = log_chances + draws.gumbel(size=log_chances.shape)
        ranks = np.argsort(np.argsort(-noisy, axis=1), axis=1)
        happened = (ranks < taken[:, None]) / np.maximum(taken, 1)[:, None]
        errors.append(expected_error(given.chances, happened[inside], places))
    return float(np.mean(errors))


def _bin_rows(task: str, given: ChoiceChances, seed: int) -> list[ProbeRow]:
    places = bins_of(given.chances)
    rows = []
    for place in np.unique(places).tolist():
        here = places == place
        answers = zip(given.users[here].tolist(), given.happened[here].tolist(), strict=True)
        predicted = float(given.chances[here].mean())
        what = f"{task}: chosen, where the model says {predicted:.2f}"
        rows.append(row(BY_CHANCE, what, answers, seed=seed, chance=predicted))
    return rows


def _bin_of(made: ProbeRow) -> Bin:
    """Return a row as a bin of a figure; without bounds it has none."""
    value = made.value or 0.0
    low = value if made.low is None else made.low
    high = value if made.high is None else made.high
    return Bin(made.chance or 0.0, value, low, high, made.count)
