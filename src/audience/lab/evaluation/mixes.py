"""Mixes of all baselines: a conditional logit, and gradient-boosted trees."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec

import numpy as np
from threadpoolctl import threadpool_limits

from audience.lab.evaluation.cases import Case
from audience.recommenders import one_thread
from audience.world import Bools, Floats, Ints, keys

MIX, CONTENT_MIX, BOOSTED = "logistic mix", "content and popularity", "boosted mix"
WITHOUT_TREES = (
    f"{BOOSTED} steps aside: scikit-learn is not installed; `pip install 'audience[boosted]'` adds "
    "it."
)
FOLDS = 5
_PENALTY = 0.01
_LEAST = 1e-6
_COUNTS = frozenset(("popularity",))
_SUMS = frozenset(("item-knn", "markov", "near_markov", "wide_markov"))
_WEIGHTS = frozenset(("ease",))


def columns(name: str, scores: Floats) -> list[Floats]:
    """Return a contestant's scores in the transforms in which they add up best."""
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
    """Cases concatenated as rows of candidates, with feature columns for each row."""

    def __init__(self, cases: Sequence[Case], features: Mapping[str, Sequence[Floats]]) -> None:
        sizes = np.array([len(case.candidates) for case in cases], np.int64)
        self.starts = np.cumsum(sizes) - sizes
        self.owner = np.repeat(np.arange(len(cases)), sizes)
        self.truth = np.array([taken for case in cases for taken in case.truth], np.float64)
        table = [
            column
            for name, scores in features.items()
            for column in columns(name, np.concatenate(list(scores)))
        ]
        self.values: Floats = np.stack(table, axis=1) if table else np.zeros((len(self.truth), 0))

    def split(self, values: Floats) -> list[Floats]:
        """Return a column split case by case."""
        return np.split(values, self.starts[1:].tolist())


class MixWeights:
    """A conditional logit: among a case's candidates, the truth is chosen with weight exp(w x)."""

    def __init__(self, flat: Flat, rows: Bools) -> None:
        """Fit the weights on some of the cases."""
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
        with one_thread():
            self.weights: Floats = minimize(loss, nothing, jac=True, method="L-BFGS-B").x

    def score(self, flat: Flat) -> Floats:
        """Return the log-odds of every candidate, up to a constant."""
        scores: Floats = ((flat.values - self.middle) / self.spread) @ self.weights
        return np.round(scores, 6)


class BoostedTrees:
    """Gradient-boosted trees over the same columns, also beside the rest of the list.

    Trees judge candidates one by one, so that they need to be told how each stands out.
    """

    def __init__(self, flat: Flat, rows: Bools) -> None:
        """Fit the trees on some of the cases."""
        from sklearn.ensemble import HistGradientBoostingClassifier

        chosen = rows[flat.owner]
        self.trees = HistGradientBoostingClassifier(early_stopping=False, random_state=0)
        truth = flat.truth[chosen]
        self.usual = float(truth.mean()) if len(truth) else 0.0
        self.fitted = 0.0 < self.usual < 1.0
        if self.fitted:
            # On a busy machine its threads wait for each other many times as long as they work.
            with threadpool_limits(limits=1):
                self.trees.fit(_beside(flat)[chosen], truth)

    def score(self, flat: Flat) -> Floats:
        """Return the log-odds of every candidate."""
        if not self.fitted:
            return np.zeros(len(flat.truth))
        with threadpool_limits(limits=1):
            scores: Floats = self.trees.decision_function(_beside(flat))
        return np.round(scores, 6)


def _beside(flat: Flat) -> Floats:
    sums = np.add.reduceat(flat.values, flat.starts, axis=0)
    means = sums / np.bincount(flat.owner)[:, None]
    return np.concatenate([flat.values, flat.values - means[flat.owner]], axis=1)


def has_trees() -> bool:
    """Return whether the package that boosts trees is installed."""
    return find_spec("sklearn") is not None


Weigh = Callable[[Flat, Bools], MixWeights | BoostedTrees]


def mixed(
    practice: Flat,
    practice_folds: Ints,
    flat: Flat,
    flat_folds: Ints,
    weigh: Weigh = MixWeights,
) -> tuple[list[Floats], list[Floats]]:
    """Return the mix's scores of the practice and of the real cases.

    Either comes with its folds; each fold is scored with weights learnt from the others.
    """
    before, now = np.zeros(len(practice.truth)), np.zeros(len(flat.truth))
    for fold in range(FOLDS):
        weights = weigh(practice, practice_folds != fold)
        for part, folds, scores in ((practice, practice_folds, before), (flat, flat_folds, now)):
            mine = (folds == fold)[part.owner]
            scores[mine] = weights.score(part)[mine]
    return practice.split(before), flat.split(now)
