"""What may be learnt about people and items: from the interactions of a training part alone."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from audience.datasets.corpus import Corpus
from audience.world.items import Catalogue
from audience.world.rng import Floats, Ints

DOUBT = 10.0
"""An item's mean counts as if so many ratings of the overall mean came besides."""


class Training:
    """Traits, means, popularity and taste of a corpus whose interactions are the training part.

    It holds no other interactions, so nothing of a test part can reach what is derived here.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.lived = corpus.lived
        self.people = len(corpus.people)
        self.items = len(corpus.items)

    @cached_property
    def counts(self) -> Ints:
        """Interactions of each person."""
        return np.bincount(self.lived.users, minlength=self.people)

    @cached_property
    def popularity(self) -> Ints:
        """Interactions of each item."""
        return np.bincount(self.lived.items, minlength=self.items)

    @cached_property
    def mean(self) -> float:
        """The mean of all stars; 0 where there are none."""
        rated = self.lived.stars[self.lived.stars > 0]
        return float(rated.mean()) if len(rated) else 0.0

    @cached_property
    def item_means(self) -> Floats:
        """The mean stars of each item; NaN where nobody rated it."""
        return _means(self.lived.items, self.lived.stars, self.items)

    @cached_property
    def person_means(self) -> Floats:
        """The mean stars each person gives; NaN where it gave none."""
        return _means(self.lived.users, self.lived.stars, self.people)

    @cached_property
    def quality(self) -> Floats:
        """What people make of each item, 0 to 1: its mean stars, drawn to the overall mean."""
        if not self.mean:
            return np.full(self.items, 0.5)
        rated = self.lived.stars > 0
        where, stars = self.lived.items[rated], self.lived.stars[rated]
        sums = np.bincount(where, stars, self.items) + DOUBT * self.mean
        means = sums / (np.bincount(where, minlength=self.items) + DOUBT)
        return np.round(np.clip((means - 1.0) / 4.0, 0.0, 1.0), 4).astype(np.float64)

    @cached_property
    def _catalogue(self) -> Catalogue:
        return Catalogue(self.corpus.items)

    @property
    def tags(self) -> tuple[str, ...]:
        """Every tag of the catalogue."""
        return self._catalogue.tags

    @cached_property
    def tag_popularity(self) -> Floats:
        """How all interactions spread over tags, 1/|tags| an item."""
        _, tags, weights = self._tagged
        sums = np.bincount(tags, weights, len(self.tags)).astype(np.float64)
        found: Floats = sums / max(1.0, float(sums.sum()))
        return found

    def tag_shares(self) -> Floats:
        """Return [people, tags]: how a person's history spreads over tags, 1/|tags| an item."""
        owners, tags, weights = self._tagged
        cells = self.people * len(self.tags)
        sums = np.bincount(owners * len(self.tags) + tags, weights, cells)
        shares = sums.reshape(self.people, len(self.tags))
        whole = shares.sum(axis=1, keepdims=True)
        found: Floats = np.divide(shares, whole, out=np.zeros_like(shares), where=whole > 0)
        return found

    def interests(self, usual: Floats, most: int = 3) -> list[tuple[str, ...]]:
        """Return the tags each person has more of than is `usual`, the dearest first."""
        if not self.tags:
            return [()] * self.people
        shares = self.tag_shares()
        # A root, so that neither the commonest tags nor the rarest win for everybody.
        score = shares / np.sqrt(np.maximum(usual, 1e-9))
        best = np.argsort(-score, axis=1, kind="stable")[:, :most].tolist()
        return [
            tuple(self.tags[tag] for tag in row if shares[person, tag] > 0)
            for person, row in enumerate(best)
        ]

    @cached_property
    def _tagged(self) -> tuple[Ints, Ints, Floats]:
        """Person, tag and weight of each tag of each interaction."""
        tags_of = self._catalogue.tags_of
        sizes = np.array([len(tags) for tags in tags_of], np.int64)
        starts = np.cumsum(sizes) - sizes
        flat = np.array([tag for tags in tags_of for tag in tags], np.int64)
        here = sizes[self.lived.items]
        within = np.arange(int(here.sum())) - np.repeat(np.cumsum(here) - here, here)
        tags = flat[np.repeat(starts[self.lived.items], here) + within]
        return np.repeat(self.lived.users, here), tags, np.repeat(1.0 / np.maximum(here, 1), here)


def _means(owners: Ints, stars: Floats, count: int) -> Floats:
    rated = stars > 0
    sums = np.bincount(owners[rated], stars[rated], count)
    numbers = np.bincount(owners[rated], minlength=count)
    found: Floats = np.divide(sums, numbers, out=np.full(count, np.nan), where=numbers > 0)
    return found
