"""The agenda of a round by own clocks: who is still to come, and in which window."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from audience.engine.interventions import reached
from audience.engine.own_clock import bounds, drawn_in, due
from audience.engine.simulation import Simulation
from audience.errors import BadInput
from audience.world import Ints, dice, events as e, keys

_BITS = 43
"""Bits of a rank below the number of the window: a hash, so that nobody is always first."""
_MOST_WINDOWS = 1 << (63 - _BITS)


class Appointment(NamedTuple):
    """A visit that is due."""

    rank: int
    agent: int
    at: int
    briefly: bool

    @property
    def window(self) -> int:
        return window_of(self.rank)


def window_of(rank: int) -> int:
    """Return the number of the window of a visit within its round, by its rank."""
    return rank >> _BITS


class Agenda:
    """The visits of a round that are still to come, by window."""

    def __init__(self, sim: Simulation, kept: Iterable[e.Chapter]) -> None:
        self._sim = sim
        self._coming: list[Appointment] = []
        self.begin, self.end = bounds(sim.world)
        self._length = sim.parts.time.window * 60
        if (self.end - self.begin) // self._length >= _MOST_WINDOWS:
            raise BadInput(
                f"time: window: a round of {sim.world.genesis.clock.step} has more than "
                f"{_MOST_WINDOWS:,} windows of {sim.parts.time.window} min; use longer ones"
            )
        self._open(kept)

    def __len__(self) -> int:
        return len(self._coming)

    def _open(self, kept: Iterable[e.Chapter]) -> None:
        """Add who is due, who is played or was, and whom news brings."""
        world, parts = self._sim.world, self._sim.parts
        agents, moments = due(world, parts.activation, parts.time)
        at = dict(zip(agents.tolist(), moments.tolist(), strict=True))
        if played := sorted(agent for agent in parts.present if agent < len(world.agents)):
            places = dice(world.seed, "wake", np.array(played), world.round).uniform("moment")
            found = drawn_in(parts.time, self.begin, self.end, places)
            at |= dict(zip(played, found.tolist(), strict=True))
        for chapter in kept:
            if chapter.agent not in at and isinstance(woke := chapter.entries[0].event, e.Woke):
                at[chapter.agent] = woke.at
        who = np.array(sorted(at), np.int64)
        everybody, places, briefly = reached(world, parts.activation, who, np.zeros(len(who)))
        moments = drawn_in(parts.time, self.begin, self.end, places)
        drawn = zip(everybody.tolist(), moments.tolist(), strict=True)
        news = {agent: moment for agent, moment in drawn if agent in briefly}
        at |= news
        rows = self._rows(np.array(list(at), np.int64), list(at.values()), briefly)
        self._coming = sorted(rows)

    def _rows(
        self, agents: Ints, moments: Sequence[int], briefly: frozenset[int] = frozenset()
    ) -> list[Appointment]:
        world = self._sim.world
        hashes = (keys(world.seed, "visit", agents, world.round) >> np.uint64(64 - _BITS)).tolist()
        return [
            Appointment(
                (moment - self.begin) // self._length << _BITS | hashed,
                agent,
                moment,
                agent in briefly,
            )
            for agent, moment, hashed in zip(agents.tolist(), moments, hashes, strict=True)
        ]

    def returning(self, agents: Ints, moments: Ints) -> list[Appointment | None]:
        """Return the next visits of people; None: not in this round, or they are played."""
        rows, present = self._rows(agents, moments.tolist()), self._sim.parts.present
        return [row if row.at < self.end and row.agent not in present else None for row in rows]

    def add(self, rows: Iterable[Appointment]) -> None:
        """Add visits that are still to come."""
        for row in rows:
            insort(self._coming, row)

    def take(self) -> list[Appointment]:
        """Remove the visits of the next window and return them in the order of the log."""
        if not self._coming:
            return []
        count = within_window(self._coming)
        rows, self._coming = self._coming[:count], self._coming[count:]
        return rows

    def ahead(self, count: int) -> list[Appointment]:
        """Return the next visits without removing them."""
        return self._coming[:count]

    def upto(self, rank: int) -> list[Appointment]:
        """Return the visits up to a rank without removing them."""
        return self._coming[: bisect_right(self._coming, rank, key=lambda row: row.rank)]

    def closes(self, window: int) -> int:
        """Return when a window is over."""
        return min(self.begin + (window + 1) * self._length, self.end)


def within_window(rows: Sequence[Appointment]) -> int:
    """Return how many of some visits, in order, are in the window of the first."""
    return bisect_left(rows, (rows[0].window + 1) << _BITS, key=lambda row: row.rank)


def end_of(row: Appointment) -> int:
    """Return the last rank of the window of a visit."""
    return ((row.window + 1) << _BITS) - 1
