"""MultVAE: a variational autoencoder of histories (Liang 2018)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from audience.recommenders.factors import Adam
from audience.recommenders.matrix import Sparse, check_size, lived_matrix, one_thread, rows_for
from audience.recommenders.recommender import Context, Ranker
from audience.recommenders.scored import ScoreRanker, Scores
from audience.recommenders.simple import Popular
from audience.recommenders.view import RecommenderView
from audience.world import Bools, Generator, Ints

MOST_ITEMS = 50_000
Weights = dict[str, Scores]


@dataclass(frozen=True, eq=False)
class MultVAE:
    """Encodes histories in `factors` numbers and decodes them to shares of items.

    Learns to reconstruct what `dropout` removed from each history. The code is kept close to a
    standard normal by `anneal`, reached after a fifth of all steps. Uses what a user watched since
    the fit.
    """

    factors: int = 64
    hidden: int = 256
    epochs: int = 40
    rate: float = 0.003
    dropout: float = 0.5
    anneal: float = 0.2
    batch: int = 128
    min_stars: int = 0

    def fit(self, interactions: RecommenderView, rng: Generator) -> Ranker:
        check_size("multvae", len(interactions.catalogue), MOST_ITEMS, "'als' or 'bpr'")
        lived = lived_matrix(interactions, self.min_stars)
        lived.data[:] = 1.0
        weights = self.started(lived.shape[1], rng)
        adam = Adam(weights, self.rate)
        known = np.flatnonzero(np.diff(lived.indptr))
        starts = range(0, len(known), self.batch)
        slow = max(1.0, 0.2 * self.epochs * len(starts))
        with one_thread():
            for _ in range(self.epochs):
                order = rng.permutation(known)
                for start in starts:
                    near = np.float32(self.anneal * min(1.0, adam.taken / slow))
                    part = lived[order[start : start + self.batch]]
                    adam.step(self.slopes(part, weights, near, rng))
        seen = np.bincount(lived.indices, minlength=lived.shape[1]) > 0
        return ScoreRanker(Retold(lived, weights, seen), Popular().order(interactions))

    def started(self, items: int, rng: Generator) -> Weights:
        """Return the initial weights."""
        shapes = {
            "in": (items, self.hidden),
            "code": (self.hidden, 2 * self.factors),
            "back": (self.factors, self.hidden),
            "out": (self.hidden, items),
        }
        found: Weights = {}
        for name, shape in shapes.items():
            spread = np.float32(np.sqrt(2.0 / sum(shape)))
            found[name] = spread * rng.standard_normal(shape, np.float32)
            found[f"{name}+"] = np.zeros(shape[1], np.float32)
        return found

    def slopes(self, lived: Sparse, w: Weights, near: np.float32, rng: Generator) -> Weights:
        """Return the gradient of the loss of some histories with respect to all weights."""
        people, size = np.float32(lived.shape[0]), self.factors
        given = self._thinned(lived, rng)
        first = np.tanh(given @ w["in"] + w["in+"])
        code = first @ w["code"] + w["code+"]
        mean, spread = code[:, :size], np.exp(0.5 * code[:, size:])
        noise = rng.standard_normal(mean.shape, np.float32)
        drawn = mean + spread * noise
        second = np.tanh(drawn @ w["back"] + w["back+"])
        told = softmax(second @ w["out"] + w["out+"])
        # Cross entropy of the histories, each weighted by its length.
        told *= np.diff(lived.indptr)[:, None].astype(np.float32)
        rows = np.repeat(np.arange(lived.shape[0]), np.diff(lived.indptr))
        told[rows, lived.indices] -= 1.0
        told /= people
        found = {"out": second.T @ told, "out+": told.sum(axis=0)}
        inner = (told @ w["out"].T) * (1.0 - second * second)
        found |= {"back": drawn.T @ inner, "back+": inner.sum(axis=0)}
        inner = inner @ w["back"].T
        bound = near / people
        wide = inner * noise * spread * np.float32(0.5) + bound * 0.5 * (spread * spread - 1.0)
        inner = np.concatenate([inner + bound * mean, wide], axis=1)
        found |= {"code": first.T @ inner, "code+": inner.sum(axis=0)}
        inner = (inner @ w["code"].T) * (1.0 - first * first)
        return found | {"in": given.T @ inner, "in+": inner.sum(axis=0)}

    def _thinned(self, lived: Sparse, rng: Generator) -> Sparse:
        """Return unit histories after dropout."""
        given = unit(lived)
        kept = rng.random(len(given.data), np.float32) >= self.dropout
        given.data *= kept / np.float32(1.0 - self.dropout)
        return given


class Retold:
    """Scores by the decoded history, before the softmax."""

    def __init__(self, lived: Sparse, weights: Mapping[str, Scores], seen: Bools) -> None:
        self.lived = lived
        self.weights = weights
        self.unseen = np.flatnonzero(~seen)
        self._out = np.ascontiguousarray(weights["out"].T)

    def learnt(self) -> bytes:
        return b"".join(np.round(weight, 5).tobytes() for weight in self.weights.values())

    def score(self, users: Ints, context: Context) -> Scores:
        w, size = self.weights, len(self.weights["back"])
        given = rows_for(self.lived, users, context)
        given.data = np.ones_like(given.data)
        # A sparse product adds in one order whoever else is in the batch; BLAS does not, and so
        # gets one product of the same shape for each user.
        first = np.tanh(unit(given) @ w["in"] + w["in+"])
        scores = np.zeros(given.shape, np.float32)
        for row in np.flatnonzero(np.diff(given.indptr)).tolist():
            code = first[row] @ w["code"][:, :size] + w["code+"][:size]
            second = np.tanh(code @ w["back"] + w["back+"])
            told = self._out @ second + w["out+"]
            told[self.unseen] = told.min()
            # The minimum is 0, so that unseen items never precede popular ones.
            scores[row] = told - told.min()
        return scores


def unit(lived: Sparse) -> Sparse:
    """Return histories scaled to length 1."""
    from scipy.sparse import csr_array

    counts = np.diff(lived.indptr)
    values = np.repeat(1.0 / np.sqrt(np.maximum(counts, 1)), counts).astype(np.float32)
    return csr_array((values, lived.indices, lived.indptr), lived.shape)


def softmax(scores: Scores) -> Scores:
    """Return the softmax of each row."""
    scores = scores - scores.max(axis=1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)
    return scores
