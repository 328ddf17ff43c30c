"""LightGCN: points of people and items, evened out along who lived what."""

from __future__ import annotations

import numpy as np

from audience.recommenders.bpr import pairs_of, summed
from audience.recommenders.factors import Adam, FactorScorer
from audience.recommenders.matrix import Sparse, lived_matrix
from audience.recommenders.recommender import Ranker
from audience.recommenders.scored import ScoreRanker, Scores
from audience.recommenders.simple import Popular
from audience.world import Generator, Interactions, Ints


class LightGCN:
    """Points learn as in `bpr`, after `layers` rounds of taking up their neighbours' (He 2020).

    A neighbour weighs 1 / sqrt(its neighbours x one's own), and the mean of all layers is what is
    ranked by. Every batch goes over all that was lived, so batches are large and refits dear.
    """

    def __init__(
        self,
        factors: int = 32,
        layers: int = 2,
        epochs: int = 20,
        rate: float = 0.05,
        regularisation: float = 0.0001,
        batch: int = 8192,
        min_stars: int = 0,
    ) -> None:
        self.factors = factors
        self.layers = layers
        self.epochs = epochs
        self.rate = rate
        self.regularisation = regularisation
        self.batch = batch
        self.min_stars = min_stars

    def fit(self, interactions: Interactions, rng: Generator) -> Ranker:
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
        """Go once over all that was lived, in an order of its own."""
        who, what, other = pairs_of(lived, rng)
        first = lived.shape[0]
        for start in range(0, len(who), self.batch):
            batch = slice(start, start + self.batch)
            rows = np.concatenate([who[batch], first + what[batch], first + other[batch]])
            adam.step({"points": self.slopes(adam.weights["points"], graph, rows)})

    def slopes(self, at: Scores, graph: Neighbours, rows: Ints) -> Scores:
        """Return how the loss of some pairs changes with every point."""
        me, good, poor = np.split(graph.evened(at)[rows], 3)
        gap = good - poor
        margin = np.einsum("bf,bf->b", me, gap)
        pull = (-1.0 / (1.0 + np.exp(margin)) / np.float32(len(me)))[:, None]
        towards = pull * me
        near = np.zeros_like(at)
        touched, total = summed(rows, np.concatenate([pull * gap, towards, -towards]))
        near[touched] = total
        # The way back is the way there: a neighbour weighs as much from either side.
        slopes = graph.evened(near)
        touched, own = summed(rows, at[rows])
        slopes[touched] += np.float32(self.regularisation / len(me)) * own
        return slopes


class Neighbours:
    """Who lived what as a graph of people and items, each tie weighed by how many its ends have."""

    def __init__(self, lived: Sparse, layers: int) -> None:
        self.layers = layers
        self.people = lived.shape[0]
        self.items = _weighed(lived)
        self.owners = self.items.T.tocsr()

    def evened(self, points: Scores) -> Scores:
        """Return the mean of the points and of what each layer of neighbours makes of them."""
        people, items = self.split(points)
        total = points.copy()
        for _ in range(self.layers):
            people, items = self.items @ items, self.owners @ people
            total[: self.people] += people
            total[self.people :] += items
        total /= np.float32(self.layers + 1)
        return total

    def split(self, points: Scores) -> tuple[Scores, Scores]:
        """Return the points of people and those of items."""
        return points[: self.people], points[self.people :]


def _weighed(lived: Sparse) -> Sparse:
    """Return the ties of people with items, each over the root of how many both have."""
    from scipy.sparse import csr_array

    rows = np.diff(lived.indptr)
    columns = np.bincount(lived.indices, minlength=lived.shape[1])
    many = np.repeat(rows, rows) * columns[lived.indices]
    values = (1.0 / np.sqrt(many)).astype(np.float32)
    return csr_array((values, lived.indices, lived.indptr), lived.shape)
