"""RecBole's atomic files: NAME.inter with NAME.item, NAME.user and NAME.net where there are any."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from audience.datasets._blocks import Form, table_blocks
from audience.datasets._gather import Gathering, known_people, numbered
from audience.datasets._roles import Mapped
from audience.datasets._source import Source
from audience.datasets.corpus import Corpus, Edges, friendships
from audience.errors import BadInput, unknown
from audience.world.genesis import Domain

_FILMS = Domain("film", "films", "watched")
_THINGS = Domain("item", "items", "tried")


def read_atomic(
    source: Source,
    *,
    name: str = "",
    user: str = "",
    item: str = "",
    rating: str = "",
    time: str = "",
    weight: str = "",
    title: str = "",
    tags: str = "",
    separator: str = "\t",
    tag_mark: str = " ",
    best: float = 0.0,
    half: float = 10.0,
) -> Corpus:
    """Return a dataset of RecBole's collection; column roles are guessed unless they are given."""
    stem = _stem(source, name)
    given = {"user": user, "item": item, "rating": rating, "time": time, "weight": weight}
    mapped = Mapped(source, {**given, "title": title, "tags": tags}, Form(separator), tag_mark)
    gathering = Gathering(source.shown(f"{stem}.inter"), best=best, half=half)
    tally = gathering.tally
    items, people = f"{stem}.item", f"{stem}.user"
    found = (
        numbered(mapped.items(items), gathering.items, tally, source.shown(items))
        if items in source
        else []
    )
    known = (
        known_people(mapped.people(people), gathering.people, tally, source.shown(people))
        if people in source
        else []
    )
    mapped.interactions(f"{stem}.inter", gathering)
    ties = _ties(source, f"{stem}.net", gathering, separator) if f"{stem}.net" in source else None
    domain = _FILMS if stem.lower().startswith(("ml-", "netflix", "movie")) else _THINGS
    return gathering.corpus(stem, found, known, domain, ties)


def installed_ml100k() -> Path | None:
    """Return where an installed `recbole` keeps ML-100K, without importing it."""
    try:
        spec = importlib.util.find_spec("recbole")
    except (ImportError, ValueError):
        return None
    for place in (spec.submodule_search_locations or ()) if spec else ():
        folder = Path(place) / "dataset_example" / "ml-100k"
        if (folder / "ml-100k.inter").is_file():
            return folder
    return None


def _stem(source: Source, name: str) -> str:
    stems = [
        PurePosixPath(one).name.removesuffix(".gz").removesuffix(".inter")
        for one in source.ending(".inter")
    ]
    if not stems:
        raise BadInput(f"{source.path} holds no .inter file; RecBole's atomic files have one")
    if name and name not in stems:
        raise unknown(f"{source.path}: dataset", name, stems)
    if not name and len(set(stems)) > 1:
        raise BadInput(
            f"{source.path} holds several datasets ({', '.join(stems)}); choose with name = '…'"
        )
    return name or stems[0]


def _ties(source: Source, name: str, gathering: Gathering, separator: str) -> Edges:
    known, where = gathering.people.known, source.shown(name)

    def pairs() -> Iterator[tuple[int, int, str, float]]:
        for block in table_blocks(source, name, Form(separator), ()):
            sides = list(block.columns)[:2]
            if len(sides) < 2:
                raise BadInput(f"{where}: line 1: two columns of people are needed")
            rows = zip(*(block.keys(side) for side in sides), strict=True)
            for row, (first, other) in enumerate(rows):
                if first in known and other in known:
                    yield known[first], known[other], "friend", 0.5
                else:
                    tally = gathering.tally
                    tally.add(
                        "a tie of somebody without interactions",
                        f"{where}: line {block.line + row}",
                    )

    return friendships(pairs(), mutual=False)
