"""People that a user wrote: a table as CSV, JSON or TOML, in which any field may be empty."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from audience.datasets.csv_table import (
    COLUMNS,
    UNKNOWN_ACTIVITY,
    CsvTable,
    TableRow,
    people_of,
    read_table,
)
from audience.errors import BadInput, unknown
from audience.files import check_regular
from audience.toml_reader import read_toml
from audience.world import HABITS, NO_HABITS, Profile

FIELDS = ("name", "gender", "age", "traits", "career", "interests", "features", "activity")
"""The fields of a person."""
KINDS = (".csv", ".json", ".toml")
_COLUMNS = COLUMNS["people.csv"]
_MARKS = {"features": ";"}
_NEXT = re.compile(r"[\s,]*")
_TOML_PERSON = re.compile(r"^[ \t]*\[\[\s*people\s*\]\]", re.MULTILINE)


class Known(msgspec.Struct, frozen=True):
    """A person, and which of their fields are known."""

    profile: Profile
    fields: frozenset[str]
    where: str = ""
    """The file and line, for error messages."""


class Handcrafted(msgspec.Struct, frozen=True):
    """A table of people."""

    people: tuple[Known, ...]
    keyed: bool
    """Whether rows have ids; otherwise their order identifies people."""


def read_people(source: str | Path | Sequence[Mapping[str, Any]]) -> Handcrafted:
    """Return the people of a file, or of a list of tables; a mistake is named by its line."""
    rows = _rows(source)
    keyed = any(row.text("id") for row in rows)
    named = [row if keyed else _with_id(row, place) for place, row in enumerate(rows, 1)]
    profiles = people_of(CsvTable("", (), named))
    people = tuple(map(_known, profiles, rows))
    if keyed:
        return Handcrafted(people, keyed)
    bare = (msgspec.structs.replace(person.profile, key="") for person in people)
    changed = zip(people, bare, strict=True)
    return Handcrafted(
        tuple(msgspec.structs.replace(one, profile=who) for one, who in changed), keyed
    )


def known_of(profile: Profile) -> Known:
    """Return a profile and the names of its known fields."""
    fields = {
        "name": profile.name,
        "gender": profile.gender,
        "age": profile.age is not None,
        "traits": profile.traits,
        "career": profile.career,
        "interests": profile.interests,
        "features": profile.habits != NO_HABITS,
    }
    return Known(profile, frozenset(field for field, value in fields.items() if value))


def _known(profile: Profile, row: TableRow) -> Known:
    fields = {field for field in FIELDS if row.text(field)}
    if any(row.text(habit) for habit in HABITS):
        fields.add("features")
    if profile.activity == UNKNOWN_ACTIVITY:
        profile = msgspec.structs.replace(profile, activity=1.0)
    return Known(profile, frozenset(fields), f"{row.path}: line {row.line}")


def _with_id(row: TableRow, place: int) -> TableRow:
    return msgspec.structs.replace(row, cells={**row.cells, "id": str(place)})


def _rows(source: str | Path | Sequence[Mapping[str, Any]]) -> list[TableRow]:
    if not isinstance(source, str | Path):
        return [_row("profiles", place, one) for place, one in enumerate(source, 1)]
    path = Path(source)
    readers = {".json": _json_rows, ".toml": _toml_rows}
    if path.suffix.lower() not in KINDS:
        raise BadInput(
            f"{path} is not a table of people; give a file that ends in {', '.join(KINDS)}"
        )
    text = _text(path)
    if path.suffix.lower() == ".csv":
        rows = _csv_rows(path) if text.strip() else []
    else:
        pairs = readers[path.suffix.lower()](path, text)
        rows = [_row(str(path), line, one) for line, one in pairs]
    if not rows:
        raise BadInput(f"{path}: holds no people; write at least one")
    return rows


def _csv_rows(path: Path) -> list[TableRow]:
    table = read_table(path, ())
    for column in table.columns:
        if column not in _COLUMNS:
            raise BadInput(f"{path}: line 1: {unknown('column', column, _COLUMNS)}")
    return table.rows


def _text(path: Path) -> str:
    check_regular(path)
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise BadInput(f"{path} does not exist; write it, or correct the path") from None
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}; check the file") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise BadInput(f"{path}: line {line} is not UTF-8; save the file as UTF-8") from None


def _json_rows(path: Path, text: str) -> Iterator[tuple[int, object]]:
    """Yield the objects of a list, or of the list under the key `people`, with their lines."""
    decoder = json.JSONDecoder()
    start = text.find("[")
    try:
        whole = decoder.decode(text)
        alone = isinstance(whole, dict) and set(whole) == {"people"}
        people = whole["people"] if alone else whole
        if not isinstance(people, list):
            raise BadInput(f'{path}: is not a list of people; write [{{"name": "…"}}, …]')
        place = start + 1
        for _ in people:
            place = _end(_NEXT, text, place)
            person, after = decoder.raw_decode(text, place)
            yield text.count("\n", 0, place) + 1, person
            place = after
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise BadInput(f"{path}: {where}: {error.msg}; fix the JSON there") from None
    except RecursionError:
        raise BadInput(f"{path}: is nested too deeply; write a list of people") from None


def _end(pattern: re.Pattern[str], text: str, place: int) -> int:
    match = pattern.match(text, place)
    return match.end() if match else place


_LONGEST = 64 << 20


def _toml_rows(path: Path, text: str) -> Iterator[tuple[int, object]]:
    """Yield the tables [[people]] with their lines."""
    tree = read_toml(text, str(path), _LONGEST)
    people = tree.pop("people", None)
    if not isinstance(people, list) or tree:
        raise BadInput(f"{path}: write each person under a line [[people]], and nothing else")
    lines = [text.count("\n", 0, one.start()) + 1 for one in _TOML_PERSON.finditer(text)]
    known = lines if len(lines) == len(people) else [1] * len(people)
    yield from zip(known, people, strict=True)


def _row(path: str, line: int, person: object) -> TableRow:
    if not isinstance(person, Mapping):
        raise BadInput(
            f'{path}: line {line}: is not a person; write keys and values, as in "age": 34'
        )
    row = TableRow(path, line, {})
    for key, value in person.items():
        if key not in _COLUMNS:
            raise BadInput(f"{path}: line {line}: {unknown('key', key, _COLUMNS)}")
        row.cells[key] = _cell(row, key, value)
    return row


def _cell(row: TableRow, key: str, value: object) -> str:
    """Return a value as a table holds it."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    words = isinstance(value, list) and key in ("traits", "interests", "features")
    if isinstance(value, list) and words and all(isinstance(word, str) for word in value):
        return _MARKS.get(key, "|").join(value)
    raise row.wrong(key, f"{value!r} does not fit; write text, a number or a list of words")
