"""What people take up: how varied, and how it spreads over the catalogue."""

from __future__ import annotations

from typing import Any

import numpy as np

from audience.metrics.formulas import gini, ratio, resized
from audience.metrics.variety import EMPTY, Variety
from audience.world.events import Picked, Record
from audience.world.rng import Floats, Ints
from audience.world.world import View


class Consumption:
    """Follows Picked.

    entropy_consumption, entropy_consumption_pooled  see Variety
    coverage_consumption                             different items picked / items of the catalogue
    gini                                             Gini coefficient of the picks of every item,
                                                     those never picked included
    """

    watches = (Picked,)

    def __init__(self) -> None:
        self._agents: list[int] = []
        self._items: list[int] = []
        self._catalogue = EMPTY
        self._variety = Variety("entropy_consumption")
        self._picks: Floats = np.zeros(0)
        """Picks of each item in the rounds before."""

    def update(self, record: Record, world: View) -> None:
        event: Any = record.event
        self._agents.append(event.agent)
        self._items.append(event.item)
        self._catalogue = world.catalogue

    def _columns(self) -> tuple[Ints, Ints]:
        return np.array(self._agents, np.int64), np.array(self._items, np.int64)

    def _spread(self, picks: Floats) -> dict[str, float]:
        covered = int(np.count_nonzero(picks))
        return {"coverage_consumption": ratio(covered, len(picks)), "gini": gini(picks)}

    def _of_round(self, items: Ints) -> Floats:
        return np.bincount(items, minlength=len(self._catalogue)).astype(np.float64)

    def _whole(self, items: Ints) -> Floats:
        return resized(self._picks, len(self._catalogue)) + self._of_round(items)

    def value(self) -> dict[str, float]:
        agents, items = self._columns()
        variety = self._variety.value(self._catalogue, agents, items)
        return {**variety, **self._spread(self._whole(items))}

    def close(self) -> dict[str, float]:
        agents, items = self._columns()
        variety = self._variety.close(self._catalogue, agents, items)
        spread = self._spread(self._of_round(items))
        self._picks = self._whole(items)
        self._agents.clear()
        self._items.clear()
        return {**variety, **spread}

    def per_agent(self) -> dict[str, Floats]:
        return self._variety.per_agent(self._catalogue, *self._columns())
