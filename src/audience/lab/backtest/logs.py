"""Logs of randomised pages: Open Bandit, KuaiRand, KuaiRec, and any table with propensities."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from audience.datasets import moments_of
from audience.errors import BadInput
from audience.files import check_regular
from audience.world import Floats, Ints

_ROWS = 20_000_000
ROLES: Mapping[str, tuple[str, ...]] = {
    "item": ("item_id", "item", "action", "video_id", "product_id"),
    "reward": ("reward", "click", "clicked", "is_click", "outcome"),
    "chance": ("propensity_score", "propensity", "pscore", "probability"),
    "place": ("position", "place", "rank"),
    "user": ("user_id", "user", "person"),
    "time": ("timestamp", "time_ms", "time", "at"),
}
"""Names of columns, the first one that is there counts."""


class BanditLog(msgspec.Struct, frozen=True):
    """One row for each item shown at random: who, what, where, what came of it, and its chance."""

    what: str
    items: tuple[str, ...]
    """The ids of items; the columns below hold their numbers."""
    shown: Ints
    rewards: Floats
    chances: Floats
    """The probability with which the logging policy showed the item there."""
    places: Ints
    groups: Ints
    """Rows of one number share their context: the same user, or the same features."""
    moments: Ints | None = None

    def __len__(self) -> int:
        return len(self.shown)

    def rows(self, part: Ints) -> BanditLog:
        """Return some of the rows."""
        return msgspec.structs.replace(
            self,
            shown=self.shown[part],
            rewards=self.rewards[part],
            chances=self.chances[part],
            places=self.places[part],
            groups=self.groups[part],
            moments=None if self.moments is None else self.moments[part],
        )


class ObservedMatrix(msgspec.Struct, frozen=True):
    """What everybody did with everything, as in KuaiRec's small matrix: any policy has a truth."""

    people: tuple[str, ...]
    items: tuple[str, ...]
    values: Floats
    """[people, items]; NaN where it was not observed."""


def read_log(path: Path) -> BanditLog:
    """Return a log with propensities; the layout is told by its columns.

    KuaiRand's random exposures are uniform over their pool of videos, so a log with `is_rand` has
    the chance 1 / the number of its videos, and rows that are not random are left out.
    """
    columns = _columns(_file_in(path))
    roles = _roles(columns)
    for role in ("item", "reward"):
        if role not in roles:
            raise BadInput(
                f"{path}: no column for the {role} (one of {', '.join(ROLES[role])}); found: "
                f"{', '.join(columns)}"
            )
    if "is_rand" in columns:
        kept = [row for row, cell in enumerate(columns["is_rand"]) if cell.strip() == "1"]
        columns = {name: [cells[row] for row in kept] for name, cells in columns.items()}
        if not kept:
            raise BadInput(f"{path}: is_rand is never 1; take log_random_…csv")
    items, shown = _numbered(columns[roles["item"]])
    if "is_rand" in columns:
        what, chances = "KuaiRand", np.full(len(shown), 1.0 / len(items))
    elif "chance" in roles:
        what = "Open Bandit" if "propensity_score" in columns else "a log with propensities"
        chances = _numbers(path, columns, roles["chance"])
    else:
        raise BadInput(
            f"{path}: no column for the propensity (one of {', '.join(ROLES['chance'])}); without "
            "it nothing can be estimated for another policy"
        )
    _check_chances(path, chances)
    return BanditLog(
        what,
        items,
        shown,
        _numbers(path, columns, roles["reward"]),
        chances,
        _places(path, columns, roles),
        _groups(columns, roles),
        _moments(path, columns, roles),
    )


def _places(path: Path, columns: Mapping[str, list[str]], roles: Mapping[str, str]) -> Ints:
    if "place" not in roles:
        return np.zeros(len(next(iter(columns.values()))), np.int64)
    return _numbers(path, columns, roles["place"]).astype(np.int64)


def _moments(path: Path, columns: Mapping[str, list[str]], roles: Mapping[str, str]) -> Ints | None:
    if "time" not in roles:
        return None
    name = roles["time"]
    return moments_of(
        columns[name],
        lambda row, what: BadInput(f"{path}: line {row + 2}, column {name!r}: {what}"),
    )


