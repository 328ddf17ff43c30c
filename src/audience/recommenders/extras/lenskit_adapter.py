"""The adapter to the scorers of LensKit."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from audience.errors import known_name
from audience.recommenders.extras.scores import needed, settled
from audience.recommenders.matrix import counted
from audience.recommenders.recommender import Context, Ranked, Ranker
from audience.recommenders.scored import Scores, best
from audience.recommenders.simple import FixedOrder, Popular
from audience.recommenders.view import RecommenderView
from audience.world import Floats, Generator, Ints

ROOMS = {
    "BiasedMF": "als",
    "ImplicitMF": "als",
    "Bias": "basic",
    "EASE": "knn",
    "ItemKNN": "knn",
    "SLIM": "knn",
    "UserKNN": "knn",
    "FlexMFExplicit": "flexmf",
    "FlexMFImplicit": "flexmf",
}
USUAL: dict[str, dict[str, Any]] = {
    "ItemKNN": {"feedback": "implicit"},
    "UserKNN": {"feedback": "implicit"},
}
RATED = ("Bias", "BiasedMF", "FlexMFExplicit")
"""Scorers that learn from ratings, which new interactions since the fit do not have."""
_ROWS = 256


class LensKit:
    """A scorer of LensKit by its name, such as ImplicitMF, ItemKNN, EASE or BiasedMF.

    `settings` are LensKit's own, by name. Scorers of ratings learn from the stars or, without
    them, from the watched fraction mapped to 1 to 5; they rank by the predicted rating. Items
    rated below `min_stars` do not count. ImplicitMF, EASE, SLIM and the neighbours use what a user
    watched since the fit.
    """

    def __init__(
        self,
        scorer: str = "ImplicitMF",
        min_stars: int = 0,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self.scorer = known_name("scorer of LensKit", scorer, ROOMS)
        needed("lenskit", "lenskit")
        self.min_stars = min_stars
        self.settings = dict(settings or {})
        self._made()

    def fit(self, interactions: RecommenderView, rng: Generator) -> Ranker:
        popular = Popular().order(interactions)
        columns = latest(interactions, self.min_stars)
        if not len(columns["user_id"]):
            return popular
        use_one_thread()
        if self.scorer.startswith("FlexMF"):
            # Compiling takes minutes for each size, longer than training.
            import_module("torch._dynamo").config.disable = True
        frame = import_module("pandas").DataFrame(columns)
        dataset = lenskit("data", "from_interactions_df")(frame)
        seed = int(rng.integers(2**31))
        options = lenskit("training", "TrainingOptions")(rng=seed, device="cpu")
        scorer = self._made()
        # Data without structure make LensKit warn and score nothing, which is fine here.
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            scorer.train(dataset, options)
        return LensKitRanker(scorer, dataset, popular, fresh=self.scorer not in RATED)

    def _made(self) -> Any:  # noqa: ANN401
        return lenskit(ROOMS[self.scorer], f"{self.scorer}Scorer")(
            **USUAL.get(self.scorer, {}) | self.settings
        )


class LensKitRanker:
    """Ranks by asking a trained scorer about each user."""

    def __init__(self, scorer: Any, dataset: Any, popular: FixedOrder, fresh: bool) -> None:  # noqa: ANN401
        self.fresh = fresh
        self.scorer = scorer
        self.dataset = dataset
        self.popular = popular
        self.items: Ints = np.array(dataset.items.ids(), np.int64)
        self.known = frozenset(self.items.tolist())
        self.item_list = lenskit("data", "ItemList")
        self.query = lenskit("data", "RecQuery")
        self.all = self.item_list(item_ids=self.items)

    def learnt(self) -> bytes:
        """Return the scores of the first users of the training data."""
        some = self.dataset.users.ids()[:_ROWS].tolist()
        return b"".join(np.round(self._of(int(user), None), 6).tobytes() for user in some)

    def rank(self, users: Ints, k: int, context: Context) -> Ranked:
        items, scores = np.empty((len(users), k), np.int64), np.empty((len(users), k))
        for start in range(0, len(users), _ROWS):
            rows = np.arange(start, min(start + _ROWS, len(users)))
            part = context.part(rows)
            items[rows], scores[rows] = best(self.score(users[rows], part), self.popular, k, part)
        return Ranked(items, scores)

    def score(self, users: Ints, context: Context) -> Scores:
        """Return [users, items]; zeros for unknown users."""
        lived = context.lived if self.fresh else None
        rows = [
            self._of(user, None if lived is None else lived[row])
            for row, user in enumerate(users.tolist())
        ]
        return np.stack(rows) if rows else np.empty((0, len(self.popular.order)), np.float32)

    def _of(self, user: int, lived: tuple[int, ...] | None) -> Scores:
        known = self.dataset.users.number(user, missing=None) is not None
        if lived is None:
            history = self.dataset.user_row(user) if known else None
        else:
            kept = [item for item in dict.fromkeys(lived) if item in self.known]
            history = self.item_list(item_ids=np.array(kept, np.int64)) if kept else None
        row = np.full(len(self.popular.order), np.nan, np.float32)
        if known or history is not None:
            query = self.query(user_id=user if known else None, history_items=history)
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                row[self.items] = self.scorer(query=query, items=self.all).scores()
        return settled(row)


def latest(interactions: RecommenderView, min_stars: int) -> dict[str, Ints | Floats]:
    """Return the columns that LensKit reads; the latest interaction of a pair counts."""
    kept = np.flatnonzero(counted(interactions, min_stars))
    who, what = interactions.agents[kept], interactions.items[kept]
    order = np.lexsort((interactions.at[kept], what, who))
    who, what, kept = who[order], what[order], kept[order]
    last = np.ones(len(kept), np.bool_)
    last[:-1] = (who[1:] != who[:-1]) | (what[1:] != what[:-1])
    kept = kept[last]
    stars = interactions.stars[kept]
    rating = np.where(stars > 0, stars, 1.0 + 4.0 * interactions.fractions[kept])
    return {"user_id": who[last], "item_id": what[last], "rating": rating}


def lenskit(module: str, name: str) -> Any:  # noqa: ANN401
    """Return a name of LensKit, without the deprecation warnings of its own imports."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(import_module(f"lenskit.{module}"), name)


@cache
def use_one_thread() -> None:
    """Limit LensKit to one thread, since the last bits depend on the number of threads."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parallel = import_module("lenskit.parallel")
        if hasattr(parallel, "initialize"):  # LensKit 2025
            parallel.initialize(processes=1, threads=1, backend_threads=1)
        else:
            counts = {"num_batch_jobs": 1, "num_threads": 1, "num_backend_threads": 1}
            parallel.init_threading(lenskit("config", "ParallelSettings")(**counts))
