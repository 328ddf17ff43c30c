"""Contestants without a mind: what the papers left out of their tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from audience.experiments.evaluation.cases import Case, Contestant
from audience.grounding.lives import Lives
from audience.llm.embedding import open_embedder
from audience.recommenders import Context, Recommender
from audience.recommenders.content import text_of
from audience.recommenders.scored import Scored, Scores
from audience.world.interactions import Interactions
from audience.world.rng import Floats, Ints, dice, rng

RECENT = 20
"""The last items of a history."""
YEARS = 60.0
_ROWS = 256


class Ground:
    """A training part and what several baselines read off it, made once."""

    def __init__(self, lives: Lives, seed: int, weighed: Lives | None = None) -> None:
        self.lives = lives
        self.seed = seed
        self.weighed = weighed
        """The part of it that weights are learnt from, where that is shared with others."""
        self.made: dict[str, Contestant] = {}
        """Contestants that were fitted on it."""

    @cached_property
    def interactions(self) -> Interactions:
        """The training part as recommenders take it; half stars are given upwards."""
        lives = self.lives
        stars = np.floor(lives.stars + 0.5).astype(np.int64)
        columns = (lives.users, lives.items, lives.at, np.ones(len(lives.users)), stars)
        return Interactions.of(lives.catalogue, lives.people, columns)

    @cached_property
    def popularity(self) -> Floats:
        counts = np.bincount(self.lives.items, minlength=len(self.lives.catalogue))
        return counts.astype(np.float64)

    @cached_property
    def quality(self) -> Floats:
        """What people make of each item, 0 to 1, drawn to the overall mean; 0.5 without stars."""
        rated = self.lives.stars > 0
        if not rated.any():
            return np.full(len(self.lives.catalogue), 0.5)
        items, stars = self.lives.items[rated], self.lives.stars[rated]
        count = np.bincount(items, minlength=len(self.lives.catalogue))
        sums = np.bincount(items, stars, len(self.lives.catalogue))
        found: Floats = ((sums + 10.0 * stars.mean()) / (count + 10.0) - 1.0) / 4.0
        return np.clip(found, 0.0, 1.0)


class Chance:
    """Draws by name: what knowing nothing is worth."""

    name = "random"

    def __init__(self, ground: Ground) -> None:
        self.seed = ground.seed

    async def score(self, cases: Sequence[Case]) -> Sequence[Floats]:
        return [
            dice(self.seed, "eval", "random", case.user, np.array(case.candidates)).uniform("score")
            for case in cases
        ]


class Popularity:
    """How many took an item up."""

    name = "popularity"

    def __init__(self, ground: Ground) -> None:
        self.counts = ground.popularity

    async def score(self, cases: Sequence[Case]) -> Sequence[Floats]:
        return [self.counts[list(case.candidates)] for case in cases]


class Vectors:
    """The cosine between a candidate and the mean of what was taken up, in some space."""

    def __init__(self, name: str, vectors: Floats) -> None:
        self.name = name
        self.vectors = vectors

    async def score(self, cases: Sequence[Case]) -> Sequence[Floats]:
        found = []
        for case in cases:
            mean = self.vectors[list(case.history)].mean(axis=0)
            mean = mean / max(float(np.sqrt((mean * mean).sum())), 1e-9)
            found.append(np.round((self.vectors[list(case.candidates)] * mean).sum(axis=1), 6))
        return found


def genres(ground: Ground) -> Vectors:
    """Return the genre profile: how a history spreads over tags."""
    weights = ground.lives.catalogue.weights
    return Vectors("genre profile", unit(weights))


async def embedding(ground: Ground, kind: str) -> Vectors:
    """Return the text embedding of titles, tags and descriptions."""
    texts = [text_of(item) for item in ground.lives.catalogue.items]
    vectors = await open_embedder(kind).embed(texts)
    return Vectors(f"text embedding ({kind})", unit(np.asarray(vectors, np.float64)))


class RecSim:
    """The classical user: an interest in [-1, 1] per topic, the item of the dearest topic.

    The interest in a topic is the share of the history that has it, scaled so that the dearest is
    1 and one never met is -1.
    """

    name = "recsim"

    def __init__(self, ground: Ground) -> None:
        catalogue = ground.lives.catalogue
        tagged = catalogue.weights if catalogue.weights.shape[1] else np.ones((len(catalogue), 1))
        self.topics = tagged.argmax(axis=1)
        self.count = tagged.shape[1]

    async def score(self, cases: Sequence[Case]) -> Sequence[Floats]:
        found = []
        for case in cases:
            sums = np.bincount(self.topics[list(case.history)], minlength=self.count)
            interests = 2.0 * sums / max(float(sums.max()), 1.0) - 1.0
            found.append(interests[self.topics[list(case.candidates)]])
        return found


class Ranked:
    """A recommender's scores of the candidates, from the history of the case."""

    def __init__(self, name: str, ranker: Scored) -> None:
        self.name = name
        self.scorer = ranker.scorer

    async def score(self, cases: Sequence[Case]) -> Sequence[Floats]:
        histories = list(dict.fromkeys(case.history for case in cases))
        places = {history: place for place, history in enumerate(histories)}
        by_history: dict[int, list[int]] = {}
        for number, case in enumerate(cases):
            by_history.setdefault(places[case.history], []).append(number)
        found: list[Floats] = [np.empty(0)] * len(cases)
        for start in range(0, len(histories), _ROWS):
            rows = self._rows(histories[start : start + _ROWS])
            for place in range(start, start + len(rows)):
                for number in by_history[place]:
                    chosen = rows[place - start, list(cases[number].candidates)]
                    exact: Floats = chosen.astype(np.float64)
                    found[number] = np.round(exact, 6)
        return found

    def _rows(self, histories: Sequence[tuple[int, ...]]) -> Scores:
        count = len(histories)
        nobody = np.full(count, -1, np.int64)
        pages = np.zeros(count, np.int64)
        draws = dice(0, "eval", "rank", np.arange(count))
        context = Context(pages, pages, [()] * count, draws, lived=histories)
        return self.scorer.score(nobody, context)


