"""The result of a contest: values with intervals for every contestant, and paired differences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce

import msgspec
import numpy as np
from msgspec.structs import replace

from audience.lab.evaluation.cases import Case
from audience.lab.evaluation.contest import ContestAnswers, Entrant, StoredAnswers
from audience.lab.evaluation.mixes import BOOSTED, CONTENT_MIX, MIX
from audience.llm import Counts
from audience.results import ANY, CORRELATION, POSITIVE, SHARE, Bounds, Interval, finite, t_interval
from audience.world import Bools, Floats, Ints

AREA = ", AUC"
"""The suffix of groups that hold a second measure, AUC, of the same tasks."""
PEOPLE = "real humans"
_UNLIMITED = ("RMSE", "MAE", "popularity")
"""Columns of errors; those of all others lie between 0 and 1."""
Values = Mapping[str, Floats]
"""One number per person for each contestant; NaN where it was not asked."""


class ContestCell(msgspec.Struct, frozen=True):
    """One contestant in one column."""

    value: Interval
    users: int
    against_best: Interval | None = None
    """How much more than the best baseline, paired over the same people; None for itself."""


class ContestantRow(msgspec.Struct, frozen=True):
    """One contestant."""

    name: str
    kind: str
    """`baseline`, `mind` or `people`."""
    cells: dict[str, dict[str, ContestCell]]
    """By group and column."""
    model: str = ""
    unreadable: int = 0
    """Answers that could not be read; they are scored as wrong."""
    spent: Counts = msgspec.field(default_factory=Counts)
    decided: float = 0.0
    """Cases that a model decided while the time was taken."""
    seconds: float = 0.0
    """Wall time of asking it about them."""


class ContestPair(msgspec.Struct, frozen=True):
    """How much more one contestant has than another, paired over the same people."""

    name: str
    than: str
    cells: dict[str, dict[str, Interval]]
    """By group and column."""


class Result(msgspec.Struct, frozen=True):
    """One evaluation, ready to be printed, drawn and stored."""

    name: str
    title: str
    dataset: str
    users: int
    seed: int
    model: str
    groups: tuple[str, ...]
    columns: tuple[str, ...]
    lower_is_better: tuple[str, ...] = ()
    rows: tuple[ContestantRow, ...] = ()
    best: dict[str, dict[str, str]] = {}
    """The best baseline by group and column."""
    pairs: tuple[ContestPair, ...] = ()
    """Differences that are asked for by name, beside those to the best baseline."""
    headline: str = ""
    """The column that is drawn; where empty, all are."""
    notes: tuple[str, ...] = ()
    calls_now: int = 0
    """Of all the calls it rests on, those made for this result; the others were stored."""

    @property
    def spent(self) -> Counts:
        return reduce(Counts.plus, (row.spent for row in self.rows), Counts())


def bounds_of(column: str) -> Bounds:
    """Return the possible values of a column: an error is at least 0, all else is a share."""
    return POSITIVE if column in _UNLIMITED else SHARE


def with_rows(
    result: Result,
    kinds: Mapping[str, str],
    values: Mapping[str, Mapping[str, Values]],
    answers: Iterable[Mapping[tuple[str, str], StoredAnswers]],
    *,
    pairs: Iterable[tuple[str, str]] = (),
) -> Result:
    """Return the result with a row for each of `kinds`, from values by group and column.

    `pairs` are contestants whose difference is wanted besides, where both took part.
    """
    cells, best = _cells(kinds, values, result.lower_is_better)
    given: dict[str, list[StoredAnswers]] = {name: [] for name in kinds}
    for part in answers:
        for (name, _), stored in part.items():
            if name in kinds:
                given[name].append(stored)
    rows = (
        ContestantRow(
            name,
            kind,
            cells[name],
            result.model if asks_model(name) else "",
            sum(stored.unreadable for stored in given[name]),
            reduce(Counts.plus, (stored.spent for stored in given[name]), Counts()),
            sum(stored.decided for stored in given[name]),
            sum(stored.seconds for stored in given[name]),
        )
        for name, kind in kinds.items()
    )
    wanted = [pair for pair in pairs if set(pair) <= set(kinds)]
    made = tuple(ContestPair(*pair, _apart(*pair, values)) for pair in wanted)
    return replace(result, rows=tuple(rows), best=best, pairs=made)


def asks_model(name: str) -> bool:
    """Return whether a contestant of this name asks a language model."""
    return name.startswith(("llm", "tuned"))


def _between(column: str) -> Bounds:
    """Return the possible differences in a column: those of shares lie between -1 and 1."""
    return CORRELATION if bounds_of(column) == SHARE else ANY


def _apart(
    name: str, than: str, values: Mapping[str, Mapping[str, Values]]
) -> dict[str, dict[str, Interval]]:
    """Return the paired differences of two contestants by group and column."""
    return {
        group: {
            column: t_interval(scores[name] - scores[than], _between(column))
            for column, scores in columns.items()
            if name in scores and than in scores
        }
        for group, columns in values.items()
    }


def _cells(
    kinds: Mapping[str, str], values: Mapping[str, Mapping[str, Values]], lower: Sequence[str]
) -> tuple[dict[str, dict[str, dict[str, ContestCell]]], dict[str, dict[str, str]]]:
    """Return the cells of every contestant, and the best baselines, by group and column."""
    best: dict[str, dict[str, str]] = {}
    cells: dict[str, dict[str, dict[str, ContestCell]]] = {name: {} for name in kinds}
    for group, columns in values.items():
        for column, scores in columns.items():
            baselines = {name: own for name, own in scores.items() if kinds[name] == "baseline"}
            first = best_of(baselines, is_lower=column in lower)
            if first:
                best.setdefault(group, {})[column] = first
            for name, own in scores.items():
                reference = scores[first] if first and first != name else None
                cell = cell_of(own, reference, bounds_of(column))
                cells[name].setdefault(group, {})[column] = cell
    return cells, best


def best_of(values: Values, *, is_lower: bool = False) -> str:
    """Return who has the best mean; empty if nobody has one."""
    some = {name: each[~np.isnan(each)] for name, each in values.items()}
    means = {name: float(each.mean()) for name, each in some.items() if len(each)}
    if not means:
        return ""
    return min(means, key=lambda name: means[name] if is_lower else -means[name])


def cell_of(values: Floats, reference: Floats | None, bounds: Bounds = ANY) -> ContestCell:
    """Return a mean and its paired difference to a reference over the same people."""
    mean = t_interval(values, bounds)
    against = None if reference is None else t_interval(values - reference)
    return ContestCell(mean, mean.count, against)


def result_values(result: Result) -> dict[str, object]:
    """Return a result as plain values; what is not a number becomes None."""
    tree = finite(result)
    assert isinstance(tree, dict)
    return tree


def hits(cases: Sequence[Case], scores: Sequence[Floats]) -> Floats:
    """Return |truth and chosen| / a of each case; an unreadable answer is scored as wrong.

    Chosen are the a highest; equal scores share their ranks, so that their order is irrelevant.
    """
    shares = np.zeros(len(cases))
    for rows, truth, values in _alike(cases, scores):
        count = truth.sum(axis=1)
        cut = np.take_along_axis(np.sort(values, axis=1), -count[:, None], axis=1)
        sure, tied = values > cut, values == cut
        share = (count - sure.sum(axis=1)) / np.maximum(tied.sum(axis=1), 1)
        right = (sure & truth).sum(axis=1) + share * (tied & truth).sum(axis=1)
        shares[rows] = np.where(np.isnan(values).any(axis=1), 0.0, right / np.maximum(count, 1))
    return shares


def aucs(cases: Sequence[Case], scores: Sequence[Floats]) -> Floats:
    """Return the AUC within each case; an unreadable answer counts one half."""
    areas = np.zeros(len(cases))
    for rows, truth, values in _alike(cases, scores):
        unreadable = np.asarray(np.isnan(values).any(axis=1))
        areas[rows] = np.where(
            unreadable, 0.5, _areas(np.where(unreadable[:, None], 0.0, values), truth)
        )
    return areas


def auc(scores: Floats, truth: Sequence[bool]) -> float:
    """Return how often a consumed item scores above another; ties count half."""
    if np.isnan(scores).any():
        return math.nan
    return float(_areas(scores[None, :], np.array([truth], np.bool_))[0])


def _areas(values: Floats, truth: Bools) -> Floats:
    """Return the AUC of each row; NaN where all or none were consumed."""
    above, level = np.zeros(len(values)), np.zeros(len(values))
    for column in range(values.shape[1]):
        others = truth[:, column, None] & ~truth
        score = values[:, column, None]
        above += ((score > values) & others).sum(axis=1)
        level += ((score == values) & others).sum(axis=1)
    pairs = (truth.sum(axis=1) * (~truth).sum(axis=1)).astype(np.float64)
    pairs[pairs == 0] = np.nan
    areas: Floats = above / pairs + 0.5 * (level / pairs)
    return areas


def _alike(cases: Sequence[Case], scores: Sequence[Floats]) -> Iterator[tuple[Ints, Bools, Floats]]:
    """Yield cases with equally many candidates: their numbers, truth and scores as rows."""
    sizes = np.array([len(case.candidates) for case in cases], np.int64)
    for size in np.unique(sizes).tolist():
        rows = np.flatnonzero(sizes == size)
        truth = np.array([cases[row].truth for row in rows.tolist()], np.bool_)
        yield rows, truth, np.array([scores[row] for row in rows.tolist()], np.float64)


def order_of(
    entries: Sequence[Entrant], played: Sequence[ContestAnswers], *, mixes: bool = True
) -> dict[str, str]:
    """Return the kind of everybody in a table by name: baselines, the mixes, then minds."""
    aside = {name for contest in played for name in contest.aside}
    shown = {entry.name: entry.kind for entry in entries if entry.kind != "feature"}
    ordered = {name: kind for name, kind in shown.items() if kind == "baseline"}
    ordered |= dict.fromkeys((CONTENT_MIX, MIX, BOOSTED), "baseline") if mixes else {}
    return {name: kind for name, kind in (ordered | shown).items() if name not in aside}


def remarks_in(played: Sequence[ContestAnswers]) -> tuple[str, ...]:
    """Return who stepped aside and why."""
    return tuple(dict.fromkeys(remark for each in played for remark in each.aside.values()))


def answers_in(played: Sequence[ContestAnswers]) -> list[Mapping[tuple[str, str], StoredAnswers]]:
    """Return all answers that were given, practice included: both are paid for."""
    return [answers for contest in played for answers in (contest.answers, contest.practice)]
