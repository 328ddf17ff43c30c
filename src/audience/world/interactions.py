"""Interactions: who watched what, how much of it and with how many stars, for recommenders."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from audience.world.genesis import Past
from audience.world.graph import SocialGraph
from audience.world.items import Catalogue
from audience.world.randomness import Floats, Ints


class Interactions:
    """Growing columns of interactions in the order of the log."""

    def __init__(
        self,
        catalogue: Catalogue,
        people: int,
        past: Sequence[Past] = (),
        ties: SocialGraph | None = None,
    ) -> None:
        self.catalogue = catalogue
        self.people = people
        # Live ties, not those at the time of a fit: they change only between rounds, so a ranker
        # that reads them gives the same pages after a resume.
        self.ties = ties
        # Column by column: a million people bring millions of rows.
        self._agents = array("i", [lived.agent for lived in past])
        self._items = array("i", [lived.item for lived in past])
        self._at = array("q", [lived.at for lived in past])
        self._fractions = array("f", [lived.fraction for lived in past])
        self._stars = array("b", [lived.stars for lived in past])

    @classmethod
    def of(
        cls,
        catalogue: Catalogue,
        people: int,
        columns: tuple[Ints, Ints, Ints, Floats, Ints],
        ties: SocialGraph | None = None,
    ) -> Interactions:
        """Return interactions from columns: agents, items, moments, fractions, stars."""
        interactions = cls(catalogue, people, ties=ties)
        types = (np.int32, np.int32, np.int64, np.float32, np.int8)
        pairs = zip(columns, types, strict=True)
        interactions.extend(tuple(column.astype(kind).tobytes() for column, kind in pairs))
        return interactions

    def __len__(self) -> int:
        return len(self._agents)

    def add(self, agent: int, item: int, at: int, fraction: float, stars: int = 0) -> None:
        self._agents.append(agent)
        self._items.append(item)
        self._at.append(at)
        self._fractions.append(fraction)
        self._stars.append(stars)

    def rate(self, agent: int, item: int, stars: int) -> bool:
        """Set the stars of the agent's newest interaction with the item; False: there is none."""
        for row in range(len(self._agents) - 1, -1, -1):
            if self._agents[row] == agent and self._items[row] == item:
                self._stars[row] = stars
                return True
        return False

    @property
    def agents(self) -> Ints:
        return np.array(self._agents, np.int64)

    @property
    def items(self) -> Ints:
        return np.array(self._items, np.int64)

    @property
    def at(self) -> Ints:
        return np.array(self._at, np.int64)

    @property
    def fractions(self) -> NDArray[np.float32]:
        return np.array(self._fractions, np.float32)

    @property
    def stars(self) -> Ints:
        """1 to 5, or 0 for unrated."""
        return np.array(self._stars, np.int64)

    def packed(self, begin: int = 0) -> tuple[bytes, ...]:
        """Return the columns from row `begin` on as bytes."""
        return tuple(column[begin:].tobytes() for column in self._columns())

    def extend(self, packed: tuple[bytes, ...]) -> None:
        """Append columns made by `packed`."""
        for column, piece in zip(self._columns(), packed, strict=True):
            column.frombytes(piece)

    def first(self, count: int) -> Interactions:
        """Return the first `count` interactions, such as those of an earlier fit."""
        if count == len(self):
            return self
        part = Interactions(self.catalogue, self.people, ties=self.ties)
        part.extend(tuple(column[:count].tobytes() for column in self._columns()))
        return part

    def _columns(self) -> tuple[array[int] | array[float], ...]:
        return (self._agents, self._items, self._at, self._fractions, self._stars)
