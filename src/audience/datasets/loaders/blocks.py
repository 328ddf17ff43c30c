"""Large tables as columns, block by block, so that millions of lines are read in seconds."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import TypeVar

import msgspec
import numpy as np

from audience.datasets.corpus import Columns, Corpus, Edges, SkipTally, in_time, joined
from audience.datasets.moments import moments_of
from audience.datasets.source import Source
from audience.errors import BadInput
from audience.world import Domain, Floats, Ints, Item, Profile, keys

_ROWS = 200_000
_MARKS = ("::", "\t", ",", ";", "|")
_SORTED = 0.98
"""Share of neighbours in the order of their ids from which a history counts as sorted."""


class TableFormat(msgspec.Struct, frozen=True):
    """How a table is written."""

    separator: str = ","
    encoding: str = "utf-8"
    quoted: bool = False
    """Whether cells may be quoted, as in CSV."""
    header: tuple[str, ...] = ()
    """The columns of a file that does not name them; empty: its first line does."""
    skip: int = 0
    """Lines before the table."""


class Block(msgspec.Struct, frozen=True):
    """A block of lines of a table by column."""

    where: str
    line: int
    columns: dict[str, tuple[str, ...]]
    lines: tuple[int, ...] = ()
    """The line of each row, where rows may take several lines; else they follow one another."""

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def wrong(self, row: int, column: str, what: str) -> BadInput:
        """Return the error for a cell."""
        return BadInput(f"{self.place(row)}, column {column!r}: {what}")

    def place(self, row: int) -> str:
        """Return the file and line of a row."""
        return f"{self.where}: line {self.lines[row] if self.lines else self.line + row}"

    def keys(self, column: str) -> tuple[str, ...]:
        """Return ids, none of them empty."""
        cells = tuple(map(str.strip, self.columns[column]))
        if "" in cells:
            raise self.wrong(cells.index(""), column, "is empty; every line needs an id")
        return cells

    def numbers(self, column: str, *, low: float = -np.inf, high: float = np.inf) -> Floats:
        """Return numbers from `low` to `high`; NaN if a cell is empty."""
        cells = self.columns[column]
        try:
            values = np.array([cell or "nan" for cell in cells], np.float64)
        except ValueError:
            raise self._first_wrong(column, float, "is not a number") from None
        outside = np.flatnonzero((values < low) | (values > high) | np.isinf(values))
        if len(outside):
            row = int(outside[0])
            bounds = f"{low:g} to {high:g}" if np.isfinite(high) else f"{low:g} or more"
            raise self.wrong(row, column, f"{cells[row]} is out of range; it should be {bounds}")
        return values

    def moments(self, column: str) -> Ints:
        """Return seconds since 1970 from numbers in one unit or dates; see datasets/moments.py."""
        cells = self.columns[column]
        if "" in cells:
            raise self.wrong(cells.index(""), column, "is empty; every line needs a moment")
        return moments_of(cells, lambda row, what: self.wrong(row, column, what))

    def _first_wrong(self, column: str, read: Callable[[str], object], what: str) -> BadInput:
        for row, cell in enumerate(self.columns[column]):
            try:
                read(cell or "nan")
            except ValueError:
                return self.wrong(row, column, f"{cell!r} {what}")
        return self.wrong(0, column, what)


def table_blocks(
    source: Source, name: str, form: TableFormat, needed: Sequence[str]
) -> Iterator[Block]:
    """Yield a table block by block; it has at least the needed columns."""
    where = source.shown(name)
    header = form.header
    lines = _lines(source, name, form)
    for line, part in lines:
        if not header:
            header = _header(where, line, part[0], form)
            _check_header(where, header, needed, form)
            line, part = line + 1, part[1:]
        if form.quoted and any('"' in text for text in part):
            rest = (text for texts in chain([part], (more for _, more in lines)) for text in texts)
            yield from _quoted(where, line, rest, header, form)
        elif part:
            yield Block(where, line, _split(where, line, part, header, form))
    if not header:
        raise BadInput(f"{where}: is empty; it should hold {', '.join(needed)}")


def _header(where: str, line: int, text: str, form: TableFormat) -> tuple[str, ...]:
    if not form.quoted:
        cells = text.split(form.separator)
    else:
        try:
            cells = next(csv.reader([text], delimiter=form.separator), [])
        except csv.Error as error:
            raise BadInput(f"{where}: line {line}: {error}; check the quotes") from None
    return tuple(cell.strip().lower() for cell in cells)


def _lines(source: Source, name: str, form: TableFormat) -> Iterator[tuple[int, list[str]]]:
    """Yield decoded lines, many at once, with the first one's number."""
    for line, raw in source.blocks(name):
        for begin in range(0, len(raw), _ROWS):
            part = raw[begin : begin + _ROWS]
            texts = _decoded(source.shown(name), line + begin, part, form.encoding)
            while texts and not texts[-1].strip():
                texts.pop()
            skip = form.skip if line + begin == 1 else 0
            if texts[skip:]:
                yield line + begin + skip, texts[skip:]


