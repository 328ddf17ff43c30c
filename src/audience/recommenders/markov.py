"""A Markov chain recommender: what tends to follow the last watched items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from audience.recommenders.matrix import Sparse, counted, flat, known, packed
from audience.recommenders.recommender import Context, Ranker
from audience.recommenders.scored import ScoreRanker, Scores
from audience.recommenders.simple import Popular
from audience.recommenders.view import RecommenderView
from audience.world import Floats, Generator, Ints


@dataclass(frozen=True, eq=False)
class Markov:
    """Scores items by how often they followed the last watched ones.

    The last `recent` items count, each `fading` times as much as the next. An item follows another
    within `reach` positions, weighted by nearness; counts are divided by the item's own count to
    the power of `evening`, which damps popular items. Uses what a user watched since the fit.
    """

    recent: int = 20
    reach: int = 10
    fading: float = 0.85
    evening: float = 0.3
    min_stars: int = 0

    def fit(self, interactions: RecommenderView, rng: Generator) -> Ranker:
        del rng
        kept = counted(interactions, self.min_stars)
        who, what = interactions.agents[kept], interactions.items[kept]
        order = np.lexsort((interactions.at[kept], who))
        who, what = who[order], what[order]
        items = len(interactions.catalogue)
        follows = followers(who, what, self.reach, self.evening, items)
        bounds = np.searchsorted(who, np.arange(interactions.people + 2))
        fading: Floats = np.power(self.fading, np.arange(self.recent), dtype=np.float64)
        scorer = ChainScorer(follows, what, bounds, fading)
        return ScoreRanker(scorer, Popular().order(interactions))


@dataclass(frozen=True, eq=False)
class ChainScorer:
    """Scores by what followed the last items of each user."""

    follows: Sparse
    what: Ints
    bounds: Ints
    fading: Floats

    def learnt(self) -> bytes:
        return packed(self.follows)

    def parts(self, users: Ints, context: Context) -> tuple[Sparse, Sparse]:
        """Return [users, items] and [items, items]: scores are their product."""
        from scipy.sparse import csr_array

        recent = len(self.fading)
        lists = context.lived if context.lived is not None else self._last(users)
        owners, places = flat([items_[-recent:] for items_ in lists], self.follows.shape[0])
        counts = np.bincount(owners, minlength=len(lists))
        ages = np.repeat(np.cumsum(counts), counts) - 1 - np.arange(len(owners))
        weights = self.fading[ages].astype(np.float32)
        rows = csr_array((weights, (owners, places)), (len(lists), self.follows.shape[0]))
        return rows, self.follows

    def score(self, users: Ints, context: Context) -> Scores:
        rows, follows = self.parts(users, context)
        scores: Scores = (rows @ follows).toarray()
        return scores

    def _last(self, users: Ints) -> list[tuple[int, ...]]:
        rows = known(users, len(self.bounds) - 2).tolist()
        recent = len(self.fading)
        spans = [(int(self.bounds[row]), int(self.bounds[row + 1])) for row in rows]
        return [tuple(self.what[max(begin, end - recent) : end].tolist()) for begin, end in spans]


def followers(who: Ints, what: Ints, reach: int, evening: float, items: int) -> Sparse:
    """Return [items, items]: how strongly each item is followed by each other one."""
    from scipy.sparse import coo_array, csr_array

    total = csr_array((items, items), dtype=np.float32)
    for distance in range(1, min(reach, max(len(who) - 1, 0)) + 1):
        same = (who[distance:] == who[:-distance]) & (what[distance:] != what[:-distance])
        pairs = (what[:-distance][same], what[distance:][same])
        weights = np.full(len(pairs[0]), 1.0 / distance, np.float32)
        total = total + coo_array((weights, pairs), (items, items)).tocsr()
    often = np.maximum(np.bincount(what, minlength=items), 1).astype(np.float64)
    total.sort_indices()
    owners = np.repeat(np.arange(items), np.diff(total.indptr))
    total.data = (total.data / (often[owners] * often[total.indices] ** evening)).astype(np.float32)
    return total
