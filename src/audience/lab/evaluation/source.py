"""Real interactions that evaluations compare with, and how they are split into parts."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
from msgspec.structs import replace

from audience.datasets.loaders import PUBLIC, is_own, public, read_folder, recognise, title_of
from audience.errors import BadInput, unknown
from audience.world import Catalogue, Domain, Floats, Ints, Item, Profile, keys


class Real(msgspec.Struct, frozen=True, eq=False):
    """What real people did, as columns in chronological order."""

    name: str
    catalogue: Catalogue
    people: int
    users: Ints
    items: Ints
    at: Ints
    stars: Floats
    """0.5 to 5; 0 where none were given."""
    domain: Domain = Domain("item", "items", "tried")
    keys: tuple[str, ...] = ()
    """The ids of the people in the source."""
    dated: bool = True
    profiles: tuple[Profile, ...] = ()
    """The people, as far as the source describes them."""

    def __len__(self) -> int:
        return len(self.users)


def read_real(path: Path, *, least: int = 0) -> Real:
    """Return the interactions of a dataset by its path or its published name.

    With `least`, only items that so many people took.
    """
    real = _own(path) if path.is_dir() and is_own(path) else _loaded(path)
    if not len(real):
        raise BadInput(f"{path}: has no interactions, so there is nothing to compare with")
    return real if least <= 1 else without_rare(real, least)


def without_rare(real: Real, least: int) -> Real:
    """Return the data without items that fewer than `least` people took."""
    pairs = np.unique(real.users * len(real.catalogue) + real.items)
    counts = np.bincount(pairs % len(real.catalogue), minlength=len(real.catalogue))
    kept = np.flatnonzero(counts >= least)
    if not len(kept):
        raise BadInput(
            f"--min-per-item {least}: no item was taken by so many; the most is {counts.max()}"
        )
    place = np.full(len(counts), -1, np.int64)
    place[kept] = np.arange(len(kept))
    items = (real.catalogue.items[old] for old in kept.tolist())
    catalogue = Catalogue(tuple(replace(item, id=new) for new, item in enumerate(items)))
    rows = place[real.items] >= 0
    columns = (real.users[rows], place[real.items[rows]], real.at[rows], real.stars[rows])
    users, taken, at, stars = columns
    return replace(real, catalogue=catalogue, users=users, items=taken, at=at, stars=stars)


def _own(path: Path) -> Real:
    held = read_folder(path)
    people, past = held.people or (), held.past or ()
    rows = np.array([(p.agent, p.item, p.at, p.stars) for p in past], np.float64).reshape(-1, 4)
    rows = rows[np.argsort(rows[:, 2], kind="stable")]
    users, items, at = (rows[:, place].astype(np.int64) for place in range(3))
    columns = (users, items, at, rows[:, 3].copy())
    keys = tuple(who.key for who in people)
    whole = Catalogue(held.items)
    return Real(path.name, whole, len(people), *columns, keys=keys, profiles=tuple(people))


def _loaded(path: Path) -> Real:
    names = [published.name for published in PUBLIC]
    if not path.exists() and str(path) not in names:
        raise BadInput(
            f"--data {path}: there is no such path, and {unknown('dataset', str(path), names)}"
        )
    dataset = recognise(path).make(path) if path.exists() else public(str(path))
    corpus = dataset.corpus()
    lived = corpus.lived
    return Real(
        corpus.name,
        Catalogue(corpus.items),
        len(corpus.people),
        lived.users,
        lived.items,
        lived.at,
        lived.stars,
        corpus.domain,
        tuple(who.key for who in corpus.people),
        corpus.dated,
        tuple(corpus.people),
    )


TRAIN, VALID, TEST = range(3)
FILES = ("train.txt", "valid.txt", "test.txt")
DETAILS, ITEMS, USERS = "movie_detail.csv", "movie_id_map.csv", "user_id_map.csv"
_FILMS = Domain("film", "films", "watched")


class SplitInteractions(msgspec.Struct, frozen=True, eq=False):
    """Interactions with the part each belongs to."""

    real: Real
    part: Ints
    """Of each row: 0 training, 1 validation, 2 test."""
    asked: int
    """People up to this id may be evaluated; the others are training data only."""


def read_parts(path: Path, also: Path | None, seed: int, *, least: int = 0) -> SplitInteractions:
    """Return a published split by its folder, or any dataset split by a named draw."""
    if not all((path / name).is_file() for name in FILES):
        if also is not None:
            raise BadInput(f"--also {also}: {path} holds no published split to add people to")
        return drawn_parts(read_real(path, least=least), seed)
    if least > 1:
        raise BadInput(f"--min-per-item {least}: {path} is a published split, taken as it is")
    parts = _published(path)
    return parts if also is None else _with(parts, path, read_real(also))


def drawn_parts(real: Real, seed: int) -> SplitInteractions:
    """Return each person's interactions in three parts by a named draw: 40, 30 and 30 %."""
    sizes = np.bincount(real.users, minlength=real.people)
    order = np.lexsort((keys(seed, "eval", "part", real.users, real.items), real.users))
    starts = np.cumsum(sizes) - sizes
    place = np.empty(len(real), np.int64)
    place[order] = np.arange(len(real)) - starts[real.users[order]]
    share = (place + 0.5) / sizes[real.users]
    return SplitInteractions(real, (share > 0.4).astype(np.int64) + (share > 0.7), real.people)