def _split(
    where: str, line: int, lines: list[str], header: tuple[str, ...], form: TableFormat
) -> dict[str, tuple[str, ...]]:
    """Return the columns of plain lines; a list per line would slow the garbage collector."""
    width, mark = len(header), form.separator
    counts = [text.count(mark) for text in lines]
    if counts.count(width - 1) != len(counts):
        row = next(row for row, count in enumerate(counts) if count != width - 1)
        raise _uneven(where, line + row, lines[row].split(mark), width, form)
    cells = mark.join(lines).split(mark)
    return {column: tuple(cells[place::width]) for place, column in enumerate(header)}


def _quoted(
    where: str, line: int, lines: Iterator[str], header: tuple[str, ...], form: TableFormat
) -> Iterator[Block]:
    reader = csv.reader((f"{text}\n" for text in lines), delimiter=form.separator, strict=True)
    while True:
        rows, places = [], []
        try:
            begin = line + reader.line_num
            for row in islice(reader, _ROWS):
                if row:
                    rows.append(row)
                    places.append(begin)
                begin = line + reader.line_num
        except csv.Error as error:
            at = line + reader.line_num - 1
            raise BadInput(f"{where}: near line {at}: {error}; check the quotes") from None
        if not rows:
            return
        for place, row in zip(places, rows, strict=True):
            if len(row) != len(header):
                raise _uneven(where, place, row, len(header), form)
        columns = dict(zip(header, zip(*rows, strict=True), strict=True))
        yield Block(where, places[0], columns, tuple(places))


def _decoded(where: str, line: int, raw: list[bytes], encoding: str) -> list[str]:
    whole = b"\n".join(raw)
    if line == 1:
        whole = whole.removeprefix(b"\xef\xbb\xbf")
    if b"\0" in whole:
        at = line + whole[: whole.index(b"\0")].count(b"\n")
        raise BadInput(f"{where}: line {at} holds a NUL byte, so it is not text; get it again")
    try:
        return whole.decode(encoding).split("\n")
    except UnicodeDecodeError as error:
        at = line + whole[: error.start].count(b"\n")
        raise BadInput(
            f"{where}: line {at} is not {encoding}; give its encoding, such as "
            "encoding = 'latin-1', or save it as UTF-8"
        ) from None


def _check_header(
    where: str, columns: tuple[str, ...], needed: Sequence[str], form: TableFormat
) -> None:
    for column in needed:
        if column not in columns:
            listed = ", ".join(repr(one) for one in columns)
            raise BadInput(
                f"{where}: line 1: column {column!r} is missing (found: {listed}); "
                f"name the right column{other_mark(columns[0], form.separator)}"
            )
    twice = [column for place, column in enumerate(columns) if column in columns[:place]]
    if twice:
        raise BadInput(f"{where}: line 1: column {twice[0]!r} appears twice; rename one")


def _uneven(where: str, line: int, cells: list[str], width: int, form: TableFormat) -> BadInput:
    hint = other_mark(cells[0] if cells else "", form.separator) if len(cells) <= 1 else ""
    return BadInput(
        f"{where}: line {line} has {len(cells)} cells where {width} are expected, separated by "
        f"{form.separator!r}; fix or delete the line{hint}"
    )


def other_mark(text: str, separator: str = "") -> str:
    """Return a hint at another separator if a line that should be several cells is one."""
    other = next((mark for mark in _MARKS if mark != separator and mark in text), None)
    return f"; it seems to be separated by {other!r}: set separator" if other else ""


