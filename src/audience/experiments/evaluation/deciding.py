"""From scores to yes and no: a threshold found on other people's practice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from audience.experiments.evaluation.cases import Case
from audience.experiments.evaluation.mixing import FOLDS, Flat, folds_of
from audience.world.rng import Bools, Floats

_PENALTY = 1e-3


def decided(
    name: str,
    cases: Sequence[Case],
    scores: Sequence[Floats],
    practice: Sequence[Case],
    before: Sequence[Floats],
    seed: int,
) -> list[Floats]:
    """Return 1 where the chance that a candidate was taken up is high enough, else 0.

    The chance is logistic in a score and in how it stands out from its list. High enough is where
    accuracy and F1 together are best. Both come from practice, and people of one fold are decided
    by the practice of the others. NaN stays where nothing could be said.
    """
    now, earlier = _columns(name, cases, scores), _columns(name, practice, before)
    asked, told = folds_of(cases, seed), folds_of(practice, seed)
    said = np.zeros(len(now.truth))
    for fold in range(FOLDS):
        others = (told != fold)[earlier.owner] & ~np.isnan(earlier.values).any(axis=1)
        if not others.any():
            continue
        chance = _Chance(earlier, others)
        enough = threshold(chance.of(earlier.values[others]), earlier, others)
        mine = (asked == fold)[now.owner]
        said[mine] = chance.of(now.values[mine]) >= enough
    return now.split(np.where(np.isnan(now.values).any(axis=1), np.nan, said))


def threshold(chances: Floats, flat: Flat, rows: Bools) -> float:
    """Return the chance from which on a yes serves accuracy and F1 best, people counting alike."""
    truth = flat.truth[rows] > 0.5
    _, owner = np.unique(flat.owner[rows], return_inverse=True)
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    sizes, taken = np.bincount(owner), np.add.reduceat(truth.astype(np.float64), starts)
    best, found = -1.0, 0.5
    for step in range(2, 99, 2):
        yes = chances >= step / 100.0
        hit = np.add.reduceat((yes & truth).astype(np.float64), starts)
        given = np.add.reduceat(yes.astype(np.float64), starts)
        f1 = 2.0 * hit / np.maximum(given + taken, 1.0)
        accuracy = (sizes - given - taken + 2.0 * hit) / sizes
        worth = float((f1 + accuracy).mean())
        if worth > best:
            best, found = worth, step / 100.0
    return found


def _columns(name: str, cases: Sequence[Case], scores: Sequence[Floats]) -> Flat:
    flat = Flat(cases, {name: scores})
    sums = np.stack([np.add.reduceat(column, flat.starts) for column in flat.values.T], axis=1)
    sizes = np.bincount(flat.owner)[:, None]
    flat.values = np.concatenate([flat.values, flat.values - (sums / sizes)[flat.owner]], axis=1)
    return flat


class _Chance:
    """A plain logistic regression."""

    def __init__(self, flat: Flat, rows: Bools) -> None:
        from scipy.optimize import minimize

        values, truth = flat.values[rows], flat.truth[rows]
        self.middle: Floats = values.mean(axis=0)
        self.spread: Floats = values.std(axis=0) + 1e-9
        scaled = np.column_stack([(values - self.middle) / self.spread, np.ones(len(values))])

        def loss(weights: Floats) -> tuple[float, Floats]:
            logits = scaled @ weights
            wrong = float((np.logaddexp(0.0, logits) - truth * logits).mean())
            slope = scaled.T @ (1.0 / (1.0 + np.exp(-logits)) - truth) / len(truth)
            inner = np.append(weights[:-1], 0.0)
            return wrong + 0.5 * _PENALTY * float(inner @ inner), slope + _PENALTY * inner

        nothing = np.zeros(scaled.shape[1])
        self.weights: Floats = minimize(loss, nothing, jac=True, method="L-BFGS-B").x

    def of(self, values: Floats) -> Floats:
        """Return the chance of each row."""
        logits = (values - self.middle) / self.spread @ self.weights[:-1] + self.weights[-1]
        chances: Floats = 1.0 / (1.0 + np.exp(-logits))
        return chances
