"""From scores to slates: the one place where items are sorted."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from audience.recommenders.matrix import flat
from audience.recommenders.recommender import Context, Ranked
from audience.recommenders.simple import FixedOrder
from audience.world import Floats, Ints

Scores = NDArray[np.float32]
STEPS = 1_000_000
"""Scores that agree to a millionth count as equal."""
_CELLS = 1_000_000
_BARRED = np.iinfo(np.int64).min


class Scorer(Protocol):
    """A fitted scoring; a user's row must not depend on the other users of a batch."""

    def score(self, users: Ints, context: Context) -> Scores:
        """Return [users, items] as a new array; zeros for unknown users."""
        ...

    def learnt(self) -> bytes:
        """Return what was learned as rounded bytes, equal for equal fits."""
        ...


@dataclass(frozen=True, eq=False)
class ScoreRanker:
    """Ranks by score, then popularity, then id, so that unknown users see popular items."""

    scorer: Scorer
    popular: FixedOrder

    def learnt(self) -> bytes:
        return self.scorer.learnt()

    def rank(self, users: Ints, k: int, context: Context) -> Ranked:
        # Pieces fit into the cache; rows are independent, so threads change nothing.
        step = max(1, min(256, _CELLS // max(len(self.popular.order), 1)))
        starts = range(0, len(users), step)

        def piece(start: int) -> tuple[Ints, Floats]:
            rows = np.arange(start, min(start + step, len(users)))
            part = context.part(rows)
            return best(self.scorer.score(users[rows], part), self.popular, k, part)

        if len(starts) <= 1:
            return Ranked(*piece(0))
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as threads:
            items, scores = zip(*threads.map(piece, starts), strict=True)
        return Ranked(np.concatenate(items), np.concatenate(scores))


def best(scores: Scores, popular: FixedOrder, k: int, context: Context) -> tuple[Ints, Floats]:
    """Return the k best allowed items of each row and their scores; `scores` is overwritten."""
    items = scores.shape[1]
    keys = keys_of(scores, items - 1 - popular.places)
    if context.candidates is not None:
        keys = _only(keys, context.candidates)
    keys[flat(context.exclude, items)] = _BARRED
    top, values = top_keys(keys, min(k, items))
    found = popular.order[items - 1 - top]
    left = ~np.isnan(values)
    slates = np.full((len(keys), k), -1, np.int64)
    shown = np.full((len(keys), k), np.nan)
    slates[:, : top.shape[1]] = np.where(left, found, -1)
    shown[:, : top.shape[1]] = values
    return slates, shown


def keys_of(scores: Scores, ties: Ints) -> Ints:
    """Return integers in the order of (rounded score, ties); ties are 0 to n - 1, each once.

    `scores` is overwritten. No two keys of a row are equal, so every sort agrees.
    """
    scores *= np.float32(STEPS)
    np.rint(scores, out=scores)
    keys = scores.astype(np.int64)
    keys <<= _bits(scores.shape[1])
    keys |= ties
    return keys


def top_keys(keys: Ints, k: int) -> tuple[Ints, Floats]:
    """Return the ties and the scores of the k largest keys of each row; NaN for the barred."""
    items = keys.shape[1]
    if k < items:
        keys.partition(items - k, axis=1)
    top = np.sort(keys[:, items - k :], axis=1)[:, ::-1]
    bits = _bits(items)
    values = np.where(top == _BARRED, np.nan, (top >> bits) / STEPS)
    return top & ((1 << bits) - 1), values


def _only(keys: Ints, candidates: Sequence[tuple[int, ...]]) -> Ints:
    kept = np.full_like(keys, _BARRED)
    cells = flat(candidates, keys.shape[1])
    kept[cells] = keys[cells]
    return kept


def _bits(items: int) -> int:
    return max(items - 1, 1).bit_length()
