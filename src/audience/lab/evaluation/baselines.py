"""Baselines without a mind, from chance to a logistic mix of all the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from audience.grounding import Lives
from audience.lab.evaluation.cases import Case, Contestant
from audience.llm import open_embedder
from audience.recommenders import (
    MOST_EASE_ITEMS as MOST_EASE,
    MOST_KNN_ITEMS as MOST_KNN,
    ChainScorer,
    Context,
    ItemKNN,
    LinearScorer,
    Recommender,
    RecommenderView,
    Scorer,
    ScoreRanker,
    Sparse,
    check_size,
    lived_matrix,
    nearest,
    one_thread,
    products,
    seen_by_recommender,
    solved,
    text_of,
)
from audience.world import Floats, Interactions, Ints, dice, rng

RECENT = 20
"""How many of the last items of a history are compared."""
YEARS = 60.0
MOST_ITEMS = 6_000
"""Catalogues up to this size keep a dense table of item pairs, to look up few scores."""
OfHistory = Callable[[tuple[int, ...], Ints], Floats]
OfRow = Callable[[int, Ints], Floats]


INTERESTS = 3
"""Kinds that a person likes, as many as people made from data get."""


class Ground:
    """A training part with what several baselines derive from it, computed once."""

    def __init__(self, lives: Lives, seed: int, weighed: Lives | None = None) -> None:
        self.lives = lives
        self.seed = seed
        self.weighed = weighed
        """The part of it that weights are learnt from, where several task sets share that."""
        self.made: dict[str, Contestant] = {}
        """Contestants fitted on it, by name."""

    @cached_property
    def _usual(self) -> Floats:
        """The root of each tag's share of everything consumed."""
        lives = self.lives
        sums = lives.catalogue.weights[lives.items].sum(axis=0)
        usual: Floats = np.sqrt(np.maximum(sums / max(float(sums.sum()), 1.0), 1e-9))
        return usual

    def dearest(self, history: Sequence[int]) -> list[int]:
        """Return the tags that a history has more of than others, as for people made from data."""
        lived = self.lives.catalogue.weights[list(history)]
        shares = lived.sum(axis=0) / max(float(lived.sum()), 1e-9)
        first = np.argsort(-shares / self._usual, kind="stable")[:INTERESTS]
        return [tag for tag in first.tolist() if shares[tag] > 0]

    @cached_property
    def interactions(self) -> RecommenderView:
        """The training part as recommenders take it; half stars are rounded up."""
        lives = self.lives
        stars = np.floor(lives.stars + 0.5).astype(np.int64)
        columns = (lives.users, lives.items, lives.at, np.ones(len(lives.users)), stars)
        return seen_by_recommender(Interactions.of(lives.catalogue, lives.people, columns))

    @cached_property
    def lived(self) -> Sparse:
        """Who consumed what."""
        return lived_matrix(self.interactions)

    @cached_property
    def together(self) -> Floats:
        """The upper triangle of [items, items]: how many people consumed both."""
        with one_thread():
            return products(self.lived)

    @cached_property
    def popularity(self) -> Floats:
        counts = np.bincount(self.lives.items, minlength=len(self.lives.catalogue))
        return counts.astype(np.float64)

    @cached_property
    def quality(self) -> Floats:
        """Quality of each item, 0 to 1, shrunk to the overall mean; 0.5 without stars."""
        rated = self.lives.stars > 0
        if not rated.any():
            return np.full(len(self.lives.catalogue), 0.5)
        items, stars = self.lives.items[rated], self.lives.stars[rated]
        count = np.bincount(items, minlength=len(self.lives.catalogue))
        sums = np.bincount(items, stars, len(self.lives.catalogue))
        scaled: Floats = ((sums + 10.0 * stars.mean()) / (count + 10.0) - 1.0) / 4.0
        return np.clip(scaled, 0.0, 1.0)


