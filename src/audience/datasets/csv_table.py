"""Reading users' CSV tables; every mistake names its file, line, column and remedy."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from audience.datasets.moments import moments_of
from audience.errors import BadInput, unknown
from audience.files import check_regular
from audience.world import HABITS, Habits, Item, Past, Profile


class TableRow(msgspec.Struct, frozen=True, gc=False):
    """A line of a table by column."""

    path: str
    line: int
    cells: dict[str, str]

    def wrong(self, column: str, what: str) -> BadInput:
        """Return the error for a cell."""
        return BadInput(f"{self.path}: line {self.line}, column {column!r}: {what}")

    def text(self, column: str) -> str:
        return self.cells.get(column, "")

    def needed(self, column: str) -> str:
        """Return a cell that must not be empty."""
        text = self.text(column)
        if not text:
            raise self.wrong(column, f"is empty; every line needs one {column}")
        return text

    def words(self, column: str, mark: str = "|") -> tuple[str, ...]:
        """Return the distinct parts of a cell, in order."""
        parts = (part.strip() for part in self.text(column).split(mark))
        return tuple(dict.fromkeys(part for part in parts if part))

    def number(self, column: str, low: float, high: float, missing: float) -> float:
        """Return a number from `low` to `high`, or `missing` if the cell is empty."""
        text = self.text(column)
        if not text:
            return missing
        try:
            number = float(text)
        except ValueError:
            raise self.wrong(column, f"{text!r} is not a number; write it as in 0.5") from None
        if not math.isfinite(number):
            raise self.wrong(column, f"{text!r} is not a finite number; leave unknown ones empty")
        if not low <= number <= high:
            bounds = f"from {low:g} to {high:g}" if high < math.inf else f"of {low:g} or more"
            raise self.wrong(column, f"{text} is not {bounds}; correct it or leave it empty")
        return number

    def whole(self, column: str, low: int, high: int) -> int | None:
        """Return a whole number, or None if the cell is empty."""
        number = self.number(column, low, high, math.nan)
        if math.isnan(number):
            return None
        if number != int(number):
            raise self.wrong(column, f"{self.text(column)} is not a whole number; round it")
        return int(number)


class CsvTable(msgspec.Struct, frozen=True):
    """A file with its columns and lines."""

    path: str
    columns: tuple[str, ...]
    rows: list[TableRow]


def read_table(path: Path, needed: tuple[str, ...]) -> CsvTable:
    """Return the lines of a CSV file that has at least the needed columns."""
    reader = csv.reader(io.StringIO(_text(path), newline=""), strict=True)
    lines = _lines(reader, path)
    try:
        line, header = next(lines)
    except StopIteration:
        raise BadInput(
            f"{path}: is empty; its first line names the columns {_listed(needed)}"
        ) from None
    columns = tuple(cell.lower() for cell in header)
    _check_columns(f"{path}: line {line}", columns, needed)
    return CsvTable(str(path), columns, [_row(path, columns, *numbered) for numbered in lines])


def _text(path: Path) -> str:
    check_regular(path)
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise BadInput(f"{path} does not exist; write it as a CSV file") from None
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}; check the file") from None
    if b"\0" in raw:
        line = raw[: raw.index(b"\0")].count(b"\n") + 1
        raise BadInput(
            f"{path}: line {line} holds a NUL byte, so it is not text; save it as UTF-8 CSV"
        )
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise BadInput(f"{path}: line {line} is not UTF-8; save the file as UTF-8") from None


def _lines(reader: Iterator[list[str]], path: Path) -> Iterator[tuple[int, list[str]]]:
    line = 1
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise BadInput(f"{path}: near line {line}: {error}; check the quotes") from None
        if any(cell.strip() for cell in cells):
            yield line, [cell.strip() for cell in cells]
        line = reader.line_num + 1  # type: ignore[attr-defined]


def _check_columns(where: str, columns: tuple[str, ...], needed: tuple[str, ...]) -> None:
    for column in needed:
        if column not in columns:
            listed = _listed(columns)
            raise BadInput(f"{where}: column {column!r} is missing; add it (found: {listed})")
    twice = [column for place, column in enumerate(columns) if column in columns[:place]]
    if twice:
        raise BadInput(f"{where}: column {twice[0]!r} appears twice; rename one")


def _row(path: Path, columns: tuple[str, ...], line: int, cells: list[str]) -> TableRow:
    if len(cells) != len(columns):
        many = f"{len(cells)} cells where the header has {len(columns)}"
        raise BadInput(f"{path}: line {line} has {many}; quote cells that hold commas")
    return TableRow(str(path), line, dict(zip(columns, cells, strict=True)))


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(repr(name) for name in names)


UNKNOWN_ACTIVITY = 0.0
"""Marks an activity that people.csv leaves out; it is drawn later."""

COLUMNS = {
    "items.csv": ("id", "title", "tags", "about", "year", "minutes", "quality"),
    "people.csv": (
        *("id", "name", "gender", "age", "traits", "career", "interests", "features", "activity"),
        *HABITS,
    ),
    "ties.csv": ("from", "to", "kind", "closeness", "direction"),
    "interactions.csv": ("person", "item", "at", "fraction", "stars"),
}
_NEEDED = {
    "items.csv": ("id", "title"),
    "people.csv": ("id",),
    "ties.csv": ("from", "to"),
    "interactions.csv": ("person", "item"),
}
_KINDS = 256


class TieRow(msgspec.Struct, frozen=True, gc=False):
    """One direction of a tie between people, by their index in people.csv."""

    first: int
    other: int
    kind: str
    closeness: float


def read(folder: Path, name: str) -> CsvTable:
    """Return one table of a folder."""
    return read_table(folder / name, _NEEDED[name])


def items_of(table: CsvTable) -> tuple[Item, ...]:
    """Return the items of items.csv in the order of the file."""
    _distinct(table, "id")
    return tuple(
        Item(
            place,
            row.needed("title"),
            row.text("about"),
            row.words("tags"),
            row.whole("year", -5000, 3000),
            row.number("minutes", 0, math.inf, 0.0),
            row.number("quality", 0, 1, 0.5),
            row.text("id"),
        )
        for place, row in enumerate(table.rows)
    )


def people_of(table: CsvTable) -> tuple[Profile, ...]:
    """Return the people of people.csv in the order of the file."""
    _distinct(table, "id")
    return tuple(
        Profile(
            place,
            row.text("name"),
            row.text("gender"),
            row.whole("age", 0, 130),
            row.words("traits"),
            row.text("career"),
            row.words("interests"),
            _habits(row),
            row.number("activity", 1e-6, 1e6, UNKNOWN_ACTIVITY),
            key=row.text("id"),
        )
        for place, row in enumerate(table.rows)
    )


def ties_of(table: CsvTable, people: Mapping[str, int]) -> list[TieRow]:
    """Return the ties of ties.csv; a line counts in both directions unless it says `one`."""
    direct: dict[tuple[int, int], TieRow] = {}
    mirrored: dict[tuple[int, int], TieRow] = {}
    lines: dict[tuple[int, int], int] = {}
    for row in table.rows:
        first, other = (_known(row, column, people, "people.csv") for column in ("from", "to"))
        if first == other:
            raise row.wrong("to", f"{row.text('to')!r} is tied to itself; delete the line")
        if (first, other) in lines:
            before = lines[first, other]
            raise row.wrong("to", f"repeats the tie of line {before}; delete one of the two")
        kind, closeness = row.text("kind") or "friend", row.number("closeness", 0, 1, 0.5)
        lines[first, other] = row.line
        direct[first, other] = TieRow(first, other, kind, closeness)
        if _goes_both_ways(row):
            mirrored[other, first] = TieRow(other, first, kind, closeness)
    ties = list({**mirrored, **direct}.values())
    if len({tie.kind for tie in ties}) > _KINDS:
        raise table.rows[-1].wrong("kind", f"there are more than {_KINDS} kinds; merge some")
    return ties


def past_of(table: CsvTable, people: Mapping[str, int], items: Mapping[str, int]) -> list[Past]:
    """Return the interactions of interactions.csv in the order of time."""
    past = [
        Past(
            _known(row, "person", people, "people.csv"),
            _known(row, "item", items, "items.csv"),
            at,
            row.number("fraction", 0, 1, 1.0),
            row.whole("stars", 1, 5) or 0,
        )
        for row, at in zip(table.rows, _moments(table, "at"), strict=True)
    ]
    return sorted(past, key=lambda lived: lived.at)


def _moments(table: CsvTable, column: str) -> list[int]:
    """Return seconds since 1970 for each row, 0 where the cell is empty."""
    told = [row for row in table.rows if row.text(column)]
    cells = [row.text(column) for row in told]
    found = moments_of(cells, lambda place, what: told[place].wrong(column, what))
    known = iter(found.tolist())
    return [next(known) if row.text(column) else 0 for row in table.rows]


def numbered(things: Sequence[Item] | Sequence[Profile]) -> dict[str, int]:
    """Return the index of each source id."""
    return {thing.key: thing.id for thing in things}


def _habits(row: TableRow) -> Habits:
    features = [feature.lower() for feature in row.words("features", ";")]
    for feature in features:
        if feature not in HABITS:
            raise row.wrong("features", str(unknown("habit", feature, HABITS)))
    return Habits(*(row.number(habit, 0, 1, float(habit in features)) for habit in HABITS))


def _goes_both_ways(row: TableRow) -> bool:
    direction = row.text("direction").lower()
    if direction not in ("", "one", "both"):
        raise row.wrong("direction", f"{direction!r} is neither 'one' nor 'both'")
    return direction != "one"


def _known(row: TableRow, column: str, places: Mapping[str, int], where: str) -> int:
    name = row.needed(column)
    if name not in places:
        raise row.wrong(column, f"{name!r} is not in {where}; add it there or delete this line")
    return places[name]


def _distinct(table: CsvTable, column: str) -> None:
    lines: dict[str, int] = {}
    for row in table.rows:
        name = row.needed(column)
        if name in lines:
            before = lines[name]
            raise row.wrong(column, f"{name!r} is already in line {before}; ids must differ")
        lines[name] = row.line
