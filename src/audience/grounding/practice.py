"""Practice of choosing: what people took of what was held back, among items they never met."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from audience.errors import unknown
from audience.grounding.lives import Lives, only
from audience.grounding.tables import LINEAR, EvidenceTables
from audience.world import Bools, Generator, Ints, keys, rng

HELD = ("last", "spread")
"""What is held back of a history: its last items, or items drawn from all of it."""
LAST, SPREAD = 6, 0.5
"""Items held back of every history, and the share held back of some."""
_GAPS = np.array([0, 0, 1, 2])
"""Items left out between a history and what was taken: what comes next is not always at once."""
PARTS = 5
"""Parts of the people; something is held back of one at a time, if it is spread."""
NEGATIVES = ("uniform", "matched", "recommended")
OTHERS = 6
"""Negative items for each positive one."""
_WINDOW, _BEST = 100, 60
_LEAST = 3
_TRIES = 20
_ROWS = 512
_MORE = 3
"""Times as many cases among recommended items are looked for, as most do not fit there."""


class Practice(msgspec.Struct, frozen=True, eq=False):
    """The histories to fit evidence on, and cases about what was held back."""

    before: Lives
    histories: list[tuple[int, ...]]
    taken: Ints
    users: Ints
    few: Ints
    """Cases that are asked about among any items; the others only among recommended ones."""


def practices_of(lives: Lives, held: str, *, seed: int, most: int) -> list[Practice]:
    """Return at most about `most` cases; nothing that was held back is in their `before`.

    What is spread is held back from a part of the people at a time, so that what is learnt about
    items stays nearly whole: a part where data are plenty, one after the other where they are few.
    """
    if held not in HELD:
        raise unknown("held", held, HELD)
    if held == "last":
        return [_practice(lives, held, seed, most, 0)]
    made: list[Practice] = []
    for part in range(PARTS):
        left = most - sum(len(practice.few) for practice in made)
        if left <= most // PARTS and made:
            break
        made.append(_practice(lives, held, seed, left, part))
    return made


def _practice(lives: Lives, held: str, seed: int, most: int, part: int) -> Practice:
    order = np.argsort(lives.users, kind="stable")
    users, items = lives.users[order], lives.items[order]
    sizes = np.bincount(users, minlength=lives.people)
    starts = np.cumsum(sizes) - sizes
    back = _last(users, sizes, starts)
    if held == "spread":
        back = _spread(users, sizes, starts, seed, part)
    rows = np.flatnonzero(back)
    drawn = np.argsort(keys(seed, "grounding", "practice", users[rows], items[rows]), kind="stable")
    rows = rows[drawn[: _MORE * most]]
    few = np.arange(min(most, len(rows)))
    kept = np.ones(len(order), np.bool_)
    kept[order[back]] = False
    gaps = _GAPS[keys(seed, "grounding", "gap", users, items) % np.uint64(len(_GAPS))].tolist()
    histories: list[tuple[int, ...]] = []
    left: dict[int, tuple[int, ...]] = {}
    for row in rows.tolist():
        who = int(users[row])
        begin, end = int(starts[who]), int(starts[who] + sizes[who])
        if held == "last":
            histories.append(tuple(items[begin : max(row - gaps[row], begin + 1)].tolist()))
            continue
        if who not in left:
            left[who] = tuple(items[begin:end][~back[begin:end]].tolist())
        histories.append(left[who])
    return Practice(only(lives, kept), histories, items[rows], users[rows], few)


def _last(users: Ints, sizes: Ints, starts: Ints) -> Bools:
    count = np.minimum(LAST, (sizes - _LEAST) // 2)
    place = np.arange(len(users)) - starts[users]
    back: Bools = place >= (sizes - np.maximum(count, 0))[users]
    return back


def _spread(users: Ints, sizes: Ints, starts: Ints, seed: int, part: int) -> Bools:
    place = np.arange(len(users)) - starts[users]
    drawn_parts = keys(seed, "grounding", "spread", np.arange(len(sizes))) / 2.0**64 * PARTS
    chosen = drawn_parts.astype(np.int64) == part
    drawn = keys(seed, "grounding", "kept", users, place) < np.uint64(SPREAD * 2**64)
    back: Bools = (chosen & (sizes > 2 * _LEAST))[users] & drawn
    return back


def pool_of(counts: Ints) -> Ints:
    """Return the items that others are drawn from: those somebody took, and as many unseen ones.

    Of what was taken and held back, the rarest are unseen too: without others among those, to be
    unseen would tell that an item was taken.
    """
    seen, unseen = np.flatnonzero(counts), np.flatnonzero(counts == 0)
    order = np.argsort(keys(1, "grounding", "unseen", unseen), kind="stable")
    return np.sort(np.concatenate([seen, unseen[order[: len(seen)]]]))


class Others:
    """Draws items that the person of a case never met in the training part."""

    def __init__(self, lives: Lives, tables: EvidenceTables, practice: Practice) -> None:
        counts = np.bincount(lives.items, minlength=len(lives.catalogue))
        self.pool = pool_of(counts)
        self.order = self.pool[np.argsort(-counts[self.pool], kind="stable")]
        self.place = np.zeros(len(counts), np.int64)
        self.place[self.order] = np.arange(len(self.order))
        self.tables = tables
        self.practice = practice
        self._lived = np.unique(lives.users * len(counts) + lives.items)

    def draw(self, kind: str, seed: int) -> tuple[Ints, Ints]:
        """Return cases of this kind, and [cases, OTHERS] items for them.

        An item that was taken up but would not have been recommended is no case among those that
        were: there everything has been chosen to look right.
        """
        draws = rng(seed, "grounding", "others", kind)
        cases, shown = self.practice.few, np.zeros((0, 0), np.int64)
        if kind == "recommended":
            shown = self._pages()
            cases = np.flatnonzero((shown == self.practice.taken[:, None]).any(axis=1))
        users = self.practice.users[cases]
        made = np.zeros((len(cases), OTHERS), np.int64)
        missing = np.ones(made.shape, np.bool_)
        for tries in range(_TRIES):
            rows, columns = np.nonzero(missing)
            now = kind if 2 * tries < _TRIES else "uniform"
            drawn = self._some(draws, now, cases[rows], shown)
            made[rows, columns] = drawn
            missing[rows, columns] = _within(self._lived, users[rows] * len(self.place) + drawn)
        fit = ~missing.any(axis=1)
        return cases[fit], made[fit]

    def _pages(self) -> Ints:
        """Return what would be recommended in each case, to each person once.

        That is from their shortest history: nothing that was held back is in it.
        """
        lengths = [len(history) for history in self.practice.histories]
        order = np.argsort(lengths, kind="stable")
        _, first, case = np.unique(
            self.practice.users[order], return_index=True, return_inverse=True
        )
        shortest = order[first]
        histories = [self.practice.histories[row] for row in shortest.tolist()]
        pages = recommended(self.tables, histories)
        owners = np.empty(len(order), np.int64)
        owners[order] = case
        shown: Ints = pages[owners]
        return shown

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
        items: Ints = self.order[np.clip(drawn, 0, len(self.order) - 1)]
        return items


def recommended(tables: EvidenceTables, histories: Sequence[tuple[int, ...]]) -> Ints:
    """Return [cases, many] items that fit each history best, as a recommender would show."""
    from scipy.sparse import csr_array

    known = np.flatnonzero(tables.places[:-1] < tables.width - 1)
    best = min(_BEST, len(known))
    best_items = np.empty((len(histories), best), np.int64)
    for start in range(0, len(histories), _ROWS):
        part = histories[start : start + _ROWS]
        sizes = [len(one) for one in part]
        items = np.fromiter((item for one in part for item in one), np.int64, sum(sizes))
        places, owners = tables.places[items], np.repeat(np.arange(len(part)), sizes)
        cells = (np.ones(len(places), np.float32), (owners, places))
        scores = csr_array(cells, (len(part), tables.width)) @ tables.pairs[LINEAR]
        scores[owners, places] = -np.inf
        top = np.argpartition(-scores[:, :-1], best - 1, axis=1)[:, :best]
        best_items[start : start + _ROWS] = known[np.sort(top, axis=1)]
    return best_items


def _within(pairs: Ints, asked: Ints) -> Bools:
    where = np.minimum(np.searchsorted(pairs, asked), max(len(pairs) - 1, 0))
    hits: Bools = pairs[where] == asked
    return hits