def by_history(cases: Sequence[Case], score: OfHistory) -> list[Floats]:
    """Return the scores of each case, asking for cases with the same history together.

    For contestants that score every candidate on its own.
    """
    rows: dict[tuple[int, ...], list[int]] = {}
    for number, case in enumerate(cases):
        rows.setdefault(case.history, []).append(number)
    results: list[Floats] = [np.empty(0)] * len(cases)
    for history, mine in rows.items():
        items = [item for number in mine for item in cases[number].candidates]
        scores, start = score(history, np.array(items, np.int64)), 0
        for number in mine:
            end = start + len(cases[number].candidates)
            results[number], start = scores[start:end], end
    return results


class Chance:
    """Random scores by named draws: what knowing nothing is worth."""

    name = "random"

    def __init__(self, ground: Ground) -> None:
        self.seed = ground.seed

    async def score(self, cases: Sequence[Case]) -> Sequence[Floats]:
        return [
            dice(self.seed, "eval", "random", case.user, np.array(case.candidates)).uniform("score")
            for case in cases
        ]


class PopularityBaseline:
    """Scores an item by how many people consumed it."""

    name = "popularity"

    def __init__(self, ground: Ground) -> None:
        self.counts = ground.popularity

    async def score(self, cases: Sequence[Case]) -> Sequence[Floats]:
        return [self.counts[list(case.candidates)] for case in cases]


class Vectors:
    """Scores by the cosine between a candidate and the mean of the history, in some space."""

    def __init__(self, name: str, vectors: Floats) -> None:
        self.name = name
        self.vectors = vectors

    async def score(self, cases: Sequence[Case]) -> Sequence[Floats]:
        return by_history(cases, self._near)

    def _near(self, history: tuple[int, ...], candidates: Ints) -> Floats:
        mean = self.vectors[list(history)].mean(axis=0)
        mean = mean / max(float(np.sqrt((mean * mean).sum())), 1e-9)
        near: Floats = (self.vectors[candidates] * mean).sum(axis=1)
        return np.round(near, 6)


def genres(ground: Ground) -> Vectors:
    """Return the genre profile: how a history is distributed over tags."""
    weights = ground.lives.catalogue.weights
    return Vectors("genre profile", unit(weights))


async def embedding(ground: Ground, kind: str) -> Vectors:
    """Return the text embedding of titles, tags and descriptions."""
    texts = [text_of(item) for item in ground.lives.catalogue.items]
    vectors = await open_embedder(kind).embed(texts)
    return Vectors(f"text embedding ({kind})", unit(np.asarray(vectors, np.float64)))


class RecSim:
    """RecSim's classical user: an interest in [-1, 1] per topic, the item of the favourite topic.

    The interest in a topic is the share of the history that has it, scaled so that the favourite
    is 1 and a topic never met is -1.
    """

    name = "recsim"

    def __init__(self, ground: Ground) -> None:
        catalogue = ground.lives.catalogue
        tagged = catalogue.weights if catalogue.weights.shape[1] else np.ones((len(catalogue), 1))
        self.topics = tagged.argmax(axis=1)
        self.count = tagged.shape[1]

    async def score(self, cases: Sequence[Case]) -> Sequence[Floats]:
        return by_history(cases, self._interest)

    def _interest(self, history: tuple[int, ...], candidates: Ints) -> Floats:
        sums = np.bincount(self.topics[list(history)], minlength=self.count).astype(np.float64)
        interests = 2.0 * sums / max(float(sums.max()), 1.0) - 1.0
        scores: Floats = interests[self.topics[candidates]]
        return scores


