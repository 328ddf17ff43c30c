"""Nearest items: what is lived by the same people."""

from __future__ import annotations

import numpy as np

from audience.recommenders.ease import LinearScorer
from audience.recommenders.kinds import Ranker
from audience.recommenders.matrix import Sparse, check_size, lived_matrix
from audience.recommenders.scored import Scored, keys_of, top_keys
from audience.recommenders.simple import Popular
from audience.world.interactions import Interactions
from audience.world.rng import Floats, Generator

MOST_ITEMS = 50_000
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
        check_size("item-knn", len(interactions.catalogue), MOST_ITEMS, "'als' or 'bpr'")
        lived = lived_matrix(interactions, self.min_stars)
        weights = nearest(lived, self.neighbours, self.shrink)
        return Scored(LinearScorer(lived, weights), Popular().order(interactions))


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
