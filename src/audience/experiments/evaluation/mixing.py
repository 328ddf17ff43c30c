"""The logistic mix: what all baselines together are worth, weighed on other people's practice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from audience.experiments.evaluation.cases import Case
from audience.world.rng import Bools, Floats, Ints, keys

FOLDS = 5
_PENALTY = 0.01
_LEAST = 1e-6
_COUNTS = frozenset(("popularity",))
_SUMS = frozenset(("item-knn", "markov", "near_markov", "wide_markov"))
_WEIGHTS = frozenset(("ease",))


def columns(name: str, scores: Floats) -> list[Floats]:
    """Return a contestant's scores in the forms in which they add up best."""
    if name in _COUNTS:
        return [np.log1p(scores)]
    if name in _SUMS:
        return [np.log(np.maximum(scores, 0.0) + _LEAST), np.sqrt(np.maximum(scores, 0.0))]
    if name in _WEIGHTS:
        return [scores, np.sign(scores) * np.sqrt(np.abs(scores))]
    return [scores]


def folds_of(cases: Sequence[Case], seed: int) -> Ints:
    """Return the fold of each case: that of its person, by a named draw."""
    users = np.array([case.user for case in cases], np.int64)
    return (keys(seed, "eval", "fold", users) % np.uint64(FOLDS)).astype(np.int64)


class Flat:
    """Cases one after the other as rows of candidates, with some columns about each."""

    def __init__(self, cases: Sequence[Case], features: Mapping[str, Sequence[Floats]]) -> None:
        sizes = np.array([len(case.candidates) for case in cases], np.int64)
        self.starts = np.cumsum(sizes) - sizes
        self.owner = np.repeat(np.arange(len(cases)), sizes)
        self.truth = np.array([one for case in cases for one in case.truth], np.float64)
        found = [
            column
            for name, scores in features.items()
            for column in columns(name, np.concatenate(list(scores)))
        ]
        self.values: Floats = np.stack(found, axis=1) if found else np.zeros((len(self.truth), 0))

    def split(self, values: Floats) -> list[Floats]:
        """Return a column case by case."""
        return np.split(values, self.starts[1:].tolist())


class Weights:
    """A conditional logit: among the candidates of a case the truth is chosen by exp(w x)."""

    def __init__(self, flat: Flat, rows: Bools) -> None:
        """Find the weights on some of the cases."""
        from scipy.optimize import minimize

        chosen = rows[flat.owner]
        values = flat.values[chosen]
        self.middle: Floats = values.mean(axis=0)
        self.spread: Floats = values.std(axis=0) + 1e-9
        scaled = (values - self.middle) / self.spread
        _, owner = np.unique(flat.owner[chosen], return_inverse=True)
        starts = np.flatnonzero(np.diff(owner, prepend=-1))
        truth = flat.truth[chosen]
        shares = truth / np.maximum(np.add.reduceat(truth, starts), 1.0)[owner]

        def loss(weights: Floats) -> tuple[float, Floats]:
            logits = scaled @ weights
            logits = logits - np.maximum.reduceat(logits, starts)[owner]
            sums = np.add.reduceat(np.exp(logits), starts)[owner]
            chances = np.exp(logits) / sums
            wrong = -float((shares * (logits - np.log(sums))).sum()) / len(starts)
            slope = scaled.T @ (chances - shares) / len(starts)
            return wrong + 0.5 * _PENALTY * float(weights @ weights), slope + _PENALTY * weights

        nothing = np.zeros(values.shape[1])
        self.weights: Floats = minimize(loss, nothing, jac=True, method="L-BFGS-B").x

    def score(self, flat: Flat) -> Floats:
        """Return the log-odds of every candidate, up to a constant."""
        scores: Floats = ((flat.values - self.middle) / self.spread) @ self.weights
        return np.round(scores, 6)


def mixed(practice: Flat, told: Ints, flat: Flat, asked: Ints) -> tuple[list[Floats], list[Floats]]:
    """Return the mix's scores of the practice and of the real cases.

    `told` and `asked` are the folds of either; a fold is scored with weights from the others.
    """
    before, now = np.zeros(len(practice.truth)), np.zeros(len(flat.truth))
    for fold in range(FOLDS):
        weights = Weights(practice, told != fold)
        for part, folds, found in ((practice, told, before), (flat, asked, now)):
            mine = (folds == fold)[part.owner]
            found[mine] = weights.score(part)[mine]
    return practice.split(before), flat.split(now)
