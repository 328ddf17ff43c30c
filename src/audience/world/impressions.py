"""Impressions: what was shown to whom, at which place, and whether it was picked."""

from __future__ import annotations

from array import array

import numpy as np

from audience.world.randomness import Bools, Ints

MOST = 5_000_000
"""How many impressions are kept; with more, the oldest are dropped."""
_TYPES = "iiqbbb"
_PLACES = bytes(range(128))
"""The places of a page; those after the last one here count as it."""


class Impressions:
    """Growing columns of impressions in the order of the log, the newest `most` of them."""

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self.dropped = 0
        """How many of the oldest are no longer here."""
        columns = [array(kind) for kind in _TYPES]
        self._agents, self._items, self._at, self._places, self._searched, self._picked = columns

    @property
    def count(self) -> int:
        """How many there were in all."""
        return self.dropped + len(self._agents)

    def show(self, agent: int, items: tuple[int, ...], at: int, *, searched: bool) -> None:
        """Add one page."""
        size = len(items)
        self._agents.extend((agent,) * size)
        self._items.extend(items)
        self._at.extend((at,) * size)
        self._places.frombytes(_PLACES[:size].ljust(size, _PLACES[-1:]))
        self._searched.frombytes(bytes((searched,)) * size)
        self._picked.frombytes(bytes(size))
        self._trim()

    def pick(self, agent: int, item: int) -> None:
        """Mark the newest impression of an item to an agent as picked."""
        for row in range(len(self._agents) - 1, -1, -1):
            if self._agents[row] != agent:
                return
            if self._items[row] == item:
                self._picked[row] = 1
                return

    def columns(self, count: int) -> tuple[Ints, Ints, Ints, Ints, Bools, Bools]:
        """Return agents, items, moments, places, searched and picked of the first `count`."""
        end = max(0, count - self.dropped)
        part = slice(max(0, end - self.most), end)
        agents, items, at, places = (
            np.array(column[part], np.int64)
            for column in (self._agents, self._items, self._at, self._places)
        )
        searched, picked = (
            np.array(column[part], np.bool_) for column in (self._searched, self._picked)
        )
        return agents, items, at, places, searched, picked

    def packed(self, begin: int = 0) -> tuple[bytes, ...]:
        """Return the columns from the impression `begin` on as bytes."""
        start = max(0, begin - self.dropped)
        return tuple(column[start:].tobytes() for column in self._all())

    def extend(self, packed: tuple[bytes, ...], begin: int) -> None:
        """Put columns made by `packed` after the first `begin` impressions."""
        kept = max(0, begin - self.dropped) if begin <= self.count else 0
        for column, piece in zip(self._all(), packed, strict=True):
            del column[kept:]
            column.frombytes(piece)
        self.dropped = begin - kept
        self._trim()

    def _trim(self) -> None:
        count = len(self._agents) - self.most
        if count > self.most // 4:
            for column in self._all():
                del column[:count]
            self.dropped += count

    def _all(self) -> tuple[array[int], ...]:
        columns = (self._agents, self._items, self._at)
        return (*columns, self._places, self._searched, self._picked)
