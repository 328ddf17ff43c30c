"""What a recommender may see: a platform's own records, without the simulator's hidden truth.

Everything here is copied, so that no attribute leads back to a catalogue with qualities, to a
profile with tastes, or to a world. Not hidden from a recommender that runs in the same process is
the interpreter itself; whom you do not trust serves over HTTP.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NoReturn

import msgspec
import numpy as np
from numpy.typing import NDArray

from audience.world import (
    Bools,
    Catalogue,
    Floats,
    Impressions,
    Interactions,
    Ints,
    Item,
    Profile,
    SocialGraph,
    Tie,
    tag_weights,
)


class HiddenTruth(AttributeError):
    """A recommender asked for something that only the simulator knows."""


def _hidden(what: str, instead: str) -> HiddenTruth:
    return HiddenTruth(
        f"{what} is hidden truth of the simulation, which no recommender sees any more; {instead}"
    )


class ItemFacts(msgspec.Struct, frozen=True, gc=False):
    """An item as its platform describes it."""

    id: int
    title: str
    about: str = ""
    tags: tuple[str, ...] = ()
    year: int | None = None
    minutes: float = 0.0
    """Duration; 0 when unknown."""
    key: str = ""
    """The id in the source data."""

    @property
    def quality(self) -> NoReturn:
        raise _hidden("the quality of an item", "learn it from stars and fractions")


class ItemTable:
    """All items by dense id, with arrays for batch work: a `Catalogue` without qualities."""

    def __init__(self, items: tuple[ItemFacts, ...], tags: tuple[str, ...]) -> None:
        self.items = items
        self.tags = tags
        self.tag_ids = {tag: number for number, tag in enumerate(tags)}

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, item: int) -> ItemFacts:
        return self.items[item]

    @cached_property
    def tags_of(self) -> tuple[tuple[int, ...], ...]:
        """The tag numbers of each item."""
        return tuple(tuple(self.tag_ids[tag] for tag in item.tags) for item in self.items)

    @cached_property
    def weights(self) -> Floats:
        """[items, tags]: 1/|tags| where the item has the tag."""
        return tag_weights(self.tags_of, len(self.tags))

    @cached_property
    def minutes(self) -> Floats:
        return np.array([item.minutes for item in self.items], np.float64)

    @cached_property
    def by_key(self) -> dict[str, int]:
        """Dense id of each source id."""
        return {item.key: item.id for item in self.items if item.key}

    @property
    def quality(self) -> NoReturn:
        raise _hidden("the quality of items", "learn it from stars and fractions")


AnyItem = Item | ItemFacts
AnyCatalogue = Catalogue | ItemTable


@lru_cache(maxsize=4)
def items_seen(catalogue: Catalogue) -> ItemTable:
    """Return the items of a catalogue as recommenders see them, copied once."""
    items = tuple(
        ItemFacts(item.id, item.title, item.about, item.tags, item.year, item.minutes, item.key)
        for item in catalogue.items
    )
    return ItemTable(items, catalogue.tags)


class UserFacts(msgspec.Struct, frozen=True, gc=False):
    """A user as they registered; empty where the data say nothing."""

    id: int
    key: str = ""
    """The id in the source data."""
    name: str = ""
    gender: str = ""
    age: int | None = None
    career: str = ""


class UserTable(Sequence[UserFacts]):
    """Users by number; tastes, interests, traits, habits and activity are not among the facts."""

    def __init__(self, profiles: Sequence[Profile] = ()) -> None:
        self.keys = [profile.key for profile in profiles]
        self.names = [profile.name for profile in profiles]
        self.genders = [profile.gender for profile in profiles]
        self.ages = [profile.age for profile in profiles]
        self.careers = [profile.career for profile in profiles]

    def __len__(self) -> int:
        return len(self.keys)

    def __getitem__(self, user: int) -> UserFacts:  # type: ignore[override]
        return UserFacts(
            range(len(self.keys))[user],
            self.keys[user],
            self.names[user],
            self.genders[user],
            self.ages[user],
            self.careers[user],
        )

    def changed(self, profiles: Mapping[int, Profile]) -> UserTable:
        """Return a table with some users replaced, or added at the end."""
        table = UserTable()
        for name in ("keys", "names", "genders", "ages", "careers"):
            setattr(table, name, list(getattr(self, name)))
        for user in sorted(profiles):
            table._set(user, profiles[user])
        return table

    def _set(self, user: int, profile: Profile) -> None:
        place = slice(user, user + 1)
        self.keys[place] = [profile.key]
        self.names[place] = [profile.name]
        self.genders[place] = [profile.gender]
        self.ages[place] = [profile.age]
        self.careers[place] = [profile.career]


class Follows:
    """Who follows whom, to be read."""

    __slots__ = ("_graph",)

    def __init__(self, graph: SocialGraph) -> None:
        self._graph = graph

    def __len__(self) -> int:
        return len(self._graph)

    def ties(self, user: int) -> tuple[Tie, ...]:
        """Return the ties to those `user` follows, as they are now."""
        return self._graph.ties(user)

    def neighbours(self, user: int) -> tuple[int, ...]:
        """Return those `user` follows."""
        return self._graph.neighbours(user)

    def followers(self, user: int) -> tuple[int, ...]:
        """Return those who follow `user`."""
        return self._graph.followers(user)

    def tie(self, user: int, other: int) -> Tie | None:
        """Return the tie from `user` to `other`, if any."""
        return self._graph.tie(user, other)


class ImpressionTable(msgspec.Struct, frozen=True):
    """What was shown before the fit, one row per item shown, in the order of the log."""

    agents: Ints
    items: Ints
    at: Ints
    """Seconds since 1970."""
    places: Ints
    """The place on its page, from 0."""
    searched: Bools
    """Whether it was the result of a search."""
    picked: Bools

    def __len__(self) -> int:
        return len(self.agents)

    @property
    def skipped(self) -> Bools:
        """Which were shown and not picked."""
        return ~self.picked


def impressions_seen(impressions: Impressions, count: int) -> ImpressionTable:
    """Return the first `count` impressions."""
    return ImpressionTable(*impressions.columns(count))


NO_IMPRESSIONS = impressions_seen(Impressions(), 0)


class RecommenderView:
    """All that `fit` gets: interactions, impressions, items, users and ties.

    Each array is a copy that may be changed.
    """

    def __init__(
        self,
        catalogue: ItemTable,
        people: int,
        columns: tuple[Ints, Ints, Ints, NDArray[np.float32], Ints],
        ties: Follows | None = None,
        users: UserTable | None = None,
        impressions: ImpressionTable = NO_IMPRESSIONS,
    ) -> None:
        self.catalogue = catalogue
        self.people = people
        # Live ties, not those at the time of a fit: they change only between rounds, so a ranker
        # that reads them gives the same pages after a resume.
        self.ties = ties
        self.users = users if users is not None else UserTable()
        """Empty where nothing is known about users but what they did."""
        self.impressions = impressions
        self._agents, self._items, self._at, self._fractions, self._stars = columns

    def __len__(self) -> int:
        return len(self._agents)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            raise AttributeError(
                f"interactions have no {name!r} for recommenders, which see agents, items, at, "
                "fractions, stars, impressions, catalogue, users, people and ties"
            )

    @property
    def agents(self) -> Ints:
        return self._agents.copy()

    @property
    def items(self) -> Ints:
        return self._items.copy()

    @property
    def at(self) -> Ints:
        """Seconds since 1970."""
        return self._at.copy()

    @property
    def fractions(self) -> NDArray[np.float32]:
        return self._fractions.copy()

    @property
    def stars(self) -> Ints:
        """1 to 5, or 0 for unrated."""
        return self._stars.copy()


def seen_by_recommender(
    interactions: Interactions,
    users: UserTable | None = None,
    impressions: ImpressionTable = NO_IMPRESSIONS,
) -> RecommenderView:
    """Return what a recommender may learn from."""
    columns = (
        interactions.agents,
        interactions.items,
        interactions.at,
        interactions.fractions,
        interactions.stars,
    )
    ties = None if interactions.ties is None else Follows(interactions.ties)
    catalogue = items_seen(interactions.catalogue)
    return RecommenderView(catalogue, interactions.people, columns, ties, users, impressions)


class UserKeys:
    """The ids of some users in the source data; of any other user the number."""

    __slots__ = ("_keys",)

    def __init__(self, keys: dict[int, str]) -> None:
        self._keys = keys

    def __call__(self, user: int) -> str:
        return self._keys.get(user) or str(user)
