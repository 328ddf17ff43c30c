"""A user's own data: a folder with items.csv and, optionally, people, ties, interactions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from audience.datasets.csv_table import (
    UNKNOWN_ACTIVITY,
    CsvTable,
    TieRow,
    items_of,
    numbered,
    past_of,
    people_of,
    read,
    ties_of,
)
from audience.datasets.people import activity, activity_law, check_shape, population, small_world
from audience.errors import BadInput
from audience.outside import FilePath
from audience.world import Catalogue, Clock, Domain, Genesis, Item, Past, Profile, Ties, keys

_OWN = ("items.csv", "people.csv")


class Contents(msgspec.Struct, frozen=True):
    """The tables of a folder; empty if a file is missing."""

    tables: dict[str, CsvTable]
    items: tuple[Item, ...]
    people: tuple[Profile, ...] | None = None
    ties: list[TieRow] | None = None
    past: list[Past] | None = None


class Folder:
    """Your own items.csv, with people.csv, ties.csv and interactions.csv if there are any.

    Missing people are drawn, missing ties are a small world. Source ids are kept as keys.
    """

    def __init__(
        self,
        path: FilePath | Path,
        *,
        activity: str | Mapping[str, float | str] = "lognormal",
        degree: float = 8,
        rewire: float = 0.1,
        homophily: float = 0.7,
        noun: str = "item",
        plural: str = "items",
        past: str = "tried",
        apart: bool = False,
    ) -> None:
        """`apart`: as in `SourceOptions`, for folders with people and interactions."""
        activity_law(activity)
        check_shape(degree, rewire, homophily)
        self.path = Path(path)
        self.activity = activity
        self.shape = (degree, rewire, homophily)
        self.domain = Domain(noun, plural, past)
        self.apart = apart

    def genesis(self, people: int, seed: int, clock: Clock) -> Genesis:
        """Return the first `people` of people.csv, or as many drawn ones, in their world."""
        contents, others = read_folder(self.path), tuple[Past, ...]()
        if self.apart:
            contents, others = _halved(contents, seed, self.path)
        profiles = self._profiles(contents, people, seed)
        if contents.ties is None:
            ties = small_world(profiles, seed, *self.shape)
        else:
            ties = _kept(contents.ties, people)
        past = tuple(lived for lived in contents.past or () if lived.agent < people)
        return Genesis(Catalogue(contents.items), profiles, ties, clock, self.domain, past, others)

    def _profiles(self, contents: Contents, people: int, seed: int) -> tuple[Profile, ...]:
        if people < 1:
            raise BadInput(f"{people} people were requested; ask for at least one")
        if contents.people is None:
            return population(people, [item.tags for item in contents.items], seed, self.activity)
        there = len(contents.people)
        if people > there:
            half = " in the half that may be served" * self.apart
            what = (
                f"{self.path / 'people.csv'}: has {there} people{half} and {people} were requested"
            )
            raise BadInput(f"{what}; ask for at most {there}, or delete it to have people drawn")
        levels = activity(people, self.activity, seed).tolist()
        pairs = zip(contents.people, levels, strict=False)
        return tuple(
            msgspec.structs.replace(who, activity=level)
            if who.activity == UNKNOWN_ACTIVITY
            else who
            for who, level in pairs
        )


def is_own(path: Path) -> bool:
    """Return whether a path is a folder of tables as described here, or an empty one."""
    if not path.is_dir():
        return False
    return not any(path.iterdir()) or any((path / name).exists() for name in _OWN)


def read_folder(path: Path) -> Contents:
    """Return the tables of a folder; raise an error that names its first mistake."""
    if not path.is_dir():
        raise BadInput(f"{path} is not a folder; give the path of a folder that holds items.csv")
    if not (path / "items.csv").exists():
        remedy = "write it with at least the columns id and title"
        raise BadInput(f"{path / 'items.csv'} does not exist; {remedy}")
    tables = {"items.csv": read(path, "items.csv")}
    items = items_of(tables["items.csv"])
    if not items:
        raise BadInput(f"{path / 'items.csv'}: has no items; add a line for each under the header")
    people = None
    if (path / "people.csv").exists():
        tables["people.csv"] = read(path, "people.csv")
        people = people_of(tables["people.csv"])
    for name in ("ties.csv", "interactions.csv"):
        if (path / name).exists():
            if people is None:
                remedy = f"write it with at least the column id, or delete {name}"
                raise BadInput(
                    f"{path / name} names people but people.csv does not exist; {remedy}"
                )
            tables[name] = read(path, name)
    places = numbered(people or ())
    ties = ties_of(tables["ties.csv"], places) if "ties.csv" in tables else None
    past = None
    if "interactions.csv" in tables:
        past = past_of(tables["interactions.csv"], places, numbered(items))
    return Contents(tables, items, people, ties, past)


def _halved(contents: Contents, seed: int, path: Path) -> tuple[Contents, tuple[Past, ...]]:
    """Return a random half of the people with their ties and past, and the past of the others."""
    people, past = contents.people or (), contents.past or []
    if len(people) < 2 or not past:
        raise BadInput(
            f"{path} has {len(people)} people with {len(past)} interactions, who cannot be halved; "
            "leave out `apart`"
        )
    order = np.argsort(keys(seed, "data", "halves", np.arange(len(people))), kind="stable")
    mine = np.sort(order[: len(people) // 2]).tolist()
    new = {old: place for place, old in enumerate(mine)}
    ties = contents.ties
    if ties is not None:
        ties = [
            TieRow(new[row.first], new[row.other], row.kind, row.closeness)
            for row in ties
            if row.first in new and row.other in new
        ]
    replace = msgspec.structs.replace
    here = replace(
        contents,
        people=tuple(replace(people[old], id=place) for old, place in new.items()),
        ties=ties,
        past=[replace(lived, agent=new[lived.agent]) for lived in past if lived.agent in new],
    )
    return here, tuple(lived for lived in past if lived.agent not in new)


def _kept(rows: Sequence[TieRow], people: int) -> Ties:
    """Return the ties among the first people."""
    kept = [row for row in rows if row.first < people and row.other < people]
    names = tuple(sorted({row.kind for row in kept})) or ("friend",)
    number = {name: place for place, name in enumerate(names)}
    return Ties.of(
        people,
        [row.first for row in kept],
        [row.other for row in kept],
        [number[row.kind] for row in kept],
        [row.closeness for row in kept],
        names,
    )
