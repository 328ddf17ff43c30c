"""The built-in datasets, and the past that is drawn for recommenders to learn from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from audience.datasets.embedded import embedded_catalogue
from audience.datasets.people import activity_law, check_shape, no_ties, population, small_world
from audience.errors import BadInput
from audience.world import (
    Catalogue,
    Clock,
    Domain,
    Floats,
    Generator,
    Genesis,
    Ints,
    Item,
    Past,
    Profile,
    rng,
)

DAYS = 90
FAME = 0.8
"""Sigma of the lognormal by which items are known, apart from their quality."""


def earlier(
    profiles: Sequence[Profile], catalogue: Catalogue, seed: int, clock: Clock, mean: float
) -> tuple[Past, ...]:
    """Return about `mean` items per person, more for the active, in the order of time.

    Each is drawn from one of the person's interests (now and then from any tag), good and known
    items more often. Nobody meets an item twice.
    """
    if mean <= 0:
        return ()
    draw = rng(seed, "past", "count")
    levels = np.sqrt([profile.activity for profile in profiles])
    counts = draw.poisson(mean * levels / levels.mean())
    owners = np.repeat(np.arange(len(profiles)), counts)
    tags = _tags(profiles, owners, catalogue, rng(seed, "past", "tag"))
    items = _items(tags, catalogue, seed)
    _, first = np.unique(owners * len(catalogue) + items, return_index=True)
    owners, items = owners[first], items[first]
    at = clock.at(1) - rng(seed, "past", "time").integers(1, DAYS * 86400, len(owners))
    stars = _stars(catalogue.quality[items], rng(seed, "past", "stars"))
    order = np.lexsort((owners, at))
    columns = (column[order].tolist() for column in (owners, items, at, stars))
    return tuple(
        Past(owner, item, moment, 1.0, given)
        for owner, item, moment, given in zip(*columns, strict=True)
    )


def _tags(profiles: Sequence[Profile], owners: Ints, catalogue: Catalogue, draw: Generator) -> Ints:
    ids = catalogue.tag_ids
    liked = [[ids[tag] for tag in profile.interests if tag in ids] for profile in profiles]
    sizes = np.array([len(one) for one in liked])
    starts = np.concatenate([[0], np.cumsum(sizes)])[:-1]
    flat = np.array([tag for one in liked for tag in one] or [0], np.int64)
    own = starts[owners] + (draw.random(len(owners)) * sizes[owners]).astype(np.int64)
    anywhere = draw.integers(0, len(catalogue.tags), len(owners))
    strays = (draw.random(len(owners)) < 0.2) | (sizes[owners] == 0)
    return np.where(strays, anywhere, flat[np.minimum(own, len(flat) - 1)])


def _items(tags: Ints, catalogue: Catalogue, seed: int) -> Ints:
    """Return one item per tag drawn, in proportion to its appeal among those that carry the tag."""
    appeal = np.exp(
        FAME * rng(seed, "past", "fame").standard_normal(len(catalogue))
        + 2.0 * (2.0 * catalogue.quality - 1.0)
    )
    places = rng(seed, "past", "item").random(len(tags))
    items = np.zeros(len(tags), np.int64)
    for tag in range(len(catalogue.tags)):
        weights: Floats = appeal * catalogue.weights[:, tag]
        sums = np.cumsum(weights)
        rows = np.flatnonzero(tags == tag)
        if len(rows):
            items[rows] = np.searchsorted(sums, places[rows] * sums[-1], side="right")
    return np.minimum(items, len(catalogue) - 1)


def _stars(quality: Floats, draw: Generator) -> Ints:
    felt = 1.6 + 3.2 * quality + 0.8 * draw.standard_normal(len(quality))
    stars = np.clip(np.round(felt), 1, 5).astype(np.int64)
    return np.where(draw.random(len(quality)) < 0.5, stars, 0)


class EmbeddedDataset:
    """An embedded catalogue with drawn people in a small world of (degree, rewire, homophily).

    Each person has lived about `past` items before the run begins.
    """

    name: ClassVar[str]
    domain: ClassVar[Domain]

    def __init__(
        self,
        *,
        activity: str | Mapping[str, float | str] = "lognormal",
        degree: float = 8,
        rewire: float = 0.1,
        homophily: float = 0.7,
        past: float = 8.0,
    ) -> None:
        activity_law(activity)
        check_shape(degree, rewire, homophily)
        if not 0.0 <= past <= 100.0:
            raise BadInput(f"past is {past}; give a mean number of items between 0 and 100")
        self.activity = activity
        self.shape = (degree, rewire, homophily)
        self.past = past

    def genesis(self, people: int, seed: int, clock: Clock) -> Genesis:
        """Return the catalogue with `people` people, their ties and what they lived before."""
        catalogue = embedded_catalogue(self.name, seed)
        profiles = population(people, [item.tags for item in catalogue.items], seed, self.activity)
        ties = small_world(profiles, seed, *self.shape)
        past = earlier(profiles, catalogue, seed, clock, self.past)
        return Genesis(catalogue, profiles, ties, clock, self.domain, past)


class Films(EmbeddedDataset):
    """Real films from the 1920s to the 2020s, with a drawn audience."""

    name = "films"
    domain = Domain("film", "films", "watched")


class Books(EmbeddedDataset):
    """Real books of a thousand years, with a drawn readership."""

    name = "books"
    domain = Domain("book", "books", "read")


class RecSimTopics:
    """Topics and items as in RecSim's interest evolution, for people without habits or ties.

    Each item has one of twenty topics; most topics are poor (mean quality from -3 to 0), some are
    good (0 to 3). A quality q is stored as (q + 3) / 6. People start with a uniform taste.
    """

    POOR, GOOD = 14, 6
    SPREAD = 0.1
    MINUTES = 4.0

    def __init__(self, *, items: int = 2000) -> None:
        if items < 1:
            raise BadInput(f"items is {items}; a catalogue needs at least one")
        self.items = items
        self.tags = tuple(f"topic {topic}" for topic in range(self.POOR + self.GOOD))

    def genesis(self, people: int, seed: int, clock: Clock) -> Genesis:
        if people < 1:
            raise BadInput(f"{people} people were requested; ask for at least one")
        topics = rng(seed, "topics", "item").integers(0, len(self.tags), self.items)
        noise = rng(seed, "topics", "quality").standard_normal(self.items)
        quality = self._means()[topics] + self.SPREAD * noise
        stored = np.clip((quality + 3.0) / 6.0, 0.0, 1.0)
        pairs = enumerate(zip(topics.tolist(), stored.tolist(), strict=True))
        items = tuple(
            Item(
                place,
                f"item {place}",
                tags=(self.tags[topic],),
                minutes=self.MINUTES,
                quality=good,
                key=f"item-{place}",
            )
            for place, (topic, good) in pairs
        )
        taste = 2.0 * rng(seed, "topics", "taste").random((people, len(self.tags))) - 1.0
        profiles = tuple(
            Profile(place, f"Person {place}", leaning=tuple(row))
            for place, row in enumerate(taste.tolist())
        )
        catalogue = Catalogue(items, self.tags)
        return Genesis(
            catalogue, profiles, no_ties(people), clock, Domain("item", "items", "watched")
        )

    def _means(self) -> Floats:
        return np.concatenate([np.linspace(-3.0, 0.0, self.POOR), np.linspace(0.0, 3.0, self.GOOD)])
