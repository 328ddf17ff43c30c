"""Factor models: the Adam optimiser, and scoring by products of factors."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from audience.recommenders.matrix import known
from audience.recommenders.recommender import Context
from audience.recommenders.scored import Scores
from audience.world import Ints


class Adam:
    """Adam: gradient descent with adaptive step sizes, in place (Kingma and Ba 2015)."""

    def __init__(self, weights: Mapping[str, Scores], rate: float) -> None:
        self.weights = weights
        self.rate = rate
        self.taken = 0
        self._mean = {name: np.zeros_like(weight) for name, weight in weights.items()}
        self._square = {name: np.zeros_like(weight) for name, weight in weights.items()}

    def step(self, slopes: Mapping[str, Scores]) -> None:
        """Take one step against the gradients."""
        self.taken += 1
        size = np.float32(self.rate * np.sqrt(1 - 0.999**self.taken) / (1 - 0.9**self.taken))
        for name, slope in slopes.items():
            mean, square = self._mean[name], self._square[name]
            mean *= np.float32(0.9)
            mean += np.float32(0.1) * slope
            square *= np.float32(0.999)
            square += np.float32(0.001) * (slope * slope)
            move = np.sqrt(square)
            move += np.float32(1e-8)
            np.divide(mean, move, out=move)
            move *= size
            self.weights[name][...] -= move


Fold = Callable[[Context], Scores]


class FactorScorer:
    """Scores by the product of user and item factors; `fold` recomputes user factors.

    The last row of `people` is 0, for unknown people.
    """

    def __init__(self, people: Scores, items: Scores, fold: Fold | None = None) -> None:
        self.people = people
        self.items = items
        self.fold = fold
        # Of a million items most may never have been watched: their score is 0 without a product.
        placed = np.flatnonzero(items.any(axis=1))
        self._placed = placed if len(placed) < len(items) else None
        self._near = items[placed] if self._placed is not None else items

    def learnt(self) -> bytes:
        return np.round(self.people, 6).tobytes() + np.round(self.items, 6).tobytes()

    def score(self, users: Ints, context: Context) -> Scores:
        if self.fold is not None and context.lived is not None:
            points = self.fold(context)
        else:
            points = self.people[known(users, len(self.people) - 1)]
        scores = np.zeros((len(points), len(self.items)), np.float32)
        # One product of the same shape per user, so that a batch is ranked like single users.
        for row, point in enumerate(points):
            if self._placed is None:
                np.dot(self._near, point, out=scores[row])
            else:
                scores[row, self._placed] = self._near @ point
        return scores
