"""The datasets that need no download."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from audience.datasets.catalogue import embedded_catalogue
from audience.datasets.past import earlier
from audience.datasets.people import ACTIVITIES, population
from audience.datasets.ties import check_shape, no_ties, small_world
from audience.errors import BadInput, unknown
from audience.world.clock import Clock
from audience.world.genesis import Domain, Genesis
from audience.world.items import Catalogue, Item
from audience.world.people import Profile
from audience.world.rng import Floats, rng


class Embedded:
    """An embedded catalogue with drawn people in a small world of (degree, rewire, homophily).

    Each person has lived about `past` items before the run begins.
    """

    name: ClassVar[str]
    domain: ClassVar[Domain]

    def __init__(
        self,
        *,
        activity: str = "lognormal",
        degree: float = 8,
        rewire: float = 0.1,
        homophily: float = 0.7,
        past: float = 8.0,
    ) -> None:
        if activity not in ACTIVITIES:
            raise unknown("activity", activity, ACTIVITIES)
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


class Films(Embedded):
    """Real films from the 1920s to the 2020s, with a drawn audience."""

    name = "films"
    domain = Domain("film", "films", "watched")


class Books(Embedded):
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
            raise BadInput(f"{people} people were asked for; ask for at least one")
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
