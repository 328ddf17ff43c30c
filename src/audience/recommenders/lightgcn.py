"""LightGCN: factors smoothed over the graph of who watched what (He 2020)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from audience.recommenders.bpr import pairs_of, summed
from audience.recommenders.factors import Adam, FactorScorer
from audience.recommenders.matrix import Sparse, lived_matrix
from audience.recommenders.recommender import Ranker
from audience.recommenders.scored import ScoreRanker, Scores
from audience.recommenders.simple import Popular
from audience.recommenders.view import RecommenderView
from audience.world import Generator, Ints


@dataclass(frozen=True, eq=False)
class LightGCN:
    """Trains like `bpr`, on factors averaged over `layers` steps of neighbourhood smoothing.

    A neighbour weighs 1 / sqrt(product of both degrees), and items are ranked by the mean of all
    layers. Every batch uses all interactions, so batches are large and refits expensive.
    """

    factors: int = 32
    layers: int = 2
    epochs: int = 20
    rate: float = 0.05
    regularisation: float = 0.0001
    batch: int = 8192
    min_stars: int = 0

    def fit(self, interactions: RecommenderView, rng: Generator) -> Ranker:
        lived = lived_matrix(interactions, self.min_stars)
        graph = Neighbours(lived, self.layers)
        shape = (sum(lived.shape), self.factors)
        points = np.float32(0.1) * rng.standard_normal(shape, np.float32)
        adam = Adam({"points": points}, self.rate)
        for _ in range(self.epochs):
            self.learn(lived, graph, adam, rng)
        people, items = graph.split(graph.evened(points))
        people[np.diff(lived.indptr) == 0] = 0.0
        items[np.bincount(lived.indices, minlength=lived.shape[1]) == 0] = 0.0
        return ScoreRanker(FactorScorer(people, items), Popular().order(interactions))

    def learn(self, lived: Sparse, graph: Neighbours, adam: Adam, rng: Generator) -> None:
        """Run one epoch over all interactions in random order."""
        who, what, other = pairs_of(lived, rng)
        first = lived.shape[0]
        for start in range(0, len(who), self.batch):
            batch = slice(start, start + self.batch)
            rows = np.concatenate([who[batch], first + what[batch], first + other[batch]])
            adam.step({"points": self.slopes(adam.weights["points"], graph, rows)})

    def slopes(self, at: Scores, graph: Neighbours, rows: Ints) -> Scores:
        """Return the gradient of the loss of some pairs with respect to all factors."""
        me, good, poor = np.split(graph.evened(at)[rows], 3)
        gap = good - poor
        margin = np.einsum("bf,bf->b", me, gap)
        pull = (-1.0 / (1.0 + np.exp(margin)) / np.float32(len(me)))[:, None]
        towards = pull * me
        near = np.zeros_like(at)
        touched, total = summed(rows, np.concatenate([pull * gap, towards, -towards]))
        near[touched] = total
        # The smoothing is symmetric, so its transpose is itself.
        slopes = graph.evened(near)
        touched, own = summed(rows, at[rows])
        slopes[touched] += np.float32(self.regularisation / len(me)) * own
        return slopes


class Neighbours:
    """The graph of people and watched items, with normalised edge weights."""

    def __init__(self, lived: Sparse, layers: int) -> None:
        self.layers = layers
        self.people = lived.shape[0]
        self.items = _weighed(lived)
        self.owners = self.items.T.tocsr()

    def evened(self, points: Scores) -> Scores:
        """Return the mean of the factors over all layers of smoothing."""
        people, items = self.split(points)
        total = points.copy()
        for _ in range(self.layers):
            people, items = self.items @ items, self.owners @ people
            total[: self.people] += people
            total[self.people :] += items
        total /= np.float32(self.layers + 1)
        return total

    def split(self, points: Scores) -> tuple[Scores, Scores]:
        """Return the factors of people and those of items."""
        return points[: self.people], points[self.people :]


def _weighed(lived: Sparse) -> Sparse:
    """Return the edges, each divided by the root of the product of both degrees."""
    from scipy.sparse import csr_array

    rows = np.diff(lived.indptr)
    columns = np.bincount(lived.indices, minlength=lived.shape[1])
    many = np.repeat(rows, rows) * columns[lived.indices]
    values = (1.0 / np.sqrt(many)).astype(np.float32)
    return csr_array((values, lived.indices, lived.indptr), lived.shape)