def _published(path: Path) -> SplitInteractions:
    catalogue = _catalogue(path / DETAILS)
    users, items, part = [], [], []
    for number, name in enumerate(FILES):
        for line, text in enumerate((path / name).read_text("utf-8").splitlines(), 1):
            try:
                user, *taken = (int(word) for word in text.split())
            except ValueError:
                raise BadInput(f"{path / name}: line {line}: not `user item item …`") from None
            if any(not 0 <= item < len(catalogue) for item in taken):
                raise BadInput(f"{path / name}: line {line}: an item is not in {DETAILS}")
            users += [user] * len(taken)
            items += taken
            part += [number] * len(taken)
    # The files give no times; the order of their lines stands in.
    at = np.arange(len(users), dtype=np.int64)
    people = max(users, default=-1) + 1
    columns = (np.array(users), np.array(items), at, np.zeros(len(users)))
    real = Real(path.name, catalogue, people, *columns, _FILMS, dated=False)
    return SplitInteractions(real, np.array(part, np.int64), people)


def _catalogue(path: Path) -> Catalogue:
    """Return the items without mean ratings, which are over all data, and later texts."""
    rows = _table(path, ("movie_id", "title", "genres"))
    items = []
    for place, row in enumerate(rows):
        title, year = title_of(row["title"])
        tags = tuple(tag for tag in row["genres"].split("|") if tag)
        items.append(Item(place, title, "", tags, year, key=row["movie_id"]))
    return Catalogue(tuple(items))


def _table(path: Path, columns: Sequence[str]) -> list[dict[str, str]]:
    try:
        with path.open(newline="", encoding="utf-8") as lines:
            rows = list(csv.DictReader(lines))
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}; a published split needs it") from error
    except (csv.Error, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: {error}; get the published split again") from error
    missing = [name for name in columns if rows and name not in rows[0]]
    if missing or not rows:
        raise BadInput(f"{path}: line 1: column {missing[0] if missing else columns[0]} is missing")
    return rows


def _with(parted: SplitInteractions, path: Path, more: Real) -> SplitInteractions:
    """Return the split with everybody else of the source data as training data.

    People and items are matched by their raw ids. The times of what is in the split are taken
    from the source as well.
    """
    real = parted.real
    places = _indices(path / ITEMS)
    item = np.array([places.get(entry.key, -1) for entry in more.catalogue.items], np.int64)
    inside = _indices(path / USERS)
    person = np.array([inside.get(key, -1) for key in more.keys], np.int64)
    outside = np.flatnonzero(person < 0)
    if len(outside) == len(person):
        raise BadInput(
            f"--also {more.name}: has none of the people of the split; give the data it is from"
        )
    person[outside] = real.people + np.arange(len(outside))
    users, items = person[more.users], item[more.items]
    known = items >= 0
    width = len(real.catalogue)
    moments = dict(
        zip((users * width + items)[known].tolist(), more.at[known].tolist(), strict=True)
    )
    rows = known & (users >= real.people)
    last = int(more.at.max(initial=0)) + 1
    pairs = (real.users * width + real.items).tolist()
    at = np.array([moments.get(pair, last) for pair in pairs], np.int64)
    joined = [
        np.concatenate(both)
        for both in (
            (real.users, users[rows]),
            (real.items, items[rows]),
            (at, more.at[rows]),
            (real.stars, more.stars[rows]),
            (parted.part, np.full(int(rows.sum()), TRAIN)),
        )
    ]
    order = np.argsort(joined[2], kind="stable")
    users, items, at, stars, part = (column[order] for column in joined)
    name = f"{real.name} with {len(outside):,} others of {more.name}"
    people = real.people + len(outside)
    whole = Real(
        name, real.catalogue, people, users, items, at, stars, real.domain, dated=more.dated
    )
    return SplitInteractions(whole, part, real.people)


def _indices(path: Path) -> dict[str, int]:
    rows = _table(path, ("raw_id", "index"))
    return {row["raw_id"]: int(row["index"]) for row in rows}
