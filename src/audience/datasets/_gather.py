"""From blocks of a source to a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

import msgspec
import numpy as np

from audience.datasets._blocks import Block
from audience.datasets.corpus import Columns, Corpus, Edges, Tally, in_time, joined
from audience.errors import BadInput
from audience.world.genesis import Domain
from audience.world.items import Item
from audience.world.people import Profile
from audience.world.rng import Floats, Ints

T = TypeVar("T", Item, Profile)
UNDATED = 946_684_800
"""Where made-up moments begin: the year 2000."""
APART = 3600
"""Seconds between two interactions of a person whose moments are made up."""
_TEN = 0.01
"""A scale to 10 is believed where at least this share of ratings lies above 5."""


class Numbering:
    """A place for each id, in the order in which ids come."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}

    def places(self, names: Sequence[str]) -> Ints:
        """Return the place of each id; new ones get the next."""
        known = self.known
        for name in dict.fromkeys(names):
            known.setdefault(name, len(known))
        return np.fromiter(map(known.__getitem__, names), np.int64, len(names))


class Gathering:
    """Collects the interactions of one file, and who and what they name."""

    def __init__(self, where: str, *, best: float = 0.0, half: float = 1.0) -> None:
        if best < 0 or half <= 0:
            raise BadInput(f"best {best:g} and half {half:g} must be positive numbers")
        self.where = where
        self.best = best
        """The highest rating there is; 0: 5, or 10 where many are above 5."""
        self.half = half
        """The weight (plays, hours) that counts as half lived."""
        self.people = Numbering()
        self.items = Numbering()
        self.tally = Tally()
        self.notes: list[str] = []
        self.dated = True
        self._parts: list[Columns] = []
        self._lines: list[tuple[int, int]] = []

    def add(
        self,
        block: Block,
        users: Sequence[str],
        items: Sequence[str],
        *,
        at: Ints | None = None,
        ratings: Floats | None = None,
        weights: Floats | None = None,
    ) -> None:
        """Take in one block; without moments the order of the file is each person's order."""
        rows = len(users)
        self.dated = self.dated and at is not None
        ones = np.ones(rows)
        self._lines.append((sum(len(part) for part in self._parts), block.line))
        self._parts.append(
            Columns(
                self.people.places(users),
                self.items.places(items),
                np.zeros(rows, np.int64) if at is None else at,
                np.zeros(rows) if ratings is None else np.nan_to_num(ratings),
                ones if weights is None else _fractions(weights, self.half),
            )
        )

    def lived(self) -> Columns:
        """Return all interactions in the order of time, with stars from 0.5 to 5."""
        found = joined(self._parts)
        self._parts.clear()
        if not len(found):
            raise BadInput(f"{self.where}: holds no interactions; nothing can be learnt from it")
        if not self.dated:
            found = msgspec.structs.replace(found, at=made_up(found.users, found.at))
        found = msgspec.structs.replace(found, stars=self._stars(found.stars))
        return in_time(found, self.tally, self.where, dated=self.dated)

    def corpus(
        self,
        name: str,
        items: Sequence[Item],
        people: Sequence[Profile],
        domain: Domain,
        ties: Edges | None = None,
    ) -> Corpus:
        """Return the corpus; what only interactions name is added to items and people."""
        lived = self.lived()
        bare = list(self.items.known)[len(items) :]
        strangers = list(self.people.known)[len(people) :]
        if bare:
            self.notes.append(f"{len(bare)} items have no text: their id stands for the title")
        everybody = (*people, *_strangers(strangers, len(people)))
        silent = len(everybody) - len(np.unique(lived.users))
        if silent:
            self.notes.append(f"{silent} people have no history")
        made = tuple(Item(len(items) + n, key, key=key) for n, key in enumerate(bare))
        return Corpus(
            name,
            (*items, *made),
            everybody,
            lived,
            ties,
            domain,
            self.dated,
            self.tally.skipped(),
            tuple(self.notes),
        )

    def _stars(self, ratings: Floats) -> Floats:
        best = self.best or self._guessed(ratings)
        wrong = np.flatnonzero((ratings < 0) | (ratings > best))
        if len(wrong):
            row = int(wrong[0])
            raise BadInput(
                f"{self.where}: line {self._line(row)}: rating {ratings[row]:g} is out of range; "
                f"it should be 0 to {best:g} (0: not rated), or set best to the highest there is"
            )
        if best != 5.0:
            self.notes.append(f"ratings are on a scale to {best:g}; 5 stars are its best")
        return np.where(ratings > 0, np.maximum(ratings * (5.0 / best), 0.5), 0.0)

    def _guessed(self, ratings: Floats) -> float:
        above = ratings > 5.0
        return 10.0 if above.mean() >= _TEN and ratings.max() <= 10.0 else 5.0

    def _line(self, row: int) -> int:
        begin, line = max(one for one in self._lines if one[0] <= row)
        return line + row - begin


def numbered(items: Iterable[Item], numbering: Numbering, tally: Tally, where: str) -> list[Item]:
    """Return items by place, each id once: a later one of the same id is left out and counted."""
    return _each_once(items, numbering, tally, ("the same item again", where))


def known_people(
    people: Iterable[Profile], numbering: Numbering, tally: Tally, where: str
) -> list[Profile]:
    """Return people by place, each id once: a later one of the same id is left out and counted."""
    return _each_once(people, numbering, tally, ("the same person again", where))


def _each_once(
    things: Iterable[T], numbering: Numbering, tally: Tally, twice: tuple[str, str]
) -> list[T]:
    kept: list[T] = []
    for thing in things:
        if numbering.known.setdefault(thing.key, len(kept)) < len(kept):
            tally.add(*twice)
            continue
        kept.append(msgspec.structs.replace(thing, id=len(kept)))
    return kept


def made_up(users: Ints, positions: Ints) -> Ints:
    """Return moments that keep each person's order: hour after hour from the year 2000 on.

    They say nothing about who came before whom; a corpus with such moments is not `dated`.
    """
    order = np.lexsort((positions, users))
    starts = np.flatnonzero(np.diff(users[order], prepend=-1))
    sizes = np.diff(starts, append=len(users))
    places = np.empty(len(users), np.int64)
    places[order] = np.arange(len(users)) - np.repeat(starts, sizes)
    return UNDATED + APART * places


def _strangers(names: Sequence[str], begin: int) -> tuple[Profile, ...]:
    return tuple(Profile(begin + place, key=name) for place, name in enumerate(names))


def _fractions(weights: Floats, half: float) -> Floats:
    known = np.nan_to_num(weights, nan=half)
    return np.round(known / (known + half), 4)
