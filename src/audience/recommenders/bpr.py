"""Bayesian personalised ranking: matrix factorisation on pairs of items (Rendle 2009)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from audience.recommenders.factors import FactorScorer
from audience.recommenders.matrix import Sparse, lived_matrix
from audience.recommenders.recommender import Ranker
from audience.recommenders.scored import ScoreRanker, Scores
from audience.recommenders.simple import Popular
from audience.recommenders.view import RecommenderView
from audience.world import Bools, Generator, Ints


@dataclass(frozen=True, eq=False)
class BPR:
    """Factors trained on pairs of a watched and an unwatched item.

    Each epoch draws one unwatched item for each watched one. Adam takes steps of `rate` over
    batches of `batch` pairs; `regularisation` pulls factors towards 0. Training takes `epochs`
    passes over the interactions, so refit it seldom.
    """

    factors: int = 64
    epochs: int = 30
    rate: float = 0.002
    regularisation: float = 0.0
    batch: int = 2048
    min_stars: int = 0

    def fit(self, interactions: RecommenderView, rng: Generator) -> Ranker:
        lived = lived_matrix(interactions, self.min_stars)
        people = Points(lived.shape[0], self.factors, rng)
        items = Points(lived.shape[1], self.factors, rng)
        for _ in range(self.epochs):
            self.learn(lived, people, items, rng)
        people.at[np.diff(lived.indptr) == 0] = 0.0
        items.at[np.bincount(lived.indices, minlength=lived.shape[1]) == 0] = 0.0
        return ScoreRanker(FactorScorer(people.at, items.at), Popular().order(interactions))

    def learn(self, lived: Sparse, people: Points, items: Points, rng: Generator) -> None:
        """Run one epoch over all interactions in random order."""
        who, what, other = pairs_of(lived, rng)
        for start in range(0, len(who), self.batch):
            batch = slice(start, start + self.batch)
            self._step(people, items, who[batch], what[batch], other[batch])

    def _step(self, people: Points, items: Points, who: Ints, what: Ints, other: Ints) -> None:
        me, good, poor = people.at[who], items.at[what], items.at[other]
        gap = good - poor
        margin = np.einsum("bf,bf->b", me, gap)
        pull = (-1.0 / (1.0 + np.exp(margin)) / np.float32(len(who)))[:, None]
        weight = np.float32(self.regularisation / len(who))
        towards = pull * me
        people.move(who, pull * gap + weight * me, self.rate)
        both = np.concatenate([towards + weight * good, weight * poor - towards])
        items.move(np.concatenate([what, other]), both, self.rate)


class Points:
    """Factors updated by Adam, only those that a batch touches."""

    def __init__(self, count: int, factors: int, rng: Generator) -> None:
        spread = np.float32(np.sqrt(2.0 / (count + factors)))
        self.at: Scores = spread * rng.standard_normal((count, factors), np.float32)
        self._mean = np.zeros_like(self.at)
        self._square = np.zeros_like(self.at)
        self._steps = 0

    def move(self, rows: Ints, slopes: Scores, rate: float) -> None:
        """Take one step against the gradients, summed for repeated rows."""
        self._steps += 1
        touched, total = summed(rows, slopes)
        mean = self._mean[touched] * np.float32(0.9)
        square = self._square[touched] * np.float32(0.999)
        total *= np.float32(0.1)
        mean += total
        total *= total
        total *= np.float32(0.1)  # 0.001 of the square, of which it holds a hundredth
        square += total
        self._mean[touched], self._square[touched] = mean, square
        step = np.float32(rate * np.sqrt(1 - 0.999**self._steps) / (1 - 0.9**self._steps))
        np.sqrt(square, out=total)
        total += np.float32(1e-8)
        np.divide(mean, total, out=total)
        total *= step
        self.at[touched] -= total


def summed(rows: Ints, values: Scores) -> tuple[Ints, Scores]:
    """Return the distinct rows and the sum of the values of each."""
    from scipy.sparse import csr_array

    order = np.argsort(rows, kind="stable")
    ordered = rows[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    bounds = np.append(starts, len(rows))
    shape = (len(starts), len(rows))
    gather = csr_array((np.ones(len(rows), np.float32), order, bounds), shape)
    total: Scores = gather @ values
    return ordered[starts], total


def pairs_of(lived: Sparse, rng: Generator) -> tuple[Ints, Ints, Ints]:
    """Return users and watched items in random order, with an unwatched item for each."""
    who = np.repeat(np.arange(lived.shape[0]), np.diff(lived.indptr))
    order = rng.permutation(len(who))
    who, what = who[order], lived.indices[order].astype(np.int64)
    return who, what, others_for(who, lived, rng)


def others_for(who: Ints, lived: Sparse, rng: Generator) -> Ints:
    """Return for each entry an item that its user did not watch, drawn uniformly.

    A user who watched nearly everything may keep a watched one after some tries.
    """
    items = lived.shape[1]
    cells = np.repeat(np.arange(lived.shape[0]), np.diff(lived.indptr)) * items + lived.indices
    drawn = rng.integers(0, items, len(who))
    wrong = np.flatnonzero(_inside(cells, who * items + drawn))
    for _ in range(20):
        if not len(wrong):
            break
        drawn[wrong] = rng.integers(0, items, len(wrong))
        wrong = wrong[_inside(cells, who[wrong] * items + drawn[wrong])]
    return drawn


def _inside(cells: Ints, wanted: Ints) -> Bools:
    places = np.minimum(np.searchsorted(cells, wanted), len(cells) - 1)
    found: Bools = cells[places] == wanted
    return found
