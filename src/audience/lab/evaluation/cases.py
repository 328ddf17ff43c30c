"""The questions of a contest: a history, shuffled candidates, and which were really taken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec
import numpy as np

from audience.errors import BadInput
from audience.grounding import Lives
from audience.lab.evaluation.source import Real
from audience.world import Floats, Generator, Ints, keys, rng

UNIFORM, MATCHED = "uniform", "matched"
NEGATIVES = (UNIFORM, MATCHED)
WINDOW = 100
"""Least number of ranks by popularity from which matched negatives are drawn."""
_TRIES = 3


class Case(msgspec.Struct, frozen=True, gc=False):
    """One question about one person. Nothing of the truth is in its history."""

    user: int
    history: tuple[int, ...]
    """Items of the training part, oldest first."""
    candidates: tuple[int, ...]
    """Shuffled by a named draw."""
    truth: tuple[bool, ...]
    """Which of the candidates the person consumed."""


class Task(msgspec.Struct, frozen=True, gc=False):
    """Cases of one kind, one per person."""

    name: str
    cases: tuple[Case, ...]
    negatives: str = UNIFORM


class TaskSet(msgspec.Struct, frozen=True, eq=False):
    """Tasks that share a training part, and practice tasks to calibrate on."""

    name: str
    lives: Lives
    """The training part: all that may be fitted on before `tasks` are scored."""
    tasks: tuple[Task, ...]
    before: Lives
    """The part to fit on before `practice` is scored; it holds none of its truth."""
    practice: tuple[Task, ...]
    """One for each task, on what lies between: weights and thresholds are learnt here, and
    those of a person never come from that person's own practice.
    """
    seed: int = 1
    weighed: Lives | None = None
    """A part of `lives` that several task sets share: weights may be learnt from it once."""
    notes: tuple[str, ...] = ()
    """How the cases were made, for the foot of a table."""


class Contestant(Protocol):
    """Anything that answers cases."""

    name: str

    async def score(self, cases: Sequence[Case]) -> Sequence[Floats]:
        """Return a number per candidate, higher for likelier; NaN where there is no answer."""
        ...


class ItemSequences:
    """Each person's items in chronological order, each item once."""

    def __init__(self, real: Real) -> None:
        self.real = real
        columns = real.users * len(real.catalogue) + real.items
        _, first = np.unique(columns, return_index=True)
        first = np.sort(first)
        order = first[np.argsort(real.users[first], kind="stable")]
        self.rows = order
        """Row numbers of the interactions, person by person."""
        self.bounds = np.searchsorted(real.users[order], np.arange(real.people + 1))

    def of(self, user: int) -> Ints:
        """Return the rows of one person, oldest first."""
        return self.rows[self.bounds[user] : self.bounds[user + 1]]

    @property
    def sizes(self) -> Ints:
        return np.diff(self.bounds)

    def without_last(self, count: int) -> Lives:
        """Return the training part when everybody's last `count` items are held out.

        For people with no more than that nothing is held out, and they are not asked.
        """
        kept = np.ones(len(self.rows), np.bool_)
        for user in np.flatnonzero(self.sizes > count).tolist():
            kept[self.bounds[user + 1] - count : self.bounds[user + 1]] = False
        return lives_of(self.real, np.sort(self.rows[kept]))


def lives_of(real: Real, rows: Ints) -> Lives:
    """Return some interactions as a training part; rows are in chronological order."""
    columns = (real.users[rows], real.items[rows], real.at[rows], real.stars[rows])
    return Lives(real.catalogue, real.people, *columns)


def stars_given(lives: Lives | Real) -> dict[tuple[int, int], float]:
    """Return the stars that each person gave each item: the last where there are several."""
    rated = lives.stars > 0
    pairs = zip(lives.users[rated].tolist(), lives.items[rated].tolist(), strict=True)
    return dict(zip(pairs, lives.stars[rated].tolist(), strict=True))


