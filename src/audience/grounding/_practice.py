"""Cases to learn choosing from: parts of lives that are kept back, against items never lived."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from msgspec.structs import replace

from audience.errors import unknown
from audience.grounding._tables import Tables
from audience.grounding.lives import Lives
from audience.world.rng import Bools, Generator, Ints, keys, rng

HELD = ("last", "spread")
"""What is kept back of a life: its last items, or items drawn from all over it."""
LAST, SPREAD = 6, 0.5
"""Items kept back of every life, and the share kept back of some lives."""
SOME = 0.2
"""The share of lives of which something is kept back, where it is spread."""
NEGATIVES = ("uniform", "matched", "recommended")
OTHERS = 6
"""Items never lived beside the one that was."""
_WINDOW, _BEST = 100, 60
_LEAST = 3
_TRIES = 20
_ROWS = 512


class Practice(msgspec.Struct, frozen=True, eq=False):
    """What is left to fit evidence on, and cases about what was kept back."""

    before: Lives
    histories: list[tuple[int, ...]]
    taken: Ints
    users: Ints


def practice_of(lives: Lives, held: str, *, seed: int, most: int) -> Practice:
    """Return at most `most` cases; nothing that was kept back is in `before`."""
    if held not in HELD:
        raise unknown("held", held, HELD)
    order = np.argsort(lives.users, kind="stable")
    users, items = lives.users[order], lives.items[order]
    sizes = np.bincount(users, minlength=lives.people)
    starts = np.cumsum(sizes) - sizes
    back = (_last if held == "last" else _spread)(users, sizes, starts, seed)
    rows = np.flatnonzero(back)
    if len(rows) > most:
        drawn = keys(seed, "grounding", "practice", users[rows], items[rows])
        rows = np.sort(rows[np.argsort(drawn, kind="stable")[:most]])
    kept = np.ones(len(order), np.bool_)
    kept[order[back]] = False
    histories = []
    for row in rows.tolist():
        begin = int(starts[users[row]])
        if held == "last":
            histories.append(tuple(items[begin:row].tolist()))
        else:
            end = begin + int(sizes[users[row]])
            histories.append(tuple(items[begin:end][~back[begin:end]].tolist()))
    columns = (lives.users, lives.items, lives.at, lives.stars)
    before = replace(
        lives,
        **dict(zip(("users", "items", "at", "stars"), (one[kept] for one in columns), strict=True)),
    )
    return Practice(before, histories, items[rows], users[rows])


def _last(users: Ints, sizes: Ints, starts: Ints, seed: int) -> Bools:
    del seed
    count = np.minimum(LAST, (sizes - _LEAST) // 2)
    place = np.arange(len(users)) - starts[users]
    back: Bools = place >= (sizes - np.maximum(count, 0))[users]
    return back


def _spread(users: Ints, sizes: Ints, starts: Ints, seed: int) -> Bools:
    place = np.arange(len(users)) - starts[users]
    chosen = keys(seed, "grounding", "spread", np.arange(len(sizes))) < np.uint64(SOME * 2**64)
    drawn = keys(seed, "grounding", "kept", users, place) < np.uint64(SPREAD * 2**64)
    back: Bools = (chosen & (sizes > 2 * _LEAST))[users] & drawn
    return back


class Others:
    """Draws items that the person of a case never lived in the training part."""

    def __init__(self, lives: Lives, tables: Tables, practice: Practice) -> None:
        counts = np.bincount(lives.items, minlength=len(lives.catalogue))
        self.pool = np.flatnonzero(counts)
        self.order = self.pool[np.argsort(-counts[self.pool], kind="stable")]
        self.place = np.zeros(len(counts), np.int64)
        self.place[self.order] = np.arange(len(self.order))
        self.tables = tables
        self.practice = practice
        self._lived = np.unique(lives.users * len(counts) + lives.items)

    def draw(self, kind: str, seed: int) -> tuple[Ints, Bools]:
        """Return [cases, OTHERS] items, and for which cases they are of this kind.

        An item that was taken up but would not have been recommended is no case among those that
        were: there everything has been chosen to look right.
        """
        draws = rng(seed, "grounding", "others", kind)
        taken, users = self.practice.taken, self.practice.users
        fit = np.ones(len(taken), np.bool_)
        shown = np.zeros((len(taken), 0), np.int64)
        if kind == "recommended":
            # The shortest history of each person: nothing that was kept back is in it.
            _, first, case = np.unique(users, return_index=True, return_inverse=True)
            told = [self.practice.histories[row] for row in first.tolist()]
            shown = recommended(self.tables, told)[case]
            fit = (shown == taken[:, None]).any(axis=1)
        made = np.zeros((len(taken), OTHERS), np.int64)
        missing = np.ones(made.shape, np.bool_)
        for tries in range(_TRIES):
            rows, columns = np.nonzero(missing)
            drawn = self._some(draws, kind if 2 * tries < _TRIES else "uniform", rows, shown)
            made[rows, columns] = drawn
            missing[rows, columns] = _within(self._lived, users[rows] * len(self.place) + drawn)
        return made, fit & ~missing.any(axis=1)

    def _some(self, draws: Generator, kind: str, rows: Ints, shown: Ints) -> Ints:
        if kind == "recommended":
            return shown[rows, draws.integers(shown.shape[1], size=len(rows))]
        if kind == "uniform":
            return self.pool[draws.integers(len(self.pool), size=len(rows))]
        near = self.place[self.practice.taken[rows]]
        # One window for all of a case, so that what was taken stands at any place in it.
        shift = keys(1, "window", self.practice.users[rows], self.practice.taken[rows])
        start = near - (shift % np.uint64(_WINDOW)).astype(np.int64)
        drawn = start + draws.integers(_WINDOW, size=len(rows))
        found: Ints = self.order[np.clip(drawn, 0, len(self.order) - 1)]
        return found


def recommended(tables: Tables, histories: Sequence[tuple[int, ...]]) -> Ints:
    """Return [cases, many] items that go best with each history: what a recommender shows."""
    from scipy.sparse import csr_array

    known = np.flatnonzero(tables.places[:-1] < len(tables.share) - 1)
    best = min(_BEST, len(known))
    found = np.empty((len(histories), best), np.int64)
    for start in range(0, len(histories), _ROWS):
        part = histories[start : start + _ROWS]
        sizes = [len(one) for one in part]
        items = np.fromiter((item for one in part for item in one), np.int64, sum(sizes))
        places, owners = tables.places[items], np.repeat(np.arange(len(part)), sizes)
        cells = (np.ones(len(places), np.float32), (owners, places))
        scores = csr_array(cells, (len(part), len(tables.share))) @ tables.linear
        scores[owners, places] = -np.inf
        top = np.argpartition(-scores[:, :-1], best - 1, axis=1)[:, :best]
        found[start : start + _ROWS] = known[np.sort(top, axis=1)]
    return found


def _within(pairs: Ints, asked: Ints) -> Bools:
    where = np.minimum(np.searchsorted(pairs, asked), max(len(pairs) - 1, 0))
    found: Bools = pairs[where] == asked
    return found
