"""What visits changed of what everybody shares, as columns that are applied all at once.

A process that lives visits for another one sends this beside their agents. So the process that
keeps the run need not look at the events: its share of a visit is a few bytes, whatever happened.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from audience.world import events as e
from audience.world.agent import Agent
from audience.world.impressions import Impressions
from audience.world.interactions import Interactions
from audience.world.items import Catalogue
from audience.world.randomness import Floats, Ints


class SharedChanges(msgspec.Struct, frozen=True, array_like=True):
    """What some visits of a round did to the world besides changing their own agents."""

    woke: tuple[bytes, bytes]
    left: tuple[bytes, bytes]
    impressions: tuple[bytes, ...]
    interactions: tuple[bytes, ...]
    others: tuple[e.AnyEvent, ...]
    """Rarer events with an effect on something shared, in their order."""

    def visitors(self) -> tuple[NDArray[np.int32], Ints]:
        """Return who came, and when."""
        who, at = self.woke
        return np.frombuffer(who, np.int32), np.frombuffer(at, np.int64)

    def satisfied(self) -> tuple[NDArray[np.int32], Floats]:
        """Return who left, and how satisfied they are since."""
        who, satisfaction = self.left
        return np.frombuffer(who, np.int32), np.frombuffer(satisfaction, np.float64)


class _Columns:
    """Columns of some visits alone. A visit picks what it was shown, so no others are needed."""

    def __init__(self, catalogue: Catalogue, now: int) -> None:
        self.now = now
        self.impressions = Impressions()
        self.interactions = Interactions(catalogue, 0)
        self.woke = array("i"), array("q")
        self.left = array("i"), array("d")
        self.others: list[e.AnyEvent] = []


def _woke(columns: _Columns, event: e.Woke, me: Agent) -> None:
    who, at = columns.woke
    who.append(event.agent)
    at.append(event.at)


def _entered(columns: _Columns, event: e.Entered, me: Agent) -> None:
    if event.surface == "news":
        columns.others.append(event)


def _shown(columns: _Columns, event: e.SlateShown, me: Agent) -> None:
    searched = event.surface == "search"
    columns.impressions.show(event.agent, event.items, columns.now, searched=searched)


def _picked(columns: _Columns, event: e.Picked, me: Agent) -> None:
    columns.impressions.pick(event.agent, event.item)


def _watched(columns: _Columns, event: e.Watched, me: Agent) -> None:
    columns.interactions.add(event.agent, event.item, columns.now, event.fraction)


def _rated(columns: _Columns, event: e.Rated, me: Agent) -> None:
    if not columns.interactions.rate(event.agent, event.item, event.stars):
        columns.others.append(event)  # it was watched in an earlier visit


def _left(columns: _Columns, event: e.Left, me: Agent) -> None:
    who, satisfaction = columns.left
    who.append(event.agent)
    satisfaction.append(me.satisfaction)


_GATHER: dict[type, Callable[[_Columns, Any, Agent], None]] = {
    e.Woke: _woke,
    e.Entered: _entered,
    e.SlateShown: _shown,
    e.Picked: _picked,
    e.Watched: _watched,
    e.Rated: _rated,
    e.Left: _left,
}


def gathered(
    visits: Iterable[tuple[Agent, Sequence[e.Entry]]],
    catalogue: Catalogue,
    now: int,
    shared: Collection[type],
) -> SharedChanges:
    """Return what visits change, each given by its agent at the end and by what happened.

    `shared` are the events that have an effect on something shared.
    """
    columns = _Columns(catalogue, now)
    for me, entries in visits:
        for entry in entries:
            kind = type(entry.event)
            gather = _GATHER.get(kind)
            if gather is not None:
                gather(columns, entry.event, me)
            elif kind in shared:
                columns.others.append(entry.event)
    return SharedChanges(
        (columns.woke[0].tobytes(), columns.woke[1].tobytes()),
        (columns.left[0].tobytes(), columns.left[1].tobytes()),
        columns.impressions.packed(),
        columns.interactions.packed(),
        tuple(columns.others),
    )
