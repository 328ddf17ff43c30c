"""How good scores are, person by person: what is chosen by them, and how they rank."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from audience.experiments.evaluation.cases import Case
from audience.world.rng import Bools, Floats, Ints


def hits(cases: Sequence[Case], scores: Sequence[Floats]) -> Floats:
    """Return |truth and chosen| / a of each case; what could not be said is scored as wrong.

    Chosen are the a highest; equal scores share their places, so that order is worth nothing.
    """
    found = np.zeros(len(cases))
    for rows, truth, values in _alike(cases, scores):
        wanted = truth.sum(axis=1)
        cut = np.take_along_axis(np.sort(values, axis=1), -wanted[:, None], axis=1)
        sure, tied = values > cut, values == cut
        share = (wanted - sure.sum(axis=1)) / np.maximum(tied.sum(axis=1), 1)
        right = (sure & truth).sum(axis=1) + share * (tied & truth).sum(axis=1)
        found[rows] = np.where(np.isnan(values).any(axis=1), 0.0, right / np.maximum(wanted, 1))
    return found


def aucs(cases: Sequence[Case], scores: Sequence[Floats]) -> Floats:
    """Return the AUC within each case; what could not be said is worth a half."""
    found = np.zeros(len(cases))
    for rows, truth, values in _alike(cases, scores):
        unsaid = np.asarray(np.isnan(values).any(axis=1))
        found[rows] = np.where(unsaid, 0.5, _areas(np.where(unsaid[:, None], 0.0, values), truth))
    return found


def auc(scores: Floats, truth: Sequence[bool]) -> float:
    """Return how often something taken up scores above something not; ties count half."""
    if np.isnan(scores).any():
        return math.nan
    return float(_areas(scores[None, :], np.array([truth], np.bool_))[0])


def _areas(values: Floats, truth: Bools) -> Floats:
    """Return the AUC of each row; NaN where all or none were taken up."""
    above, level = np.zeros(len(values)), np.zeros(len(values))
    for column in range(values.shape[1]):
        others = truth[:, column, None] & ~truth
        one = values[:, column, None]
        above += ((one > values) & others).sum(axis=1)
        level += ((one == values) & others).sum(axis=1)
    pairs = (truth.sum(axis=1) * (~truth).sum(axis=1)).astype(np.float64)
    pairs[pairs == 0] = np.nan
    found: Floats = above / pairs + 0.5 * (level / pairs)
    return found


def _alike(cases: Sequence[Case], scores: Sequence[Floats]) -> Iterator[tuple[Ints, Bools, Floats]]:
    """Yield cases with as many candidates together: their numbers, truth and scores as rows."""
    sizes = np.array([len(case.candidates) for case in cases], np.int64)
    for size in np.unique(sizes).tolist():
        rows = np.flatnonzero(sizes == size)
        truth = np.array([cases[row].truth for row in rows.tolist()], np.bool_)
        yield rows, truth, np.array([scores[row] for row in rows.tolist()], np.float64)
