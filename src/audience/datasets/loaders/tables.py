"""Tables of any columns: their roles are guessed from usual names unless the user names them."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from audience.datasets.corpus import Corpus, Edges, friendships
from audience.datasets.loaders.blocks import (
    Block,
    Gathering,
    TableFormat,
    other_mark,
    table_blocks,
)
from audience.datasets.loaders.movielens import article_first
from audience.datasets.source import Source
from audience.errors import BadInput, unknown
from audience.world import Domain, Item, Profile

USUAL = {
    "user": ("user_id", "user", "userid", "uid", "person", "reviewerid", "customer_id", "member"),
    "item": (
        *("item_id", "item", "itemid", "iid", "parent_asin", "asin", "movie_id", "movieid"),
        *("book_id", "isbn", "artist_id", "artistid", "product_id", "business_id", "track_id"),
        *("song_id", "game_id", "video_id", "news_id", "photo_id", "venue_id"),
    ),
    "rating": ("rating", "ratings", "stars", "score", "overall", "review_score"),
    "time": ("timestamp", "time", "at", "date", "datetime", "created_at", "ts", "visit_time"),
    "weight": ("weight", "play_hours", "hours", "plays", "playcount", "play_count", "count"),
}
USUAL_ITEM = {
    "item": ("id", *USUAL["item"]),
    "title": (
        *("title", "movie_title", "book_title", "item_title", "name", "artist_name", "item_name"),
        *("app_name", "product_title", "track_name", "song_name", "game_name"),
    ),
    "tags": ("tags", "genres", "genre", "class", "categories", "category", "topics"),
    "about": ("about", "description", "summary", "abstract"),
    "year": ("year", "release_year", "publication_year", "publish_year"),
}
USUAL_PERSON = {
    "user": ("id", *USUAL["user"]),
    "name": ("name", "username"),
    "age": ("age",),
    "gender": ("gender", "sex"),
    "career": ("occupation", "career", "job"),
}
_GENDERS = {"f": "female", "m": "male"}


def roles_of(
    where: str,
    columns: Sequence[str],
    usual: Mapping[str, Sequence[str]],
    given: Mapping[str, str],
    needed: Sequence[str],
) -> dict[str, str]:
    """Return the column of each role; named columns precede usual names."""
    listed = ", ".join(repr(column) for column in columns)
    roles: dict[str, str] = {}
    for role, names in usual.items():
        named = given.get(role, "").lower()
        if named and named not in columns:
            raise BadInput(f"{where}: line 1: {role} = {named!r} is not a column (found: {listed})")
        column = named or next((name for name in names if name in columns), "")
        if column:
            roles[role] = column
        elif role in needed:
            hint = other_mark(columns[0]) if len(columns) == 1 else ""
            raise BadInput(
                f"{where}: line 1: no column is known as the {role} (found: {listed}); "
                f"say which one it is: {role} = '…'{hint}"
            )
    return roles


class Mapped:
    """The tables of a source whose columns have roles; `given` names columns by role."""

    def __init__(
        self, source: Source, given: Mapping[str, str], form: TableFormat, tag_mark: str = "|"
    ) -> None:
        self.source = source
        self.given = given
        self.form = form
        self.tag_mark = tag_mark

    def blocks(
        self, name: str, usual: Mapping[str, Sequence[str]], needed: Sequence[str]
    ) -> Iterator[Block]:
        """Yield a table with roles for columns."""
        roles: dict[str, str] = {}
        for block in table_blocks(self.source, name, self.form, ()):
            plain = {column.partition(":")[0]: column for column in block.columns}
            if not roles:
                roles = roles_of(block.where, tuple(plain), usual, self.given, needed)
            columns = {role: block.columns[plain[column]] for role, column in roles.items()}
            yield Block(block.where, block.line, columns, block.lines)

    def interactions(self, name: str, gathering: Gathering) -> None:
        """Add a table of interactions."""
        for block in self.blocks(name, USUAL, ("user", "item")):
            there = block.columns
            gathering.add(
                block,
                block.keys("user"),
                block.keys("item"),
                at=block.moments("time") if "time" in there else None,
                ratings=block.numbers("rating", low=0.0) if "rating" in there else None,
                weights=block.numbers("weight", low=0.0) if "weight" in there else None,
            )

    def items(self, name: str) -> Iterator[Item]:
        """Yield the items of a table; without a title an item is called by its id."""
        for block in self.blocks(name, USUAL_ITEM, ("item",)):
            nothing = ("",) * len(block)
            columns = [block.columns.get(role, nothing) for role in ("title", "tags", "about")]
            years = block.columns.get("year", nothing)
            for row, key in enumerate(block.keys("item")):
                title, tags, about = (column[row].strip() for column in columns)
                words = _tags(tags, self.tag_mark)
                yield Item(
                    row, article_first(title) or key, about, words, _year(years[row]), key=key
                )

    def people(self, name: str) -> Iterator[Profile]:
        """Yield the people of a table."""
        for block in self.blocks(name, USUAL_PERSON, ("user",)):
            nothing = ("",) * len(block)
            names, genders, careers, ages = (
                block.columns.get(role, nothing) for role in ("name", "gender", "career", "age")
            )
            for row, key in enumerate(block.keys("user")):
                gender = _GENDERS.get(genders[row].lower(), genders[row])
                yield Profile(
                    row, names[row], gender, _age(ages[row]), career=careers[row], key=key
                )


def _tags(text: str, mark: str) -> tuple[str, ...]:
    parts = (part.strip() for part in text.split(mark))
    return tuple(dict.fromkeys(part for part in parts if part and part.lower() != "unknown"))


def _year(text: str) -> int | None:
    digits = text.strip()[:4]
    return int(digits) if len(digits) == 4 and digits.isdecimal() else None


def _age(text: str) -> int | None:
    """Return an age if the text is one; sources also contain groups, NULL and jokes."""
    whole = text.strip().partition(".")[0]
    return int(whole) if whole.isdecimal() and 0 < int(whole) <= 130 else None


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
    roles = {"user": user, "item": item, "rating": rating, "time": time, "weight": weight}
    roles |= {"title": title, "tags": tags, "about": about, "year": year}
    form = TableFormat(separator, encoding, quoted=len(separator) == 1)
    tables = Mapped(source, roles, form, tag_mark)
    gathering = Gathering(source.shown(name), best=best, half=half)
    things = gathering.number_items(tables.items(items), source.shown(items)) if items else ()
    known = gathering.number_people(tables.people(people), source.shown(people)) if people else ()
    header = tuple(column.lower() for column in columns)
    bare = TableFormat(separator, encoding, quoted=form.quoted, header=header)
    Mapped(source, roles, bare, tag_mark).interactions(name, gathering)
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
    roles = {"user": user, "item": item, "rating": rating, "time": time, "weight": weight}
    mapped = Mapped(
        source, {**roles, "title": title, "tags": tags}, TableFormat(separator), tag_mark
    )
    gathering = Gathering(source.shown(f"{stem}.inter"), best=best, half=half)
    items, people = f"{stem}.item", f"{stem}.user"
    found = (
        gathering.number_items(mapped.items(items), source.shown(items)) if items in source else []
    )
    known = (
        gathering.number_people(mapped.people(people), source.shown(people))
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
        for block in table_blocks(source, name, TableFormat(separator), ()):
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
