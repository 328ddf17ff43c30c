"""EASE: a linear item-item model in closed form (Steck 2019)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from audience.recommenders.matrix import (
    Sparse,
    check_size,
    lived_matrix,
    one_thread,
    packed,
    rows_for,
)
from audience.recommenders.recommender import Context, Ranker
from audience.recommenders.scored import ScoreRanker, Scores
from audience.recommenders.simple import Popular
from audience.recommenders.view import RecommenderView
from audience.world import Floats, Generator, Ints

MOST_EASE_ITEMS = 10_000
_ROWS = 1024


@dataclass(frozen=True, eq=False)
class EASE:
    """Scores items by a weighted sum over what was watched; strong on small catalogues.

    `regularisation` keeps weights small: raise it for sparse data. Items rated below `min_stars`
    do not count.
    """

    regularisation: float = 250.0
    min_stars: int = 0

    def fit(self, interactions: RecommenderView, rng: Generator) -> Ranker:
        del rng
        check_size("ease", len(interactions.catalogue), MOST_EASE_ITEMS, "'als' or 'bpr'")
        lived = lived_matrix(interactions, self.min_stars)
        with one_thread():
            weights = weights_of(lived, self.regularisation)
        return ScoreRanker(LinearScorer(lived, weights), Popular().order(interactions))


@dataclass(frozen=True, eq=False)
class LinearScorer:
    """Scores by summing rows of a matrix [items, items], dense or sparse, over watched items."""

    lived: Sparse
    weights: Sparse | Scores

    def learnt(self) -> bytes:
        if isinstance(self.weights, np.ndarray):
            return np.round(self.weights, 6).tobytes()
        return packed(self.weights)

    def parts(self, users: Ints, context: Context) -> tuple[Sparse, Sparse | Scores]:
        """Return [users, items] and [items, items]: scores are their product."""
        return rows_for(self.lived, users, context), self.weights

    def score(self, users: Ints, context: Context) -> Scores:
        rows, weights = self.parts(users, context)
        # A sparse product adds in a fixed order in every batch; BLAS does not.
        product = rows @ weights
        dense: Scores = product if isinstance(product, np.ndarray) else product.toarray()
        return dense


def weights_of(lived: Sparse, regularisation: float) -> Scores:
    """Return EASE's weights: minus the inverse of the regularised co-occurrences over its diagonal.

    The diagonal is 0, so that no item recommends itself.
    """
    return solved(products(lived), regularisation)


def solved(together: Floats, regularisation: float) -> Scores:
    """Return EASE's weights from the upper triangle of co-occurrences, which is overwritten."""
    from scipy.linalg import lapack

    diagonal = np.arange(len(together))
    together[diagonal, diagonal] += regularisation
    factor, failed = lapack.dpotrf(together, lower=False, overwrite_a=True)
    inverse, failed_too = lapack.dpotri(factor, lower=False, overwrite_c=True)
    if failed or failed_too:
        raise ArithmeticError("co-occurrences cannot be inverted; raise `regularisation`")
    inverse = np.triu(inverse)
    inverse += np.triu(inverse, 1).T
    weights: Scores = (inverse / -np.diag(inverse)).astype(np.float32)
    weights[diagonal, diagonal] = 0.0
    return weights


def products(lived: Sparse) -> Floats:
    """Return the upper triangle of [items, items]: how often two items were watched together."""
    from scipy.linalg import blas

    items = lived.shape[1]
    total = np.zeros((items, items), np.float32, order="F")
    for start in range(0, lived.shape[0], _ROWS):
        rows = lived[start : start + _ROWS].toarray()
        total = blas.ssyrk(1.0, rows.T, beta=1.0, c=total, overwrite_c=True)
    return np.asfortranarray(total, np.float64)
