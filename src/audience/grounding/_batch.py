"""Histories and candidates as arrays, and sums over histories that no batch size can change."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from audience.grounding._counting import Table
from audience.grounding._tables import Tables
from audience.world.rng import Bools, Floats, Ints

RECENT = 30
"""The last items of a history, of which the order counts."""


class Batch(msgspec.Struct, frozen=True, eq=False):
    """Some cases; places that are not there hold 0 and are not real."""

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
    """Return cases as arrays; items from number `known` on are all one: those that came later."""
    lengths = np.array([len(one) for one in histories], np.int64)
    items = np.fromiter((item for one in histories for item in one), np.int64, int(lengths.sum()))
    items = np.minimum(items, known)
    owners = np.repeat(np.arange(len(lengths)), lengths)
    ends = np.cumsum(lengths)
    ages = ends[owners] - 1 - np.arange(len(items))
    recent = np.zeros((len(lengths), RECENT), np.int64)
    late = ages < RECENT
    recent[owners[late], ages[late]] = items[late]
    width = max((len(one) for one in candidates), default=0)
    shown = np.zeros((len(lengths), max(width, 1)), np.int64)
    for row, one in enumerate(candidates):
        shown[row, : len(one)] = one
    shown = np.minimum(shown, known)
    real = np.arange(RECENT)[None, :] < lengths[:, None]
    return Batch(recent, real, lengths, owners, items, ages, shown)


def over_recent(batch: Batch, tables: Tables, table: Table, weights: Floats) -> list[Floats]:
    """Return [cases, width] for each row of `weights`: means of a table over the last items.

    `weights[k, age]` is how much an age counts; they add up to one over the ages that are there.
    """
    rows = tables.places[batch.recent] * len(tables.share)
    columns, flat = tables.places[batch.candidates], table.reshape(-1)
    ages = weights.shape[1]
    there = weights[:, None, :] * batch.real[None, :, :ages]
    sums = np.zeros((len(weights), len(rows)))
    found = np.zeros((len(weights), *columns.shape))
    for age in range(ages):
        values = flat.take(rows[:, age, None] + columns)
        for k in np.flatnonzero(weights[:, age]).tolist():
            sums[k] += there[k, :, age]
            found[k] += there[k, :, age, None] * values
    found /= np.maximum(sums, 1e-9)[:, :, None]
    return list(found)


class Whole:
    """Sums and bests of tables over whole histories."""

    def __init__(self, batch: Batch, tables: Tables) -> None:
        columns = tables.places[batch.candidates]
        self.batch = batch
        self.shape = columns.shape
        starts = tables.places[batch.items] * len(tables.share)
        self.cells = starts[:, None] + columns[batch.owners]
        self.size = np.maximum(batch.lengths, 1)[:, None]

    def of(self, table: Table) -> Table:
        """Return [entries, width]: what a table has for each item of a history and candidate."""
        return table.reshape(-1).take(self.cells)

    def sums(self, values: Table, last: int = -1) -> Floats:
        """Return [cases, width]: values added up over the last items, -1 for all."""
        late = slice(None) if last < 0 else np.flatnonzero(self.batch.ages < last)
        owners, chosen = self.batch.owners[late], values[late]
        found = np.zeros(self.shape)
        for column in range(self.shape[1]):
            # bincount adds one after the other, whatever else is in the batch.
            found[:, column] = np.bincount(owners, chosen[:, column], self.shape[0])
        return found

    def runs(self, values: Table, length: int) -> Table:
        """Return the means of each entry and those after it, `length` (a power of two) in all."""
        found, distance = values.copy(), 1
        while distance < min(length, len(values)):
            same = self.batch.owners[distance:] == self.batch.owners[:-distance]
            found[:-distance] += found[distance:] * same[:, None].astype(np.float32)
            distance *= 2
        found /= np.float32(length)
        return found

    def best(self, values: Table) -> Floats:
        """Return [cases, width]: the highest value of each history; 0 for nobody."""
        found = np.zeros(self.shape)
        there = self.batch.lengths > 0
        if there.any():
            ends = np.cumsum(self.batch.lengths[there])
            found[there] = np.maximum.reduceat(values, ends - self.batch.lengths[there], axis=0)
        return found


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
