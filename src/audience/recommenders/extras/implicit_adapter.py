"""The adapter to the methods of the package `implicit`."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from audience.errors import known_name
from audience.recommenders.ease import LinearScorer
from audience.recommenders.extras.scores import needed, settled
from audience.recommenders.factors import FactorScorer
from audience.recommenders.matrix import Sparse, listed, lived_matrix, one_thread
from audience.recommenders.recommender import Context, Ranker
from audience.recommenders.scored import ScoreRanker, Scores
from audience.recommenders.simple import Popular
from audience.recommenders.view import RecommenderView
from audience.world import Bools, Generator, Ints

FACTORS = {
    "als": ("implicit.cpu.als", "AlternatingLeastSquares"),
    "bpr": ("implicit.cpu.bpr", "BayesianPersonalizedRanking"),
    "lmf": ("implicit.cpu.lmf", "LogisticMatrixFactorization"),
}
NEIGHBOURS = {
    "bm25": ("implicit.nearest_neighbours", "BM25Recommender"),
    "cosine": ("implicit.nearest_neighbours", "CosineRecommender"),
    "tfidf": ("implicit.nearest_neighbours", "TFIDFRecommender"),
}


class Implicit:
    """A method of `implicit`: `als`, `bpr`, `lmf`, or by neighbours `bm25`, `cosine`, `tfidf`.

    `settings` are the package's own, such as factors, iterations or K. Items rated below
    `min_stars` do not count. `als` and the neighbours use what a user watched since the fit.
    """

    def __init__(
        self, method: str = "als", min_stars: int = 0, settings: Mapping[str, Any] | None = None
    ) -> None:
        self.method = known_name("method of implicit", method, FACTORS | NEIGHBOURS)
        needed("implicit", "implicit")
        self.min_stars = min_stars
        self.settings = dict(settings or {})
        self._made(0)

    def fit(self, interactions: RecommenderView, rng: Generator) -> Ranker:
        lived = lived_matrix(interactions, self.min_stars)
        popular = Popular().order(interactions)
        if not lived.nnz:
            return popular
        model = self._made(int(rng.integers(2**31)))
        # The package warns about its own conversions of matrices.
        with one_thread(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(as_matrix(lived), show_progress=False)
            if self.method in NEIGHBOURS:
                return ScoreRanker(LinearScorer(lived, similar(model.similarity)), popular)
            return ScoreRanker(ImplicitRanker(points(model, lived), lived_items(lived)), popular)

    def _made(self, seed: int) -> Any:  # noqa: ANN401
        room, name = (FACTORS | NEIGHBOURS)[self.method]
        seeded = {"random_state": seed} if self.method in FACTORS else {}
        with one_thread():
            return getattr(import_module(room), name)(**{"num_threads": 1} | seeded | self.settings)


@dataclass(frozen=True, eq=False)
class ImplicitRanker:
    """Scores by factors, with items that nobody watched after all others."""

    scorer: FactorScorer
    there: Bools

    def learnt(self) -> bytes:
        return self.scorer.learnt()

    def score(self, users: Ints, context: Context) -> Scores:
        scores = self.scorer.score(users, context)
        scores[:, ~self.there] = np.nan
        for row in range(len(scores)):
            scores[row] = settled(scores[row])
        return scores


def points(model: Any, lived: Sparse) -> FactorScorer:  # noqa: ANN401
    """Return a scorer with the factors of a model, zero for unknown people."""
    people = np.array(model.user_factors, np.float32)
    people[np.diff(lived.indptr) == 0] = 0.0
    items = np.array(model.item_factors, np.float32)
    if getattr(model, "YtY", None) is None:
        return FactorScorer(people, items)

    def fold(context: Context) -> Scores:
        rows = listed(context.lived or (), len(items))
        found: Scores = model.recalculate_user(np.arange(rows.shape[0]), as_matrix(rows))
        return found

    return FactorScorer(people, items, fold)


def lived_items(lived: Sparse) -> Bools:
    """Return which items somebody watched."""
    found: Bools = np.bincount(lived.indices, minlength=lived.shape[1]) > 0
    return found


def as_matrix(lived: Sparse) -> Any:  # noqa: ANN401
    """Return the older kind of sparse matrix, which the package requires."""
    from scipy.sparse import csr_matrix

    return csr_matrix(lived)


def similar(similarity: Any) -> Sparse:  # noqa: ANN401
    """Return [items, items] as a sorted csr_array."""
    from scipy.sparse import csr_array

    found = csr_array(similarity, dtype=np.float32)
    found.sort_indices()
    return found
