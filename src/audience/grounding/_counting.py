"""How items go together: counts over lives, from which all collaborative evidence is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from audience.grounding.lives import Lives
from audience.world.rng import Floats, Ints

Table = NDArray[np.float32]
MOST_ITEMS = 6000
"""Items that have tables of their own; of a larger catalogue, those lived most."""
_ROWS = 1024
_PAIRS = 4_000_000


class Ordered(msgspec.Struct, frozen=True, eq=False):
    """Lives with each person's rows together, in the order of time, and items by their place."""

    users: Ints
    places: Ints
    """Places in the tables; `known` is that of all items without one."""
    positions: Ints
    """How many the person had lived before."""
    people: int
    known: int


def places_of(lives: Lives) -> tuple[Ints, int]:
    """Return the place of each item in the tables, and how many there are."""
    items = len(lives.catalogue)
    counts = np.bincount(lives.items, minlength=items)
    kept = np.argsort(-counts, kind="stable")[:MOST_ITEMS]
    kept = np.sort(kept[counts[kept] > 0])
    places = np.full(items, len(kept), np.int64)
    places[kept] = np.arange(len(kept))
    return places, len(kept)


def ordered(lives: Lives, places: Ints, known: int) -> Ordered:
    """Return lives person by person."""
    order = np.argsort(lives.users, kind="stable")
    users = lives.users[order]
    sizes = np.bincount(users, minlength=lives.people)
    positions = np.arange(len(users)) - (np.cumsum(sizes) - sizes)[users]
    return Ordered(users, places[lives.items[order]], positions, lives.people, known)


def together(rows: Ordered) -> Table:
    """Return [items, items]: how many people lived both."""
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
    """Return a symmetric table from its upper triangle; below it there is nought."""
    whole = np.ascontiguousarray(upper + upper.T)
    np.fill_diagonal(whole, upper.diagonal())
    return whole


def followed(rows: Ordered, weights: Sequence[Floats]) -> list[Table]:
    """Return one [items, items] for each list of weights: how much each is followed by each.

    `weights[k][d - 1]` is what a distance of d places in a life counts.
    """
    known, reach = rows.known, max(len(one) for one in weights)
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


def lifts(counts: Table, shares: Floats, doubt: float) -> Table:
    """Return log P(item | other) / P(item); `doubt` is how many counts the share itself weighs.

    A row and a column of noughts are added, for items without a place.
    """
    shown = shares.astype(np.float32)
    found: Table = counts + np.float32(doubt) * shown
    found /= counts.sum(axis=1, keepdims=True) + np.float32(doubt)
    found /= shown
    np.log(found, out=found)
    return padded(found)


def linear(products: Table, regularisation: float) -> Table:
    """Return EASE's weights for a table of products: nought on the diagonal, and padded."""
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
    """Return a copy to invert in place, at a round address: the last bits depend on that."""
    size = table.size
    room = np.empty(size + 16, np.float32)
    begin = -(room.ctypes.data // 4) % 16
    found = room[begin : begin + size].reshape(table.shape, order="F")
    found[...] = table
    return found


def padded(table: Table) -> Table:
    """Return a table with a row and a column of noughts at its end."""
    return np.pad(table, ((0, 1), (0, 1)))
