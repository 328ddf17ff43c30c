"""Alternating least squares on implicit feedback (Hu, Koren and Volinsky 2008)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from audience.recommenders.factors import FactorScorer
from audience.recommenders.matrix import Sparse, listed, lived_matrix, one_thread
from audience.recommenders.recommender import Context, Ranker
from audience.recommenders.scored import ScoreRanker, Scores
from audience.recommenders.simple import Popular
from audience.recommenders.view import RecommenderView
from audience.world import Floats, Generator, Ints

_CELLS = 4_000_000


@dataclass(frozen=True, eq=False)
class ALS:
    """Alternating least squares: factors such that watched items score 1 and the others 0.

    Watched items weigh `1 + confidence` as much as the others. Scales to millions of items, and
    uses what a user watched since the fit.
    """

    factors: int = 64
    regularisation: float = 10.0
    confidence: float = 2.0
    rounds: int = 10
    min_stars: int = 0

    def fit(self, interactions: RecommenderView, rng: Generator) -> Ranker:
        lived = lived_matrix(interactions, self.min_stars)
        by_item = lived.T.tocsr()
        shape = (lived.shape[1], self.factors)
        items = 0.1 * rng.standard_normal(shape, np.float32)
        items[np.diff(by_item.indptr) == 0] = 0.0
        people = np.zeros((lived.shape[0], self.factors), np.float32)
        with one_thread():
            for _ in range(self.rounds):
                people = self._placed(lived, items)
                items = self._placed(by_item, people)
            people = self._placed(lived, items)

        def fold(context: Context) -> Scores:
            return self._placed(listed(context.lived or (), len(items)), items)

        return ScoreRanker(FactorScorer(people, items, fold), Popular().order(interactions))

    def _placed(self, lived: Sparse, others: Scores) -> Scores:
        return placed(lived, others, self.regularisation, self.confidence)


def placed(lived: Sparse, others: Scores, regularisation: float, confidence: float) -> Scores:
    """Return the optimal factors of each row of `lived`, given those of its columns."""
    common = (others.T @ others).astype(np.float64)
    common[np.diag_indices(len(common))] += regularisation
    inverse: Floats = np.linalg.inv(common).astype(np.float64)
    counts = np.diff(lived.indptr)
    points = np.zeros((lived.shape[0], others.shape[1]), np.float32)
    # Rows of similar length are solved together, padded to a power of two, which does not depend
    # on the other rows.
    sizes = np.where(counts > 0, 1 << np.ceil(np.log2(np.maximum(counts, 1))).astype(np.int64), 0)
    for size in np.unique(sizes[sizes > 0]).tolist():
        alike = np.flatnonzero(sizes == size)
        step = max(1, _CELLS // (max(size, others.shape[1]) * others.shape[1]))
        for start in range(0, len(alike), step):
            rows = alike[start : start + step]
            which, weights = _filled(lived, rows, size)
            solve = _by_lived if size < others.shape[1] else _by_factor
            points[rows] = solve(others[which], weights * confidence, common, inverse)
    return points


def _filled(lived: Sparse, rows: Ints, size: int) -> tuple[Ints, Scores]:
    """Return [rows, size]: the columns and weights of each row, padded with weight 0."""
    places = lived.indptr[rows][:, None] + np.arange(size)
    there = places < lived.indptr[rows + 1][:, None]
    places = np.where(there, places, 0)
    return lived.indices[places], np.where(there, lived.data[places], np.float32(0.0))


def _by_factor(near: Scores, weights: Scores, common: Floats, inverse: Floats) -> Scores:
    """Solve one system in the factors for each row: (common + N'WN) x = N'(1 + W)1."""
    del inverse
    heavy = (near * weights[:, :, None]).transpose(0, 2, 1)
    systems = common + heavy @ near
    wanted = (near * _pulls(weights)[:, :, None]).sum(axis=1)
    found: Scores = np.linalg.solve(systems, wanted[:, :, None])[:, :, 0]
    return found


def _by_lived(near: Scores, weights: Scores, common: Floats, inverse: Floats) -> Scores:
    """Solve the same through one system in the watched items, smaller for short rows."""
    del common
    spread = near @ inverse
    systems = weights[:, :, None] * (spread @ near.transpose(0, 2, 1))
    systems[:, np.arange(near.shape[1]), np.arange(near.shape[1])] += 1.0
    solved = np.linalg.solve(systems, _pulls(weights)[:, :, None])
    found: Scores = (spread * solved).sum(axis=1)
    return found


def _pulls(weights: Scores) -> Scores:
    return np.where(weights > 0, 1.0 + weights, 0.0)
