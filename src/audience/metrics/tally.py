"""Counts and sums per agent, cheap to add to: arithmetic waits for the end of the round.

Rounds before are held as sums, the round so far as columns. Every sum thus has one order, that of
the log, whenever somebody looks at it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from audience.metrics.formulas import resized
from audience.world.rng import Floats, Ints


class Sums(NamedTuple):
    """What a tally holds in all."""

    times: int = 0
    amounts: tuple[float, ...] = ()
    visits: int = 0
    """Visits in which something was counted: pairs of agent and round."""


class Tally:
    """How often something happened to each agent, and how much it was by each of some measures."""

    __slots__ = ("_amounts", "_counts", "_past", "agents", "amounts")

    def __init__(self, measures: int = 0) -> None:
        self.agents: list[int] = []
        """Whom it happened to in this round: append."""
        self.amounts: tuple[list[float], ...] = tuple([] for _ in range(measures))
        """How much it was each time, by each measure: append likewise."""
        self._past = Sums(amounts=(0.0,) * measures)
        self._counts: Floats = np.zeros(0)
        self._amounts: list[Floats] = [np.zeros(0) for _ in range(measures)]

    def _columns(self) -> tuple[Ints, list[Floats]]:
        return np.array(self.agents, np.int64), [np.array(c, np.float64) for c in self.amounts]

    def whole(self) -> Sums:
        """Return the sums of all rounds."""
        return _plus(self._past, _summed(*self._columns()))

    def counts(self, people: int = 0) -> Floats:
        """Return how often it happened to each agent, for at least `people` agents."""
        return _added(self._counts, np.bincount(self._columns()[0]), people)

    def sums(self, measure: int = 0, people: int = 0) -> Floats:
        """Return how much it was for each agent by one measure, for at least `people` agents."""
        agents, amounts = self._columns()
        return _added(self._amounts[measure], np.bincount(agents, amounts[measure]), people)

    def close(self) -> Sums:
        """Return the sums of this round alone and begin the next."""
        agents, amounts = self._columns()
        closed = _summed(agents, amounts)
        self._past = _plus(self._past, closed)
        self._counts = _added(self._counts, np.bincount(agents), 0)
        for measure, column in enumerate(amounts):
            self._amounts[measure] = _added(self._amounts[measure], np.bincount(agents, column), 0)
            self.amounts[measure].clear()
        self.agents.clear()
        return closed


def _summed(agents: Ints, amounts: list[Floats]) -> Sums:
    visits = int(np.count_nonzero(np.bincount(agents)))
    return Sums(len(agents), tuple(float(column.sum()) for column in amounts), visits)


def _plus(past: Sums, now: Sums) -> Sums:
    amounts = tuple(a + b for a, b in zip(past.amounts, now.amounts, strict=True))
    return Sums(past.times + now.times, amounts, past.visits + now.visits)


def _added(past: Floats, now: Floats | Ints, people: int) -> Floats:
    total = resized(past, max(len(now), people))
    total = total.copy() if total is past else total
    total[: len(now)] += now
    return total
