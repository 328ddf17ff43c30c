"""What people are shown: how varied, how much of the catalogue, how often the same again."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from audience.metrics.formulas import ratio, ratios, resized
from audience.metrics.variety import EMPTY, Variety
from audience.world.events import Record, SlateShown
from audience.world.rng import Floats, Ints
from audience.world.world import View

_ITEM_BITS = 32
_LAST = np.iinfo(np.int64).max
"""Comes after every pair, so that a search always ends inside."""


class Exposure:
    """Follows SlateShown.

    entropy_exposure, entropy_exposure_pooled  see Variety
    coverage_exposure                          different items shown / items of the catalogue
    repeated_exposure                          shown items that the same agent was shown before /
                                               shown items

    All but the first showing of a pair of agent and item repeat it, so repeated_exposure is
    1 - pairs / shown items, whatever the order.
    """

    watches = (SlateShown,)

    def __init__(self) -> None:
        self._agents: list[int] = []
        self._pages: list[tuple[int, ...]] = []
        self._catalogue = EMPTY
        self._variety = Variety("entropy_exposure")
        self._shown: Floats = np.zeros(0)
        """Items shown to each agent in the rounds before."""
        self._pairs: Ints = np.array([_LAST])
        """Agent and item of everything shown in the rounds before, ascending, and `_LAST`."""
        self._covered: Ints = np.zeros(0, np.int64)

    def update(self, record: Record, world: View) -> None:
        event: Any = record.event
        self._agents.append(event.agent)
        self._pages.append(event.items)
        self._catalogue = world.catalogue

    def _columns(self) -> tuple[Ints, Ints]:
        """Return the agent and the item of everything shown in this round."""
        sizes = np.fromiter(map(len, self._pages), np.int64, len(self._pages))
        items = np.fromiter(chain.from_iterable(self._pages), np.int64, int(sizes.sum()))
        return np.repeat(np.array(self._agents, np.int64), sizes), items

    def _counts(self, agents: Ints) -> Floats:
        now = np.bincount(agents)
        counts = resized(self._shown, len(now)).copy()
        counts[: len(now)] += now
        return counts

    def value(self) -> dict[str, float]:
        agents, items = self._columns()
        fresh, _ = _fresh(self._pairs, agents, items)
        shown, pairs = int(self._counts(agents).sum()), len(self._pairs) - 1 + len(fresh)
        covered = np.union1d(self._covered, _different(items))
        return {
            **self._variety.value(self._catalogue, agents, items),
            "coverage_exposure": ratio(len(covered), len(self._catalogue)),
            "repeated_exposure": ratio(shown - pairs, shown),
        }

    def close(self) -> dict[str, float]:
        agents, items = self._columns()
        covered, (fresh, places) = _different(items), _fresh(self._pairs, agents, items)
        self._pairs = np.insert(self._pairs, places, fresh)
        self._shown = self._counts(agents)
        self._covered = np.union1d(self._covered, covered)
        self._agents.clear()
        self._pages.clear()
        return {
            **self._variety.close(self._catalogue, agents, items),
            "coverage_exposure": ratio(len(covered), len(self._catalogue)),
            "repeated_exposure": ratio(len(items) - len(fresh), len(items)),
        }

    def per_agent(self) -> dict[str, Floats]:
        agents, items = self._columns()
        fresh, _ = _fresh(self._pairs, agents, items)
        counts, pairs = self._counts(agents), np.append(self._pairs[:-1], fresh)
        different = np.bincount(pairs >> _ITEM_BITS, minlength=len(counts))
        return {
            **self._variety.per_agent(self._catalogue, agents, items),
            "repeated_exposure": ratios(counts - different, counts),
        }


def _different(items: Ints) -> Ints:
    return np.flatnonzero(np.bincount(items))


def _fresh(known: Ints, agents: Ints, items: Ints) -> tuple[Ints, Ints]:
    """Return the different pairs not known yet, ascending, and their places among the known."""
    pairs: Ints = np.sort(agents << _ITEM_BITS | items)
    first = np.ones(len(pairs), np.bool_)
    np.not_equal(pairs[1:], pairs[:-1], out=first[1:])
    pairs = pairs[first]
    places = np.searchsorted(known, pairs)
    new = known[places] != pairs
    return pairs[new], places[new]