T = TypeVar("T", Item, Profile)
UNDATED = 946_684_800
"""Where invented timestamps begin: the year 2000."""
APART = 3600
"""Seconds between two interactions of a person with invented timestamps."""
_TEN = 0.01
"""A scale to 10 is believed where at least this share of ratings lies above 5."""


class Numbering:
    """An index for each id, in the order in which ids appear."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}

    def places(self, names: Sequence[str]) -> Ints:
        """Return the index of each id; a new id gets the next."""
        known = self.known
        for name in dict.fromkeys(names):
            known.setdefault(name, len(known))
        return np.fromiter(map(known.__getitem__, names), np.int64, len(names))


class Gathering:
    """Collects the interactions of a file, and the people and items they name."""

    def __init__(self, where: str, *, best: float = 0.0, half: float = 1.0) -> None:
        if best < 0 or half <= 0:
            raise BadInput(f"best {best:g} and half {half:g} must be positive numbers")
        self.where = where
        self.best = best
        """The highest rating there is; 0: 5, or 10 where many are above 5."""
        self.half = half
        """The weight (plays, hours) that counts as half consumed."""
        self.people = Numbering()
        self.items = Numbering()
        self.tally = SkipTally()
        self.notes: list[str] = []
        self.dated = True
        self._parts: list[Columns] = []
        self._lines: list[tuple[int, int]] = []

    def number_items(self, items: Iterable[Item], where: str) -> list[Item]:
        """Return items by index; one that repeats an id is left out and counted."""
        return _each_once(items, self.items, self.tally, ("the same item again", where))

    def number_people(self, people: Iterable[Profile], where: str) -> list[Profile]:
        """Return people by index; one that repeats an id is left out and counted."""
        return _each_once(people, self.people, self.tally, ("the same person again", where))

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
        """Add a block; without timestamps the order of the file is each person's order."""
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
        interactions = joined(self._parts)
        self._parts.clear()
        if not len(interactions):
            raise BadInput(f"{self.where}: holds no interactions; nothing can be learnt from it")
        if not self.dated:
            places = interactions.at
            ids = _ranks(tuple(self.items.known))[interactions.items]
            if _is_sorted(interactions.users, ids, places):
                self.notes.append(
                    "each person's items are sorted by id and have no times: their order is drawn"
                )
                drawn = keys(1, "datasets", "order", interactions.users, interactions.items)
                places = (drawn >> np.uint64(1)).astype(np.int64)
            interactions = msgspec.structs.replace(
                interactions, at=made_up(interactions.users, places)
            )
        interactions = msgspec.structs.replace(interactions, stars=self._stars(interactions.stars))
        return in_time(interactions, self.tally, self.where, dated=self.dated)

    def corpus(
        self,
        name: str,
        items: Sequence[Item],
        people: Sequence[Profile],
        domain: Domain,
        ties: Edges | None = None,
    ) -> Corpus:
        """Return the corpus, with items and people that only interactions name."""
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


def _each_once(
    things: Iterable[T], numbering: Numbering, tally: SkipTally, twice: tuple[str, str]
) -> list[T]:
    kept: list[T] = []
    for thing in things:
        if numbering.known.setdefault(thing.key, len(kept)) < len(kept):
            tally.add(*twice)
            continue
        kept.append(msgspec.structs.replace(thing, id=len(kept)))
    return kept


def _ranks(names: Sequence[str]) -> Ints:
    """Return the place of each id among all, as numbers where they are numbers."""
    numeric = all(name.isdecimal() for name in names)
    order = sorted(range(len(names)), key=lambda n: (int(names[n]) if numeric else 0, names[n]))
    ranks = np.empty(len(names), np.int64)
    ranks[order] = np.arange(len(names))
    return ranks


def _is_sorted(users: Ints, ids: Ints, positions: Ints) -> bool:
    """Return whether histories without times are lists sorted by id, not an order of events."""
    order = np.lexsort((positions, users))
    same = np.diff(users[order]) == 0
    up = np.diff(ids[order])[same] > 0
    return len(up) >= 2 * len(np.unique(users)) and bool(up.mean() > _SORTED)


def made_up(users: Ints, positions: Ints) -> Ints:
    """Return timestamps that keep each person's order: hour after hour from the year 2000 on.

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
