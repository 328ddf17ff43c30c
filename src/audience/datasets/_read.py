"""From the tables of a folder to items, people, ties and past interactions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from audience.datasets._table import Row, Table, read_table
from audience.errors import unknown
from audience.world.genesis import Past
from audience.world.items import Item
from audience.world.people import HABITS, Habits, Profile

UNKNOWN_ACTIVITY = 0.0
"""Stands for an activity that people.csv does not give; it is drawn later."""

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
    """One direction of a tie between people by their place in people.csv."""

    first: int
    other: int
    kind: str
    closeness: float


def read(folder: Path, name: str) -> Table:
    """Return one table of a folder."""
    return read_table(folder / name, _NEEDED[name])


def items_of(table: Table) -> tuple[Item, ...]:
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


def people_of(table: Table) -> tuple[Profile, ...]:
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


def ties_of(table: Table, people: Mapping[str, int]) -> list[TieRow]:
    """Return the ties of ties.csv; a line counts in both directions unless it says `one`."""
    given: dict[tuple[int, int], TieRow] = {}
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
        given[first, other] = TieRow(first, other, kind, closeness)
        if _goes_both_ways(row):
            mirrored[other, first] = TieRow(other, first, kind, closeness)
    found = list({**mirrored, **given}.values())
    if len({tie.kind for tie in found}) > _KINDS:
        raise table.rows[-1].wrong("kind", f"there are more than {_KINDS} kinds; merge some")
    return found


def past_of(table: Table, people: Mapping[str, int], items: Mapping[str, int]) -> list[Past]:
    """Return the interactions of interactions.csv in the order of time."""
    past = [
        Past(
            _known(row, "person", people, "people.csv"),
            _known(row, "item", items, "items.csv"),
            row.moment("at"),
            row.number("fraction", 0, 1, 1.0),
            row.whole("stars", 1, 5) or 0,
        )
        for row in table.rows
    ]
    return sorted(past, key=lambda lived: lived.at)


def numbered(things: Sequence[Item] | Sequence[Profile]) -> dict[str, int]:
    """Return the place of each source id."""
    return {thing.key: thing.id for thing in things}


def _habits(row: Row) -> Habits:
    features = [feature.lower() for feature in row.words("features", ";")]
    for feature in features:
        if feature not in HABITS:
            raise row.wrong("features", str(unknown("habit", feature, HABITS)))
    return Habits(*(row.number(habit, 0, 1, float(habit in features)) for habit in HABITS))


def _goes_both_ways(row: Row) -> bool:
    direction = row.text("direction").lower()
    if direction not in ("", "one", "both"):
        raise row.wrong("direction", f"{direction!r} is neither 'one' nor 'both'")
    return direction != "one"


def _known(row: Row, column: str, places: Mapping[str, int], where: str) -> int:
    name = row.needed(column)
    if name not in places:
        raise row.wrong(column, f"{name!r} is no id in {where}; add it there or delete this line")
    return places[name]


def _distinct(table: Table, column: str) -> None:
    lines: dict[str, int] = {}
    for row in table.rows:
        name = row.needed(column)
        if name in lines:
            before = lines[name]
            raise row.wrong(column, f"{name!r} stands in line {before} already; ids must differ")
        lines[name] = row.line
