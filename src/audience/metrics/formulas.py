"""Formulas and tallies shared by metrics; undefined values are NaN, without warnings."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from audience.world import Floats, Ints

NAN = math.nan


def ratio(part: float, whole: float) -> float:
    """Return part / whole, NaN if the whole is 0."""
    return part / whole if whole else NAN


def ratios(parts: Floats, wholes: Floats) -> Floats:
    """Return parts / wholes by element, NaN where the whole is 0."""
    quotients: Floats = np.full(len(parts), NAN)
    np.divide(parts, wholes, out=quotients, where=wholes != 0.0)
    return quotients


def entropies(weights: Floats) -> Floats:
    """Return H = -sum p log2 p in bits of each row of weights, NaN for a row of zeros."""
    totals = weights.sum(axis=1)
    defined = totals > 0.0
    shares = weights[defined] / totals[defined, None]
    logs = np.log2(np.where(shares > 0.0, shares, 1.0))
    found = np.full(len(weights), NAN)
    # Adding 0.0 turns the -0.0 of a single tag into 0.0.
    found[defined] = -(shares * logs).sum(axis=1) + 0.0
    return found


def entropy(weights: Floats) -> float:
    """Return the entropy in bits of one row of weights."""
    return float(entropies(weights[None, :])[0]) if len(weights) else NAN


def gini(counts: Floats) -> float:
    """Return G = 2 sum(i x_i) / (n sum x) - (n + 1) / n, with x in ascending order.

    0 when all are equal, 1 - 1/n when one has everything.
    """
    total = float(counts.sum()) if len(counts) else 0.0
    if total <= 0.0:
        return NAN
    places = np.arange(1, len(counts) + 1)
    weighted = float((places * np.sort(counts)).sum())
    return max(0.0, (2.0 * weighted / total - (len(counts) + 1)) / len(counts))


def mean(values: Floats) -> float:
    """Return the mean of the defined values, NaN if there are none."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else NAN


def resized(array: Floats, size: int) -> Floats:
    """Return the array padded with zeros to at least `size` rows."""
    if len(array) >= size:
        return array
    grown = np.zeros((size, *array.shape[1:]))
    grown[: len(array)] = array
    return grown


def packed(numbers: Sequence[float], kind: str) -> bytes:
    """Return numbers as bytes, by a type code of `array`."""
    return array(kind, numbers).tobytes()


def unpacked(body: bytes, kind: str) -> Sequence[Any]:
    """Return the numbers that `packed` was given."""
    numbers = array(kind)
    numbers.frombytes(body)
    return numbers


class Sums(NamedTuple):
    """The totals of a tally."""

    times: int = 0
    amounts: tuple[float, ...] = ()


class AgentTally:
    """Counts of something per agent, and sums of some measures of it."""

    __slots__ = ("_amounts", "_counts", "_past", "agents", "amounts")

    def __init__(self, measures: int = 0) -> None:
        self.agents: list[int] = []
        """The agents it happened to in this round, to be appended to."""
        self.amounts: tuple[list[float], ...] = tuple([] for _ in range(measures))
        """The amounts by measure, to be appended to likewise."""
        self._past = Sums(amounts=(0.0,) * measures)
        self._counts: Floats = np.zeros(0)
        self._amounts: list[Floats] = [np.zeros(0) for _ in range(measures)]

    def _columns(self) -> tuple[Ints, list[Floats]]:
        return np.array(self.agents, np.int64), [np.array(c, np.float64) for c in self.amounts]

    def taken(self) -> tuple[bytes, ...]:
        """Return what was appended in this round, and forget it."""
        taken = (packed(self.agents, "i"), *(packed(column, "d") for column in self.amounts))
        self.agents.clear()
        for column in self.amounts:
            column.clear()
        return taken

    def merge(self, taken: Sequence[bytes]) -> None:
        """Append what was taken from another tally."""
        agents, *amounts = taken
        self.agents.extend(unpacked(agents, "i"))
        for column, more in zip(self.amounts, amounts, strict=True):
            column.extend(unpacked(more, "d"))

    def whole(self) -> Sums:
        """Return the sums of all rounds."""
        return _plus(self._past, _summed(*self._columns()))

    def counts(self, people: int = 0) -> Floats:
        """Return the count of each agent, for at least `people` agents."""
        return _added(self._counts, np.bincount(self._columns()[0]), people)

    def sums(self, measure: int = 0, people: int = 0) -> Floats:
        """Return the sum of one measure for each agent, for at least `people` agents."""
        agents, amounts = self._columns()
        return _added(self._amounts[measure], np.bincount(agents, amounts[measure]), people)

    def close(self) -> Sums:
        """Return the totals of this round alone and begin the next."""
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
    return Sums(len(agents), tuple(float(column.sum()) for column in amounts))


def _plus(past: Sums, now: Sums) -> Sums:
    amounts = tuple(a + b for a, b in zip(past.amounts, now.amounts, strict=True))
    return Sums(past.times + now.times, amounts)


def _added(past: Floats, now: Floats | Ints, people: int) -> Floats:
    total = resized(past, max(len(now), people))
    total = total.copy() if total is past else total
    total[: len(now)] += now
    return total
