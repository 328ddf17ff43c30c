"""A small world whose people walk along a ring of items, so that what comes next is known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from audience.lab.evaluation import Real
from audience.world import Catalogue, Item, rng

ITEMS, PEOPLE = 80, 60
GENRES = ("Drama", "Comedy", "War", "Crime")


def walkers(people: int = PEOPLE, items: int = ITEMS, steps: int = 18, seed: int = 1) -> Real:
    """Return people who each begin somewhere on the ring and mostly take the next item."""
    rows = []
    for person in range(people):
        draws = rng(seed, "walk", person)
        place = int(draws.integers(items))
        lived: list[int] = []
        while len(lived) < steps:
            if place not in lived:
                lived.append(place)
            place = (place + int(draws.integers(1, 3))) % items
        stars = np.clip(np.round(3.5 + draws.normal(0, 1, steps)), 1, 5)
        pairs = zip(lived, stars.tolist(), strict=True)
        rows += [(person, item, 60 * at, star) for at, (item, star) in enumerate(pairs)]
    rows.sort(key=lambda row: row[2])
    users, taken, at, given = (np.array(column) for column in zip(*rows, strict=True))
    made = tuple(
        Item(n, f"Film {n}", "", (GENRES[n * len(GENRES) // items],), 1980 + n % 20, key=f"i{n}")
        for n in range(items)
    )
    columns = (users.astype(np.int64), taken.astype(np.int64), at.astype(np.int64))
    keys = tuple(f"p{person}" for person in range(people))
    return Real("ring", Catalogue(made), people, *columns, given.astype(np.float64), keys=keys)


@pytest.fixture(scope="session")
def ring() -> Real:
    return walkers()


@pytest.fixture(scope="session")
def written() -> Callable[..., Path]:
    """Return what writes the ring as a folder of one's own."""

    def write(folder: Path, people: int = PEOPLE, steps: int = 18) -> Path:
        real = walkers(people, steps=steps)
        folder.mkdir(parents=True, exist_ok=True)
        items = [f"{one.key},{one.title},{one.tags[0]},{one.year}" for one in real.catalogue.items]
        (folder / "items.csv").write_text("id,title,tags,year\n" + "\n".join(items) + "\n")
        (folder / "people.csv").write_text("id\n" + "\n".join(real.keys) + "\n")
        columns = (real.users, real.items, real.at, real.stars)
        lines = [
            f"p{user},i{item},2020-01-01T00:{at // 60:02d}:00,{int(stars)}"
            for user, item, at, stars in zip(*(c.tolist() for c in columns), strict=True)
        ]
        (folder / "interactions.csv").write_text("person,item,at,stars\n" + "\n".join(lines) + "\n")
        return folder

    return write
