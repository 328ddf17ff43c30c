"""People and items as points: a score is their product."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from audience.recommenders.kinds import Context
from audience.recommenders.matrix import known
from audience.recommenders.scored import Scores
from audience.world.rng import Ints

Fold = Callable[[Context], Scores]


class FactorScorer:
    """Scores by the product of a user's point and each item's; `fold` places users anew.

    The last row of `people` is nil: that of people nobody knows.
    """

    def __init__(self, people: Scores, items: Scores, fold: Fold | None = None) -> None:
        self.people = people
        self.items = items
        self.fold = fold
        # Of a million items most may never have been lived: nil scores nil without a product.
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
        # One product of the same shape for each user: a batch is ranked as its members alone.
        for row, point in enumerate(points):
            if self._placed is None:
                np.dot(self._near, point, out=scores[row])
            else:
                scores[row, self._placed] = self._near @ point
        return scores