class RecommenderBaseline:
    """A recommender's scores of the candidates, from the history of the case."""

    def __init__(self, name: str, scorer: Scorer) -> None:
        self.name = name
        self.scorer = scorer

    async def score(self, cases: Sequence[Case]) -> Sequence[Floats]:
        histories = list(dict.fromkeys(case.history for case in cases))
        places = {history: place for place, history in enumerate(histories)}
        row = self._few(histories) or self._all(histories)
        return by_history(cases, lambda history, candidates: row(places[history], candidates))

    def _few(self, histories: Sequence[tuple[int, ...]]) -> OfRow | None:
        """Return a scorer of single candidates, where scores are sums over a table that fits.

        A whole row has a hundred times as many.
        """
        if not isinstance(self.scorer, LinearScorer | ChainScorer):
            return None
        rows, table = self.scorer.parts(*_strangers(histories))
        if table.shape[0] > MOST_ITEMS:
            return None
        dense = table if isinstance(table, np.ndarray) else table.toarray()

        def row(place: int, candidates: Ints) -> Floats:
            mine = slice(rows.indptr[place], rows.indptr[place + 1])
            cells = dense[rows.indices[mine, None], candidates]
            cells *= rows.data[mine, None]
            sums: Floats = cells.sum(axis=0, dtype=np.float64)
            return np.round(sums, 6)

        return row

    def _all(self, histories: Sequence[tuple[int, ...]]) -> OfRow:
        def row(place: int, candidates: Ints) -> Floats:
            scores = self.scorer.score(*_strangers(histories[place : place + 1]))
            exact: Floats = scores[0, candidates].astype(np.float64)
            return np.round(exact, 6)

        return row


def _strangers(histories: Sequence[tuple[int, ...]]) -> tuple[Ints, Context]:
    """Return people of whom only a history is known, as recommenders are asked."""
    pages = np.zeros(len(histories), np.int64)
    draws = dice(0, "eval", "rank", np.arange(len(histories)))
    return pages - 1, Context(pages, pages, [()] * len(histories), draws, lived=histories)


def ranked(name: str, recommender: Recommender, ground: Ground) -> RecommenderBaseline:
    """Return a recommender fitted on a training part as a contestant."""
    ranker = recommender.fit(ground.interactions, rng(ground.seed, "fit", 0))
    if not isinstance(ranker, ScoreRanker):
        raise TypeError(f"{name} gives no scores")
    return RecommenderBaseline(name, ranker.scorer)


def ease(ground: Ground, regularisation: float) -> RecommenderBaseline:
    """Return EASE, from co-occurrences that are counted once for all who need them."""
    check_size("ease", len(ground.lives.catalogue), MOST_EASE, "--min-per-item")
    with one_thread():
        weights = solved(ground.together.copy(order="F"), regularisation)
    return RecommenderBaseline("ease", LinearScorer(ground.lived, weights))


def item_knn(ground: Ground) -> RecommenderBaseline:
    """Return the nearest items as `ItemKNN` computes them."""
    plain, items = ItemKNN(), len(ground.lives.catalogue)
    check_size("item-knn", items, MOST_KNN, "--min-per-item")
    known = ground.together if items <= MOST_EASE else None
    weights = nearest(ground.lived, plain.neighbours, plain.shrink, known)
    return RecommenderBaseline("item-knn", LinearScorer(ground.lived, weights))


def unit(vectors: Floats) -> Floats:
    """Return rows scaled to length 1; zero rows stay."""
    lengths = np.sqrt((vectors * vectors).sum(axis=1, keepdims=True))
    scaled: Floats = vectors / np.maximum(lengths, 1e-9)
    return scaled


class _Recent:
    """How near a candidate is to the latest items; only part of the mixes."""

    def __init__(self, name: str, near: Callable[[Ints, Ints], Floats]) -> None:
        self.name = name
        self.near = near

    async def score(self, cases: Sequence[Case]) -> Sequence[Floats]:
        return by_history(
            cases,
            lambda history, candidates: np.round(
                self.near(candidates, np.array(history[-RECENT:])).mean(axis=1), 6
            ),
        )


def recent_genres(ground: Ground) -> _Recent:
    """Return the mean cosine of genres with the last items."""
    tags = unit(ground.lives.catalogue.weights)
    return _Recent(
        "recent_genres",
        lambda candidates, last: (tags[candidates][:, None] * tags[last][None]).sum(axis=2),
    )


def recent_years(ground: Ground) -> _Recent:
    """Return how near the years of the last items are; 0 is the year of items without one."""
    items = ground.lives.catalogue.items
    years = np.array([item.year or 0 for item in items], np.float64)

    def near(candidates: Ints, last: Ints) -> Floats:
        apart = np.abs(years[candidates][:, None] - years[last][None])
        return np.exp(-np.minimum(apart, YEARS) / 2.0)

    return _Recent("recent_years", near)
