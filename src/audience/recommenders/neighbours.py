"""Neighbourhood recommenders: similar items, and what friends watched."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from audience.recommenders.ease import LinearScorer
from audience.recommenders.matrix import Sparse, check_size, lived_matrix, packed
from audience.recommenders.recommender import Context, Ranker
from audience.recommenders.scored import ScoreRanker, Scores, keys_of, top_keys
from audience.recommenders.simple import Popular
from audience.recommenders.view import Follows, RecommenderView
from audience.world import Floats, Generator, Ints

MOST_KNN_ITEMS = 50_000
_CELLS = 4_000_000


@dataclass(frozen=True, eq=False)
class ItemKNN:
    """Scores items by the sum of their cosines with watched items, among nearest neighbours.

    `neighbours` are kept for each item; `shrink` damps similarities based on few people. Items
    rated below `min_stars` do not count.
    """

    neighbours: int = 100
    shrink: float = 0.0
    min_stars: int = 0

    def fit(self, interactions: RecommenderView, rng: Generator) -> Ranker:
        del rng
        check_size("item-knn", len(interactions.catalogue), MOST_KNN_ITEMS, "'als' or 'bpr'")
        lived = lived_matrix(interactions, self.min_stars)
        weights = nearest(lived, self.neighbours, self.shrink)
        return ScoreRanker(LinearScorer(lived, weights), Popular().order(interactions))


def nearest(
    lived: Sparse, neighbours: int, shrink: float, products: Floats | None = None
) -> Sparse:
    """Return [items, items]: in each column the cosines of the item's nearest neighbours.

    `products` is the upper triangle of co-occurrences, if already known.
    """
    from scipy.sparse import csr_array

    items = lived.shape[1]
    by_item = lived.T.tocsr()
    lengths = np.sqrt(np.asarray(lived.power(2).sum(axis=0), np.float64).ravel())
    ties = np.arange(items)[::-1]
    count, step = min(neighbours, items), max(1, _CELLS // max(items, 1))
    found, owners, cosines = [], [], []
    for start in range(0, items, step):
        rows = np.arange(start, min(start + step, items))
        if products is None:
            together = (by_item[rows] @ lived).toarray()
        else:
            together = (products[rows] + products[:, rows].T).astype(np.float32)
        together /= lengths[rows][:, None] * lengths + shrink + 1e-6
        together[np.arange(len(rows)), rows] = 0.0
        top, values = top_keys(keys_of(together, ties), count)
        row, column = np.nonzero(values > 0)
        found.append(items - 1 - top[row, column])
        owners.append(rows[row])
        cosines.append(values[row, column])
    cells = (np.concatenate(found), np.concatenate(owners))
    return csr_array((np.concatenate(cosines).astype(np.float32), cells), (items, items))


@dataclass(frozen=True, eq=False)
class Social:
    """Scores items by how much of them those a user follows watched, weighted by closeness.

    Items they rated below `min_stars` do not count. Ties are those at the time of ranking, so that
    a new tie takes effect without a refit.
    """

    min_stars: int = 4

    def fit(self, interactions: RecommenderView, rng: Generator) -> Ranker:
        del rng
        lived = lived_matrix(interactions, self.min_stars)
        return ScoreRanker(FriendScorer(lived, interactions.ties), Popular().order(interactions))


@dataclass(frozen=True, eq=False)
class FriendScorer:
    """Scores by what the people a user follows watched."""

    lived: Sparse
    ties: Follows | None

    def learnt(self) -> bytes:
        return packed(self.lived)

    def score(self, users: Ints, context: Context) -> Scores:
        from scipy.sparse import csr_array

        owners, friends, closeness = [], [], []
        for row, user in enumerate(users.tolist()):
            for tie in self.ties.ties(user) if self.ties is not None and user >= 0 else ():
                if tie.other < self.lived.shape[0] - 1:
                    owners.append(row)
                    friends.append(tie.other)
                    closeness.append(tie.closeness)
        shape = (len(users), self.lived.shape[0])
        cells = (np.array(owners, np.int64), np.array(friends, np.int64))
        heard = csr_array((np.array(closeness, np.float32), cells), shape)
        heard.sort_indices()
        scores: Scores = (heard @ self.lived).toarray()
        return scores
