"""Training interactions: all that may be learnt from, and who had what in which order."""

from __future__ import annotations

import msgspec
import numpy as np

from audience.world import Bools, Catalogue, Floats, Interactions, Ints


class Lives(msgspec.Struct, frozen=True, eq=False):
    """Training interactions in the order of time, as columns of equal length."""

    catalogue: Catalogue
    people: int
    users: Ints
    items: Ints
    at: Ints
    stars: Floats
    """0.5 to 5; 0 if there is no rating."""

    @classmethod
    def of(cls, interactions: Interactions) -> Lives:
        """Return what a recommender may learn from as lives."""
        order = np.argsort(interactions.at, kind="stable")
        return cls(
            interactions.catalogue,
            interactions.people,
            interactions.agents[order],
            interactions.items[order],
            interactions.at[order],
            interactions.stars[order].astype(np.float64),
        )

    def __len__(self) -> int:
        return len(self.users)


MOST_ITEMS = 6000
"""Maximum number of items in the dense tables of pairs."""
COMMON = 5
"""Of a catalogue with more items, those that so many took are in the dense tables."""


class OrderedLives(msgspec.Struct, frozen=True, eq=False):
    """Interactions grouped by person, in the order of time."""

    users: Ints
    items: Ints
    places: Ints
    """Of the items in the dense tables; `known` is that of all items without one."""
    positions: Ints
    """The number of items the person had before."""
    people: int
    known: int


def places_of(lives: Lives) -> tuple[Ints, int]:
    """Return the place of each item in the dense tables, and how many there are.

    All items that somebody took are there, as long as they fit; else the most popular of those
    that a few took. Pairs with the others are few and kept one by one.
    """
    items = len(lives.catalogue)
    counts = np.bincount(lives.items, minlength=items)
    least = 1 if (counts > 0).sum() <= MOST_ITEMS else COMMON
    kept = np.argsort(-counts, kind="stable")[:MOST_ITEMS]
    kept = np.sort(kept[counts[kept] >= least])
    places = np.full(items, len(kept), np.int64)
    places[kept] = np.arange(len(kept))
    return places, len(kept)


def ordered(lives: Lives, places: Ints, known: int) -> OrderedLives:
    """Return lives person by person."""
    order = np.argsort(lives.users, kind="stable")
    users, items = lives.users[order], lives.items[order]
    sizes = np.bincount(users, minlength=lives.people)
    positions = np.arange(len(users)) - (np.cumsum(sizes) - sizes)[users]
    return OrderedLives(users, items, places[items], positions, lives.people, known)


def only(lives: Lives, rows: Bools) -> Lives:
    """Return some of the interactions."""
    return Lives(
        lives.catalogue,
        lives.people,
        lives.users[rows],
        lives.items[rows],
        lives.at[rows],
        lives.stars[rows],
    )
