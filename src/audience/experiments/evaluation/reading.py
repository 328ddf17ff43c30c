"""What evaluations read: what real people did, from any dataset of files."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np

from audience.datasets import PUBLIC, public, recognise
from audience.datasets.folder import is_own, read_folder
from audience.errors import BadInput, unknown
from audience.world.genesis import Domain
from audience.world.items import Catalogue
from audience.world.rng import Floats, Ints


class Real(msgspec.Struct, frozen=True, eq=False):
    """What real people did, as columns in the order of time."""

    name: str
    catalogue: Catalogue
    people: int
    users: Ints
    items: Ints
    at: Ints
    stars: Floats
    """0.5 to 5; 0 where nothing was given."""
    domain: Domain = Domain("item", "items", "tried")
    keys: tuple[str, ...] = ()
    """The ids of the people in the source."""
    dated: bool = True

    def __len__(self) -> int:
        return len(self.users)


def read_real(path: Path) -> Real:
    """Return the interactions of a dataset by its path or its published name."""
    found = _own(path) if path.is_dir() and is_own(path) else _loaded(path)
    if not len(found):
        raise BadInput(f"{path}: has no interactions, so that there is nothing to compare with")
    return found


def _own(path: Path) -> Real:
    held = read_folder(path)
    people, past = held.people or (), held.past or ()
    rows = np.array([(p.agent, p.item, p.at, p.stars) for p in past], np.float64).reshape(-1, 4)
    rows = rows[np.argsort(rows[:, 2], kind="stable")]
    users, items, at = (rows[:, place].astype(np.int64) for place in range(3))
    columns = (users, items, at, rows[:, 3].copy())
    keys = tuple(who.key for who in people)
    return Real(path.name, Catalogue(held.items), len(people), *columns, keys=keys)


def _loaded(path: Path) -> Real:
    names = [one.name for one in PUBLIC]
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
    )
