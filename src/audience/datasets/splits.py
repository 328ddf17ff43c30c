"""Splits of interactions into a training and a test part, without leaks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Annotated

import msgspec
import numpy as np

from audience.datasets.corpus import Columns, Corpus
from audience.errors import BadInput
from audience.outside import KindOf, OptionsOf
from audience.plugins import find
from audience.world import Bools, Catalogue, Clock, Floats, Genesis, Ints, Past


class Split(msgspec.Struct, frozen=True, eq=False):
    """Both parts of a corpus."""

    corpus: Corpus
    """With the training interactions only."""
    test: Columns
    repeats: int = 0
    """Test interactions left out, as the person already had the item in the training part."""

    @property
    def train(self) -> Columns:
        return self.corpus.lived

    @property
    def training(self) -> Training:
        """Statistics of the training part alone."""
        return Training(self.corpus)


def leave_last(corpus: Corpus, count: int = 1) -> Split:
    """Hold out the last `count` interactions of each person who has more than that."""
    if count < 1:
        raise BadInput(f"leave the last {count}: hold out at least one interaction")
    place, sizes = _places(corpus.lived.users, len(corpus.people))
    many = sizes[corpus.lived.users]
    return _split(corpus, (place >= many - count) & (many > count))


def by_ratio(corpus: Corpus, share: float = 0.2) -> Split:
    """Hold out the latest `share` of each person's interactions, rounded down."""
    if not 0.0 < share < 1.0:
        raise BadInput(f"a test share of {share} is not between 0 and 1")
    place, sizes = _places(corpus.lived.users, len(corpus.people))
    many = sizes[corpus.lived.users]
    return _split(corpus, place >= many - np.floor(many * share + 1e-9))


def by_time(corpus: Corpus, moment: int) -> Split:
    """Hold out everybody's interactions from a moment on (seconds since 1970)."""
    if not corpus.dated:
        raise BadInput(
            f"{corpus.name} has no moments of its own, so it cannot be split in time; "
            "leave out the last interactions of each person, or a share of them"
        )
    held = corpus.lived.at >= moment
    if not len(held):
        raise BadInput(f"{corpus.name} has no interactions; there is nothing to split")
    if held.all() or not held.any():
        first, last = int(corpus.lived.at.min()), int(corpus.lived.at.max())
        raise BadInput(f"moment {moment} splits nothing off; take one from {first + 1} to {last}")
    return _split(corpus, held)


def _places(users: Ints, people: int) -> tuple[Ints, Ints]:
    """Return how many interactions of the same person come before each, and how many it has."""
    order = np.argsort(users, kind="stable")
    sizes = np.bincount(users, minlength=people)
    starts = np.cumsum(sizes) - sizes
    place = np.empty(len(users), np.int64)
    place[order] = np.arange(len(users)) - starts[users[order]]
    return place, sizes


def _split(corpus: Corpus, held: Bools) -> Split:
    lived = corpus.lived
    train, test = lived.rows(~held), lived.rows(held)
    many = len(corpus.items)
    again = np.isin(test.users * many + test.items, train.users * many + train.items)
    return Split(corpus.having(train), test.rows(~again), int(again.sum()))


class HeldOut:
    """The dataset `of` without the last item of everybody who has two or more."""

    def __init__(
        self,
        of: Annotated[str, KindOf("datasets")] = "films",
        **options: Annotated[object, OptionsOf("datasets", "of")],
    ) -> None:
        self.of = find("datasets", of)(**options)

    def genesis(self, people: int, seed: int, clock: Clock) -> Genesis:
        whole: Genesis = self.of.genesis(people, seed, clock)
        parts = (whole.catalogue, whole.profiles, whole.ties, whole.clock, whole.domain)
        return Genesis(*parts, split_last(whole.past)[0], whole.others)

    def held(self, people: int, seed: int, clock: Clock) -> tuple[Past, ...]:
        """Return what `genesis` leaves out."""
        return split_last(self.of.genesis(people, seed, clock).past)[1]


def split_last(past: Sequence[Past]) -> tuple[tuple[Past, ...], tuple[Past, ...]]:
    """Return all but everybody's last item, and these; of equal moments the later row is last."""
    rows: dict[int, list[int]] = {}
    for row, one in enumerate(past):
        rows.setdefault(one.agent, []).append(row)
    last = {
        max(mine, key=lambda row: (past[row].at, row)) for mine in rows.values() if len(mine) > 1
    }
    kept = tuple(one for row, one in enumerate(past) if row not in last)
    return kept, tuple(past[row] for row in sorted(last))


DOUBT = 10.0
"""Pseudo-count by which an item's mean is shrunk towards the overall mean."""


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
        """The mean stars each person gives; NaN if none."""
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
        popularity: Floats = sums / max(1.0, float(sums.sum()))
        return popularity

    def tag_shares(self) -> Floats:
        """Return [people, tags]: how a person's history spreads over tags, 1/|tags| an item."""
        owners, tags, weights = self._tagged
        cells = self.people * len(self.tags)
        sums = np.bincount(owners * len(self.tags) + tags, weights, cells)
        shares = sums.reshape(self.people, len(self.tags))
        whole = shares.sum(axis=1, keepdims=True)
        normalised: Floats = np.divide(shares, whole, out=np.zeros_like(shares), where=whole > 0)
        return normalised

    def interests(self, usual: Floats, most: int = 3) -> list[tuple[str, ...]]:
        """Return the tags each person has more of than is `usual`, the favourite first."""
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
    means: Floats = np.divide(sums, numbers, out=np.full(count, np.nan), where=numbers > 0)
    return means
