"""Cases as arrays, and what tables of items and of pairs say about them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from audience.grounding.pairs import RarePairs, Table
from audience.grounding.tables import EvidenceTables
from audience.world import Bools, Floats, Ints

RECENT = 30
"""The last items of a history, of which the order counts."""


class Batch(msgspec.Struct, frozen=True, eq=False):
    """A batch of cases, padded with zeros."""

    recent: Ints
    """[cases, RECENT] items, the newest first."""
    real: Bools
    lengths: Ints
    owners: Ints
    """The case of each entry of `items`: all histories, one after the other."""
    items: Ints
    ages: Ints
    """How many of the history came after the entry."""
    candidates: Ints
    """[cases, width]."""


def batch_of(
    histories: Sequence[Sequence[int]], candidates: Sequence[Sequence[int]], known: int
) -> Batch:
    """Return cases as arrays; items from number `known` on share one index, as they came later."""
    lengths = np.array([len(history) for history in histories], np.int64)
    items = np.fromiter(
        (item for history in histories for item in history), np.int64, int(lengths.sum())
    )
    items = np.minimum(items, known)
    owners = np.repeat(np.arange(len(lengths)), lengths)
    ends = np.cumsum(lengths)
    ages = ends[owners] - 1 - np.arange(len(items))
    recent = np.zeros((len(lengths), RECENT), np.int64)
    late = ages < RECENT
    recent[owners[late], ages[late]] = items[late]
    width = max((len(candidate) for candidate in candidates), default=0)
    shown = np.zeros((len(lengths), max(width, 1)), np.int64)
    for row, candidate in enumerate(candidates):
        shown[row, : len(candidate)] = candidate
    shown = np.minimum(shown, known)
    real = np.arange(RECENT)[None, :] < lengths[:, None]
    return Batch(recent, real, lengths, owners, items, ages, shown)


class PairCells:
    """Where the pairs of some earlier items and candidates are in the tables."""

    def __init__(self, tables: EvidenceTables, before: Ints, candidates: Ints) -> None:
        """`before` and `candidates` have shapes that broadcast to that of the pairs."""
        self.tables = tables
        self.cells = tables.places[before] * tables.width + tables.places[candidates]
        self.rare: RarePairs | None = tables.rare
        if self.rare is not None:
            mask = self.rare.rare[before] | self.rare.rare[candidates]
            self.mask = mask
            self.first = np.broadcast_to(before, mask.shape)[mask]
            second = np.broadcast_to(candidates, mask.shape)[mask]
            self.where = self.rare.places(self.first, second)

    def of(self, table: int) -> Table:
        """Return what a table has for each pair."""
        values = self.tables.pairs[table].reshape(-1).take(self.cells)
        if self.rare is not None:
            stored = self.rare.values[table][np.maximum(self.where, 0)]
            usual = self.rare.usual[table][self.first]
            values[self.mask] = np.where(self.where >= 0, stored, usual)
        return values


class Recent:
    """Means of tables over the last items of histories."""

    def __init__(self, batch: Batch, tables: EvidenceTables) -> None:
        self.batch = batch
        self.cells = PairCells(tables, batch.recent[:, :, None], batch.candidates[:, None, :])

    def means(self, table: int, weights: Floats) -> list[Floats]:
        """Return [cases, width] for each row of `weights`.

        `weights[k, age]` is how much an age counts; they add up to one over the ages that are
        there.
        """
        values = self.cells.of(table)
        there = weights[:, None, :] * self.batch.real[None, :, : weights.shape[1]]
        sums = np.zeros((len(weights), len(values)))
        means = np.zeros((len(weights), len(values), values.shape[2]))
        for age in range(weights.shape[1]):
            for k in np.flatnonzero(weights[:, age]).tolist():
                sums[k] += there[k, :, age]
                means[k] += there[k, :, age, None] * values[:, age]
        means /= np.maximum(sums, 1e-9)[:, :, None]
        return list(means)


class Whole:
    """Sums and maxima of tables over whole histories."""

    def __init__(self, batch: Batch, tables: EvidenceTables) -> None:
        self.batch = batch
        self.shape = batch.candidates.shape
        self.cells = PairCells(tables, batch.items[:, None], batch.candidates[batch.owners])
        self.size = np.maximum(batch.lengths, 1)[:, None]

    def of(self, table: int) -> Table:
        """Return [entries, width]: what a table has for each item of a history and candidate."""
        return self.cells.of(table)

    def sums(self, values: Table, last: int = -1) -> Floats:
        """Return [cases, width]: values summed over the last items, -1 for all."""
        late = slice(None) if last < 0 else np.flatnonzero(self.batch.ages < last)
        owners, chosen = self.batch.owners[late], values[late]
        totals = np.zeros(self.shape)
        for column in range(self.shape[1]):
            # bincount adds in order, whatever else is in the batch.
            totals[:, column] = np.bincount(owners, chosen[:, column], self.shape[0])
        return totals

    def runs(self, values: Table, length: int) -> Table:
        """Return the means of each entry and those after it, `length` (a power of two) in all."""
        means, distance = values.copy(), 1
        while distance < min(length, len(values)):
            same = self.batch.owners[distance:] == self.batch.owners[:-distance]
            means[:-distance] += means[distance:] * same[:, None].astype(np.float32)
            distance *= 2
        means /= np.float32(length)
        return means

    def best(self, values: Table) -> Floats:
        """Return [cases, width]: the highest value of each history; 0 for nobody."""
        highest = np.zeros(self.shape)
        there = self.batch.lengths > 0
        if there.any():
            ends = np.cumsum(self.batch.lengths[there])
            highest[there] = np.maximum.reduceat(values, ends - self.batch.lengths[there], axis=0)
        return highest


def per_case(batch: Batch, values: Floats) -> Floats:
    """Return the mean over each history of a value of items; 0 for nobody."""
    sums = np.bincount(batch.owners, values[batch.items], len(batch.lengths))
    return sums / np.maximum(batch.lengths, 1)


def per_recent(batch: Batch, values: Floats, last: int) -> Floats:
    """Return the mean over the last items of a value of items; 0 for nobody."""
    sums, count = np.zeros(len(batch.lengths)), np.zeros(len(batch.lengths))
    for age in range(min(last, RECENT)):
        sums += np.where(batch.real[:, age], values[batch.recent[:, age]], 0.0)
        count += batch.real[:, age]
    return sums / np.maximum(count, 1.0)
