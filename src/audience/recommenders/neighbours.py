"""Nearest items: what is lived by the same people."""

from __future__ import annotations

import numpy as np

from audience.recommenders.ease import LinearScorer
from audience.recommenders.matrix import Sparse, check_size, lived_matrix, packed
from audience.recommenders.recommender import Context, Ranker
from audience.recommenders.scored import ScoreRanker, Scores, keys_of, top_keys
from audience.recommenders.simple import Popular
from audience.world import Floats, Generator, Interactions, Ints, SocialGraph

MOST_KNN_ITEMS = 50_000
_CELLS = 4_000_000


class ItemKNN:
    """An item's score is the sum of its cosines with what was lived, over its nearest neighbours.

    `neighbours` are kept for each item; `shrink` takes weight from likeness that rests on few
    people. What was rated below `min_stars` does not count.
    """

    def __init__(self, neighbours: int = 100, shrink: float = 0.0, min_stars: int = 0) -> None:
        self.neighbours = neighbours
        self.shrink = shrink
        self.min_stars = min_stars

    def fit(self, interactions: Interactions, rng: Generator) -> Ranker:
        del rng
        check_size("item-knn", len(interactions.catalogue), MOST_KNN_ITEMS, "'als' or 'bpr'")
        lived = lived_matrix(interactions, self.min_stars)
        weights = nearest(lived, self.neighbours, self.shrink)
        return ScoreRanker(LinearScorer(lived, weights), Popular().order(interactions))


def nearest(
    lived: Sparse, neighbours: int, shrink: float, products: Floats | None = None
) -> Sparse:
    """Return [items, items]: in each column the cosines of the item's nearest neighbours.

    `products` is the upper triangle of co-occurrences, where that is known already.
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


class Social:
    """An item's score is how much of it was lived by those a user listens to, the closer the more.

    What they rated below `min_stars` does not count. Ties are those of the moment of ranking:
    whoever follows somebody new sees what that one enjoyed without a new fit.
    """

    def __init__(self, min_stars: int = 4) -> None:
        self.min_stars = min_stars

    def fit(self, interactions: Interactions, rng: Generator) -> Ranker:
        del rng
        lived = lived_matrix(interactions, self.min_stars)
        return ScoreRanker(FriendScorer(lived, interactions.ties), Popular().order(interactions))


class FriendScorer:
    """Adds up what the people whom a user listens to lived."""

    def __init__(self, lived: Sparse, ties: SocialGraph | None) -> None:
        self.lived = lived
        self.ties = ties

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
