"""Tables of pairs of items: dense for common items, one by one where an item is rare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from audience.grounding.lives import OrderedLives
from audience.world import Bools, Floats, Ints

Table = NDArray[np.float32]
_ROWS = 1024
_PAIRS = 4_000_000


def together(rows: OrderedLives) -> Table:
    """Return [items, items]: how many people had both."""
    from scipy.linalg import blas
    from scipy.sparse import csr_array

    kept = rows.places < rows.known
    cells = (np.ones(int(kept.sum()), np.float32), (rows.users[kept], rows.places[kept]))
    lived: Any = csr_array(cells, (rows.people, rows.known))
    lived.sum_duplicates()
    lived.data[:] = 1.0
    if not rows.known:
        return np.zeros((0, 0), np.float32)
    total = np.zeros((rows.known, rows.known), np.float32, order="F")
    for start in range(0, rows.people, _ROWS):
        dense = lived[start : start + _ROWS].toarray()
        total = blas.ssyrk(1.0, dense.T, beta=1.0, c=total, overwrite_c=True)
    return mirrored(total)


def mirrored(upper: Table) -> Table:
    """Return a symmetric table from its upper triangle."""
    whole = np.ascontiguousarray(upper + upper.T)
    np.fill_diagonal(whole, upper.diagonal())
    return whole


def followed(rows: OrderedLives, weights: Sequence[Floats]) -> list[Table]:
    """Return one [items, items] for each list of weights: how much each is followed by each.

    `weights[k][d - 1]` is the weight of a distance of d places in a history.
    """
    known, reach = rows.known, max(len(weight) for weight in weights)
    tables = [np.zeros(known * known, np.float32) for _ in weights]
    cells: list[Ints] = []
    distances: list[Ints] = []
    waiting = 0
    for distance in range(1, min(reach, max(len(rows.users) - 1, 0)) + 1):
        before, after = rows.places[:-distance], rows.places[distance:]
        same = rows.users[distance:] == rows.users[:-distance]
        same &= (before != after) & (before < known) & (after < known)
        cells.append(before[same] * known + after[same])
        distances.append(np.full(len(cells[-1]), distance - 1))
        waiting += len(cells[-1])
        if waiting >= _PAIRS:
            _add(tables, weights, cells, distances)
            cells, distances, waiting = [], [], 0
    _add(tables, weights, cells, distances)
    return [table.reshape(known, known) for table in tables]


def _add(
    tables: Sequence[Table],
    weights: Sequence[Floats],
    cells: Sequence[Ints],
    distances: Sequence[Ints],
) -> None:
    if not cells:
        return
    cell, distance = np.concatenate(cells), np.concatenate(distances)
    for table, weight in zip(tables, weights, strict=True):
        near = distance < len(weight)
        counts = weight.astype(np.float32)[distance[near]]
        np.add.at(table, cell[near], counts)


def lifts(counts: Table, shares: Floats, doubt: float, elsewhere: Floats | None = None) -> Table:
    """Return log P(item | other) / P(item); `doubt` is how many counts the share itself weighs.

    `elsewhere` is how much each item is followed by items that are not in the table. A row and a
    column of zeros are added, for items without a place.
    """
    shown = shares.astype(np.float32)
    smoothed: Table = counts + np.float32(doubt) * shown
    sums = counts.sum(axis=1, keepdims=True)
    if elsewhere is not None:
        sums += elsewhere[:, None].astype(np.float32)
    smoothed /= sums + np.float32(doubt)
    smoothed /= shown
    np.log(smoothed, out=smoothed)
    return padded(smoothed)


def linear(products: Table, regularisation: float) -> Table:
    """Return EASE's weights for a Gram matrix: zero on the diagonal, and padded."""
    from scipy.linalg import lapack

    if not len(products):
        return padded(products)
    matrix = _aligned(products)
    diagonal = np.arange(len(matrix))
    matrix[diagonal, diagonal] += np.float32(regularisation)
    factor, failed = lapack.spotrf(matrix, lower=False, overwrite_a=True)
    inverse, failed_too = lapack.spotri(factor, lower=False, overwrite_c=True)
    if failed or failed_too:
        raise ArithmeticError("counts of items cannot be inverted")
    weights = mirrored(inverse)
    weights /= -weights[diagonal, diagonal]
    weights[diagonal, diagonal] = 0.0
    return padded(weights)


