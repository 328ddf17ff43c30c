"""RecBole's atomic files: interactions, items, people and ties, ready for training."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from audience.experiments.export_rows import COLUMNS, Names, Row, interactions
from audience.log import Log, world_at
from audience.results import replace_all
from audience.world import Item, Profile

_INTER = "user_id:token\titem_id:token\trating:float\ttimestamp:float\tlabel:float\tfraction:float"
_ITEM = "item_id:token\ttitle:token_seq\trelease_year:token\tclass:token_seq"
_USER = "user_id:token\tage:token\tgender:token\toccupation:token"
_NET = "source_id:token\ttarget_id:token"
_PLACES = [
    COLUMNS.index(name)
    for name in ("person", "item", "stars", "at", "outcome", "fraction", "propensity")
]


def write_recbole(log: Log, folder: Path, *, exposures: bool) -> list[Path]:
    """Write a run as a dataset of RecBole and return the files; it bears the name of the run."""
    name, names = log.folder.resolve().name, Names(log.genesis())
    rows = list(interactions(log, exposures=exposures, names=names))
    place = folder / name
    files = {
        "inter": _inter(rows),
        "item": [_ITEM, *map(_item, names.items)],
        "user": [_USER, *map(_user, names.people)],
        "net": [_NET, *_ties(log, names)],
    }
    return replace_all(
        {
            place / f"{name}.{suffix}": ("\n".join(lines) + "\n").encode()
            for suffix, lines in files.items()
        }
    )


def _inter(rows: list[Row]) -> list[str]:
    """Return the interactions; propensities only where all have one: RecBole would invent some."""
    known = bool(rows) and all(row[_PLACES[-1]] is not None for row in rows)
    lines = [_INTER + ("\tpropensity:float" if known else "")]
    for row in rows:
        person, item, stars, at, outcome, fraction, propensity = (row[place] for place in _PLACES)
        label = int(outcome != "shown")
        line = f"{plain(person)}\t{plain(item)}\t{stars}\t{at}\t{label}\t{fraction}"
        lines.append(f"{line}\t{propensity}" if known else line)
    return lines


def plain(text: object) -> str:
    """Return a text that RecBole reads as it is: a tab or a quotation mark would shift columns."""
    return " ".join(str(text).split()).replace('"', "'")


def _item(item: Item) -> str:
    tags = " ".join(plain(tag).replace(" ", "-") for tag in item.tags)
    key = plain(item.key or item.id)
    return f"{key}\t{plain(item.title)}\t{item.year or ''}\t{tags}"


def _user(who: Profile) -> str:
    age = "" if who.age is None else who.age
    return f"{plain(who.key or who.id)}\t{age}\t{plain(who.gender)}\t{plain(who.career)}"


def _ties(log: Log, names: Names) -> Iterable[str]:
    """Yield who listens to whom at the end of the last complete round."""
    world = world_at(log, log.complete_rounds())
    for agent in range(len(world.agents)):
        for other in world.graph.neighbours(agent):
            yield f"{plain(names.person[agent])}\t{plain(names.person[other])}"
