"""What the offline check reads: any dataset of files as catalogue, columns and ties."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np

from audience.datasets.folder import read_folder
from audience.datasets.loaders import recognise
from audience.errors import BadInput
from audience.experiments.offline import Lived
from audience.world.graph import SocialGraph, Ties
from audience.world.items import Catalogue


class Source(msgspec.Struct, frozen=True, eq=False):
    """All that recommenders may be checked on."""

    catalogue: Catalogue
    people: int
    lived: Lived
    ties: SocialGraph | None


def read_source(path: Path) -> Source:
    """Return the interactions of a dataset with its items and ties, or say what is missing."""
    found = _own(path) if (path / "items.csv").exists() else _published(path)
    if not len(found.lived.users):
        raise BadInput(f"{path}: has no interactions, so that there is nothing to check")
    return found


def _own(path: Path) -> Source:
    held = read_folder(path)
    people, past = held.people or (), held.past or ()
    columns = np.array([(p.agent, p.item, p.at, p.stars) for p in past], np.int64).reshape(-1, 4).T
    ties = None
    if held.ties:
        firsts, others = [row.first for row in held.ties], [row.other for row in held.ties]
        kinds, closeness = [0] * len(held.ties), [row.closeness for row in held.ties]
        ties = SocialGraph(Ties.of(len(people), firsts, others, kinds, closeness))
    return Source(Catalogue(held.items), len(people), Lived(*columns), ties)


def _published(path: Path) -> Source:
    corpus = recognise(path).make(path).corpus()
    lived, edges, ties = corpus.lived, corpus.ties, None
    if edges is not None:
        columns = (edges.firsts, edges.others, edges.kinds, edges.closeness.astype(np.float32))
        ties = SocialGraph(Ties.of(len(corpus.people), *columns, edges.names))
    # Half stars are given upwards: 0.5 is one star, since 0 says that there are none.
    stars = np.floor(lived.stars + 0.5).astype(np.int64)
    lived_ = Lived(lived.users, lived.items, lived.at, stars)
    return Source(Catalogue(corpus.items), len(corpus.people), lived_, ties)