def ranked(name: str, recommender: Recommender, ground: Ground) -> Ranked:
    """Return a recommender fitted on a training part as a contestant."""
    ranker = recommender.fit(ground.interactions, rng(ground.seed, "fit", 0))
    if not isinstance(ranker, Scored):
        raise TypeError(f"{name} gives no scores")
    return Ranked(name, ranker)


def unit(vectors: Floats) -> Floats:
    """Return rows of length one; rows of nothing stay."""
    lengths = np.sqrt((vectors * vectors).sum(axis=1, keepdims=True))
    scaled: Floats = vectors / np.maximum(lengths, 1e-9)
    return scaled


class _Recent:
    """How near a candidate is to what was taken up last: only seen in the mixes."""

    def __init__(self, name: str, near: Callable[[Ints, Ints], Floats]) -> None:
        self.name = name
        self.near = near

    async def score(self, cases: Sequence[Case]) -> Sequence[Floats]:
        return [
            np.round(
                self.near(np.array(case.candidates), np.array(case.history[-RECENT:])).mean(axis=1),
                6,
            )
            for case in cases
        ]


def recent_genres(ground: Ground) -> _Recent:
    """Return the mean cosine of genres with the last items."""
    tags = unit(ground.lives.catalogue.weights)
    return _Recent(
        "recent_genres",
        lambda candidates, last: (tags[candidates][:, None] * tags[last][None]).sum(axis=2),
    )


def recent_years(ground: Ground) -> _Recent:
    """Return how near the years of the last items are; nothing is known where there are none."""
    items = ground.lives.catalogue.items
    years = np.array([item.year or 0 for item in items], np.float64)

    def near(candidates: Ints, last: Ints) -> Floats:
        apart = np.abs(years[candidates][:, None] - years[last][None])
        return np.exp(-np.minimum(apart, YEARS) / 2.0)

    return _Recent("recent_years", near)