def _groups(columns: Mapping[str, list[str]], roles: Mapping[str, str]) -> Ints:
    """Return a number for each context: the user, or else all columns of user features."""
    if "user" in roles:
        return _numbered(columns[roles["user"]])[1]
    features = [name for name in columns if name.startswith("user_feature")]
    if not features:
        return np.zeros(len(next(iter(columns.values()))), np.int64)
    return _numbered(list(map("|".join, zip(*(columns[name] for name in features), strict=True))))[
        1
    ]


def read_matrix(path: Path) -> ObservedMatrix:
    """Return KuaiRec's small matrix: the watch ratio of every person for every video."""
    file = path / "small_matrix.csv" if path.is_dir() else path
    if path.is_dir() and not file.exists():
        file = path / "data" / "small_matrix.csv"
    columns = _columns(file)
    for name in ("user_id", "video_id", "watch_ratio"):
        if name not in columns:
            raise BadInput(f"{file}: column {name!r} is missing; give KuaiRec's small_matrix.csv")
    people, who = _numbered(columns["user_id"])
    items, what = _numbered(columns["video_id"])
    values = np.full((len(people), len(items)), np.nan)
    values[who, what] = np.clip(_numbers(file, columns, "watch_ratio"), 0.0, 5.0)
    return ObservedMatrix(people, items, values)


def _file_in(path: Path) -> Path:
    if not path.is_dir():
        return path
    found = sorted(file for file in path.rglob("*.csv*") if "random" in str(file).lower())
    logs = [file for file in found if "item" not in file.name and "feature" not in file.name]
    if len(logs) != 1:
        listed = ", ".join(file.name for file in logs[:6]) or "none"
        raise BadInput(f"{path}: which file is the random log? Give its path (found: {listed})")
    return logs[0]


def _columns(file: Path) -> dict[str, list[str]]:
    check_regular(file)
    try:
        with (
            gzip.open(file, "rt", encoding="utf-8")
            if file.suffix == ".gz"
            else file.open(encoding="utf-8-sig") as lines
        ):
            return _read(file, csv.reader(lines))
    except (OSError, EOFError, zlib.error, csv.Error, UnicodeDecodeError) as error:
        raise BadInput(f"{file} cannot be read: {error}; give a CSV file, plain or .gz") from None


def _read(file: Path, reader: Iterator[list[str]]) -> dict[str, list[str]]:
    header = [cell.strip() for cell in next(reader, [])]
    header = [name or f"column {place}" for place, name in enumerate(header)]
    cells: list[list[str]] = [[] for _ in header]
    for number, row in enumerate(reader, 2):
        if not row:
            continue
        if len(row) != len(header):
            raise BadInput(f"{file}: line {number} has {len(row)} cells, the header {len(header)}")
        for column, cell in zip(cells, row, strict=True):
            column.append(cell)
        if number > _ROWS:
            raise BadInput(f"{file}: has more than {_ROWS:,} lines; give a part of it")
    if not header or not cells[0]:
        raise BadInput(f"{file}: is empty; its first line names the columns")
    return dict(zip(header, cells, strict=True))


def _roles(columns: Mapping[str, Sequence[str]]) -> dict[str, str]:
    found = {}
    for role, names in ROLES.items():
        name = next((name for name in names if name in columns), None)
        if name is not None:
            found[role] = name
    return found


def _numbered(cells: Sequence[str]) -> tuple[tuple[str, ...], Ints]:
    names, places = np.unique(np.array(cells), return_inverse=True)
    return tuple(names.tolist()), places.astype(np.int64)


def _numbers(path: Path, columns: Mapping[str, list[str]], name: str) -> Floats:
    try:
        numbers = np.array(columns[name], np.float64)
    except ValueError as error:
        raise BadInput(f"{path}: column {name!r}: {error}; give numbers") from None
    if not np.isfinite(numbers).all():
        line = int(np.flatnonzero(~np.isfinite(numbers))[0]) + 2
        raise BadInput(f"{path}: line {line}, column {name!r}: is not a finite number")
    return numbers


def _check_chances(path: Path, chances: Floats) -> None:
    wrong = np.flatnonzero((chances <= 0.0) | (chances > 1.0))
    if len(wrong):
        line = int(wrong[0]) + 2
        raise BadInput(
            f"{path}: line {line}: propensity {chances[wrong[0]]:g} is not above 0 and at most 1"
        )