def drawn_users(eligible: Ints, agents: int | None, seed: int) -> Ints:
    """Return that many people by a named draw, in the order of their ids; None: all."""
    if not len(eligible):
        raise BadInput(
            "nobody has enough interactions to be evaluated; give data with longer histories"
        )
    if agents is None:
        return eligible
    if not 1 <= agents <= len(eligible):
        raise BadInput(
            f"--agents {agents}: {len(eligible)} people are eligible; give 1 to {len(eligible)}"
        )
    order = np.argsort(keys(seed, "eval", "users", eligible), kind="stable")
    return np.sort(eligible[order[:agents]])


class Dealer:
    """Draws negatives: items that a person never consumed, in training or later."""

    def __init__(
        self, lives: Lives, known: Sequence[Ints], pool: Ints, seed: int, window: int = WINDOW
    ) -> None:
        """`known`: all items of each person; `pool`: the items negatives are drawn from."""
        if window < 2:
            raise BadInput(f"--window {window}: a rank alone has no neighbours; give 2 or more")
        self.known = known
        self.pool = pool
        self.seed = seed
        self.window = window
        counts = np.bincount(lives.items, minlength=len(lives.catalogue))[pool]
        self.order = pool[np.argsort(-counts, kind="stable")]
        self.place = np.full(len(lives.catalogue), -1, np.int64)
        self.place[self.order] = np.arange(len(self.order))
        self._free = np.ones(len(lives.catalogue), np.bool_)
        self._free_for = -1

    def case(
        self,
        name: str,
        negatives: str,
        user: int,
        history: tuple[int, ...],
        taken: Ints,
        count: int,
    ) -> Case:
        """Return the case of one person: the items taken and `count` that were not."""
        draws = rng(self.seed, "eval", name, negatives, user)
        if self._free_for != user:
            self._free[:] = True
            self._free[self.known[user]] = False
            self._free_for = user
        pick = self._matched if negatives == MATCHED else self._uniform
        items = np.concatenate([taken, pick(draws, taken, count)])
        order = draws.permutation(len(items))
        truth = order < len(taken)
        return Case(user, history, tuple(items[order].tolist()), tuple(truth.tolist()))

    def _uniform(self, draws: Generator, taken: Ints, count: int) -> Ints:
        del taken
        for _ in range(_TRIES):
            # Rejection sampling is much faster than listing all free items.
            drawn = self.pool[draws.integers(len(self.pool), size=2 * count + 8)]
            items = np.fromiter(dict.fromkeys(drawn[self._free[drawn]].tolist()), np.int64)
            if len(items) >= count:
                return items[:count]
        return _some(draws, self.pool[self._free[self.pool]], count)

    def _matched(self, draws: Generator, taken: Ints, count: int) -> Ints:
        """Return items about as popular as those taken.

        All negatives for an item come from one window of popularity ranks that holds it at a random
        place: in a window centred on it, the middle would give it away. At the ends a window is
        truncated, not moved, for the same reason.
        """
        negatives: list[int] = []
        for number, item in enumerate(taken.tolist()):
            needed = len(range(number, count, len(taken)))
            near, width = int(self.place[item]), min(self.window, len(self.order))
            while True:
                start = near - int(draws.integers(width))
                window = self.order[max(start, 0) : start + width]
                window = window[self._free[window]]
                if len(window) >= needed:
                    break
                if width > 2 * len(self.order):
                    raise _too_few(count)
                width *= 2
            drawn = _some(draws, window, needed)
            self._free[drawn] = False
            negatives += drawn.tolist()
        self._free[negatives] = True
        return np.array(negatives, np.int64)


def _some(draws: Generator, items: Ints, count: int) -> Ints:
    if len(items) < count:
        raise _too_few(count)
    return items[draws.choice(len(items), count, replace=False)]


def _too_few(count: int) -> BadInput:
    return BadInput(f"a person consumed nearly every item: there are no {count} others to draw")