def _aligned(table: Table) -> Table:
    """Return an aligned copy to invert in place: the last bits depend on alignment."""
    size = table.size
    room = np.empty(size + 16, np.float32)
    begin = -(room.ctypes.data // 4) % 16
    aligned = room[begin : begin + size].reshape(table.shape, order="F")
    aligned[...] = table
    return aligned


def padded(table: Table) -> Table:
    """Return a table padded with a row and a column of zeros."""
    return np.pad(table, ((0, 1), (0, 1)))


MOST_PAIRS = 8_000_000
"""Maximum number of rare pairs that are counted, the closest in histories first."""
_REACH = 400
"""Greatest distance in a history at which a pair of which one is rare is counted."""


class RareCounts(msgspec.Struct, frozen=True, eq=False):
    """Pairs of items of which at least one has no place in the dense tables."""

    first: Ints
    second: Ints
    """Sorted by both; the other way round every pair is there as well."""
    both: Floats
    """How many histories have the pair."""
    sums: tuple[Floats, ...]
    """For each list of weights, how much the first is followed by the second."""
    back: tuple[Floats, ...]
    """The same the other way round."""


def rare_counts(rows: OrderedLives, items: int, weights: Sequence[Floats]) -> RareCounts | None:
    """Return how the pairs without a dense table follow each other; None without rare items.

    `weights` are as in `followed`.
    """
    rare = rows.places >= rows.known
    if not rare.any():
        return None
    keys: list[Ints] = []
    distances: list[Ints] = []
    waiting = 0
    for distance in range(1, min(_REACH, len(rows.users) - 1) + 1):
        same = rows.users[distance:] == rows.users[:-distance]
        if not same.any() or waiting >= MOST_PAIRS:
            break
        same &= rare[distance:] | rare[:-distance]
        before, after = rows.items[:-distance][same], rows.items[distance:][same]
        apart = before != after
        keys.append((before * items + after)[apart])
        distances.append(np.full(len(keys[-1]), distance - 1, np.int64))
        waiting += len(keys[-1])
    return _both_ways(np.concatenate(keys), np.concatenate(distances), items, weights)


def _both_ways(
    key: Ints, distance: Ints, items: int, weights: Sequence[Floats]
) -> RareCounts | None:
    if not len(key):
        return None
    turned = key % items * items + key // items
    whole, where = np.unique(np.concatenate([key, turned]), return_inverse=True)
    there, back = where[: len(key)], where[len(key) :]
    forth_sums: list[Floats] = []
    back_sums: list[Floats] = []
    for weight in weights:
        padded_weight = np.zeros(_REACH)
        padded_weight[: min(len(weight), _REACH)] = weight[:_REACH]
        counts = padded_weight[distance]
        forth_sums.append(np.asarray(np.bincount(there, counts, len(whole)), np.float64))
        back_sums.append(np.asarray(np.bincount(back, counts, len(whole)), np.float64))
    both = np.bincount(where, minlength=len(whole)).astype(np.float64)
    return RareCounts(whole // items, whole % items, both, tuple(forth_sums), tuple(back_sums))


class RarePairs(msgspec.Struct, frozen=True, eq=False):
    """What the tables hold for pairs of which at least one item is rare."""

    rare: Bools
    """Of each item of the catalogue, and of one more for later ones."""
    keys: Ints
    """first * (items + 1) + second, sorted."""
    values: tuple[Table, ...]
    """For each table, one value for each of the keys."""
    usual: tuple[Table, ...]
    """For each table, the value of a pair that never occurred, by its first item."""

    def places(self, first: Ints, second: Ints) -> Ints:
        """Return where each pair is among the keys; -1 where it never occurred."""
        asked = first * len(self.rare) + second
        where = np.minimum(np.searchsorted(self.keys, asked), len(self.keys) - 1)
        hits: Ints = np.where(self.keys[where] == asked, where, -1)
        return hits
