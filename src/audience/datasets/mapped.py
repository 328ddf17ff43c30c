"""Tables of any columns, with a mapping from columns to what they mean."""

from __future__ import annotations

from audience.datasets._blocks import Form
from audience.datasets._gather import Gathering, known_people, numbered
from audience.datasets._roles import Mapped
from audience.datasets._source import Source
from audience.datasets.corpus import Corpus
from audience.errors import BadInput
from audience.world.genesis import Domain


def read_mapped(
    source: Source,
    *,
    interactions: str = "",
    items: str = "",
    people: str = "",
    user: str = "",
    item: str = "",
    rating: str = "",
    time: str = "",
    weight: str = "",
    title: str = "",
    tags: str = "",
    about: str = "",
    year: str = "",
    separator: str = ",",
    tag_mark: str = "|",
    encoding: str = "utf-8",
    best: float = 0.0,
    half: float = 1.0,
    columns: tuple[str, ...] | list[str] = (),
    noun: str = "item",
    plural: str = "items",
    past: str = "tried",
) -> Corpus:
    """Return a corpus from a table of interactions, and tables of items and people if named.

    `columns` names the columns of an interactions table that has no header line.
    """
    name = interactions or _only_table(source)
    try:
        "".encode(encoding)
    except LookupError:
        raise BadInput(f"encoding {encoding!r} is unknown; try 'utf-8' or 'latin-1'") from None
    given = {"user": user, "item": item, "rating": rating, "time": time, "weight": weight}
    given |= {"title": title, "tags": tags, "about": about, "year": year}
    form = Form(separator, encoding, quoted=len(separator) == 1)
    tables = Mapped(source, given, form, tag_mark)
    gathering = Gathering(source.shown(name), best=best, half=half)
    tally = gathering.tally
    things = (
        numbered(tables.items(items), gathering.items, tally, source.shown(items)) if items else ()
    )
    known = (
        known_people(tables.people(people), gathering.people, tally, source.shown(people))
        if people
        else ()
    )
    header = tuple(column.lower() for column in columns)
    bare = Form(separator, encoding, quoted=form.quoted, header=header)
    Mapped(source, given, bare, tag_mark).interactions(name, gathering)
    return gathering.corpus(source.path.stem, things, known, Domain(noun, plural, past))


def _only_table(source: Source) -> str:
    tables = source.ending(".csv", ".tsv", ".txt", ".dat")
    if len(tables) != 1:
        listed = ", ".join(tables[:8]) or "none"
        raise BadInput(
            f"{source.path}: which table holds the interactions? Say interactions = '…' "
            f"(found: {listed})"
        )
    return tables[0]
