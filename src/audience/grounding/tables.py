"""Statistics of a training part: co-occurrence, transitions, EASE weights, and batches of cases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from audience.recommenders import one_thread
from audience.world import Bools, Catalogue, Floats, Interactions, Ints


class Lives(msgspec.Struct, frozen=True, eq=False):
    """Training interactions in the order of time, as columns of equal length."""

    catalogue: Catalogue
    people: int
    users: Ints
    items: Ints
    at: Ints
    stars: Floats
    """0.5 to 5; 0 if there is no rating."""

    @classmethod
    def of(cls, interactions: Interactions) -> Lives:
        """Return what a recommender may learn from as lives."""
        order = np.argsort(interactions.at, kind="stable")
        return cls(
            interactions.catalogue,
            interactions.people,
            interactions.agents[order],
            interactions.items[order],
            interactions.at[order],
            interactions.stars[order].astype(np.float64),
        )

    def __len__(self) -> int:
        return len(self.users)


Table = NDArray[np.float32]
MOST_ITEMS = 6000
"""Maximum number of items in the tables; of a larger catalogue, the most popular."""
_ROWS = 1024
_PAIRS = 4_000_000


class OrderedLives(msgspec.Struct, frozen=True, eq=False):
    """Interactions grouped by person, in the order of time, with items by their index."""

    users: Ints
    places: Ints
    """Places in the tables; `known` is that of all items without one."""
    positions: Ints
    """The number of items the person had before."""
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


def ordered(lives: Lives, places: Ints, known: int) -> OrderedLives:
    """Return lives person by person."""
    order = np.argsort(lives.users, kind="stable")
    users = lives.users[order]
    sizes = np.bincount(users, minlength=lives.people)
    positions = np.arange(len(users)) - (np.cumsum(sizes) - sizes)[users]
    return OrderedLives(users, places[lives.items[order]], positions, lives.people, known)


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


def lifts(counts: Table, shares: Floats, doubt: float) -> Table:
    """Return log P(item | other) / P(item); `doubt` is how many counts the share itself weighs.

    A row and a column of zeros are added, for items without an index.
    """
    shown = shares.astype(np.float32)
    smoothed: Table = counts + np.float32(doubt) * shown
    smoothed /= counts.sum(axis=1, keepdims=True) + np.float32(doubt)
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


REGULARISATION = 1000.0
"""Regularisation of the weights over whole histories."""
WINDOW_REGULARISATION = 20.0
"""Regularisation of the weights over neighbouring items."""
FADING = 0.9
NEAR, FAR = 10, 30
"""Reach of transitions, weighted by 1/d and by 1/sqrt(d)."""
DOUBTS = (5.0, 10.0, 20.0, 20.0)
STAGES = 11
"""Stages of a history, by powers of two of its length."""
END = 10
"""The last items of a history that count as its end."""


class EvidenceTables(msgspec.Struct, frozen=True, eq=False):
    """One entry for each item with an index, and one more for all the others.

    `places`, `tags` and `year` have one for each item of the catalogue, and one for later ones.
    """

    places: Ints
    log_count: Floats
    share: Floats
    linear: Table
    window: Table
    cosine: Table
    steps: tuple[Table, Table, Table, Table]
    """Log lifts: what follows within NEAR places, what is within; the same for FAR."""
    stage: Floats
    """[stages, items]: log lift of an item at a stage of a life."""
    moment: Floats
    """Mean logarithm of what people had lived before the item."""
    ending: Floats
    """Log lift of an item at the end of lives."""
    tags: Bools
    rarity: Floats
    """Of each tag."""
    year: Floats
    """NaN where unknown."""


def stage_of(lived: Ints) -> Ints:
    """Return the stage of a history after so many items."""
    stage: Ints = np.minimum(np.log2(1.0 + lived).astype(np.int64), STAGES - 1)
    return stage


def fit_tables(lives: Lives) -> EvidenceTables:
    """Return the tables of a training part."""
    places, known = places_of(lives)
    rows = ordered(lives, places, known)
    counts = np.bincount(rows.places, minlength=known + 1).astype(np.float64)
    shares = (counts + 1.0) / (counts.sum() + known + 1.0)
    with one_thread():
        both = together(rows)
        whole = linear(both, REGULARISATION)
        roots = np.sqrt(counts[:known] + 1.0).astype(np.float32)
        both /= roots[:, None]
        both /= roots[None, :]
        np.fill_diagonal(both, 0.0)
        near, far, window = _steps(rows, counts[:known])
    distinct = shares[:known]
    steps = (
        lifts(near, distinct, DOUBTS[0]),
        lifts(near + near.T, distinct, DOUBTS[1]),
        lifts(far, distinct, DOUBTS[2]),
        lifts(far + far.T, distinct, DOUBTS[3]),
    )
    stage, moment, ending = _lifetime(rows, shares)
    tags, rarity, year = _contents(lives.catalogue)
    return EvidenceTables(
        places=np.append(places, known),
        log_count=np.log1p(counts),
        share=shares,
        linear=whole,
        window=window,
        cosine=padded(both),
        steps=steps,
        stage=stage,
        moment=moment,
        ending=ending,
        tags=tags,
        rarity=rarity,
        year=year,
    )


def _steps(rows: OrderedLives, counts: Floats) -> tuple[Table, Table, Table]:
    distances = np.arange(1.0, FAR + 1.0)
    weights = [1.0 / distances[:NEAR], 1.0 / np.sqrt(distances), FADING**distances]
    near, far, fading = followed(rows, weights)
    fading += fading.T.copy()
    fading[np.arange(rows.known), np.arange(rows.known)] += counts.astype(np.float32)
    return near, far, linear(fading, WINDOW_REGULARISATION)


def _lifetime(rows: OrderedLives, shares: Floats) -> tuple[Floats, Floats, Floats]:
    size = rows.known + 1
    stages = stage_of(rows.positions)
    table = np.bincount(stages * size + rows.places, minlength=STAGES * size)
    stage = _lift(table.reshape(STAGES, size).astype(np.float64), shares, 30.0)
    sums = np.bincount(rows.places, np.log1p(rows.positions), size)
    moment = sums / np.maximum(np.bincount(rows.places, minlength=size), 1)
    lived = np.bincount(rows.users, minlength=rows.people)[rows.users]
    last = (rows.positions >= lived - END) & (rows.positions >= END)
    ends = np.bincount(rows.places[last], minlength=size).astype(np.float64)
    return stage, moment, _lift(ends[None, :], shares, 300.0)[0]


def _lift(counts: Floats, shares: Floats, doubt: float) -> Floats:
    smoothed = (counts + doubt * shares) / (counts.sum(axis=1, keepdims=True) + doubt)
    logs: Floats = np.log(smoothed / shares)
    logs[:, -1] = 0.0
    return logs


def _contents(catalogue: Catalogue) -> tuple[Bools, Floats, Floats]:
    tags: Bools = np.pad(catalogue.weights > 0.0, ((0, 1), (0, 0)))
    rarity = np.log(max(len(catalogue), 1) / np.maximum(tags.sum(axis=0), 1))
    years = [np.nan if item.year is None else float(item.year) for item in catalogue.items]
    return tags, rarity, np.array([*years, np.nan], np.float64)


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


def over_recent(
    batch: Batch, tables: EvidenceTables, table: Table, weights: Floats
) -> list[Floats]:
    """Return [cases, width] for each row of `weights`: means of a table over the last items.

    `weights[k, age]` is how much an age counts; they add up to one over the ages that are there.
    """
    rows = tables.places[batch.recent] * len(tables.share)
    columns, flat = tables.places[batch.candidates], table.reshape(-1)
    ages = weights.shape[1]
    there = weights[:, None, :] * batch.real[None, :, :ages]
    sums = np.zeros((len(weights), len(rows)))
    means = np.zeros((len(weights), *columns.shape))
    for age in range(ages):
        values = flat.take(rows[:, age, None] + columns)
        for k in np.flatnonzero(weights[:, age]).tolist():
            sums[k] += there[k, :, age]
            means[k] += there[k, :, age, None] * values
    means /= np.maximum(sums, 1e-9)[:, :, None]
    return list(means)


class Whole:
    """Sums and maxima of tables over whole histories."""

    def __init__(self, batch: Batch, tables: EvidenceTables) -> None:
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
