"""Which column is what, guessed from usual names where the user does not say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from audience.datasets._blocks import Block, Form, other_mark, table_blocks
from audience.datasets._gather import Gathering
from audience.datasets._source import Source
from audience.errors import BadInput
from audience.world.items import Item
from audience.world.people import Profile

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
    """Return the column of each role; what was given goes before what is usual."""
    listed = ", ".join(repr(column) for column in columns)
    found: dict[str, str] = {}
    for role, names in usual.items():
        wanted = given.get(role, "").lower()
        if wanted and wanted not in columns:
            raise BadInput(f"{where}: line 1: {role} = {wanted!r} is no column (found: {listed})")
        column = wanted or next((name for name in names if name in columns), "")
        if column:
            found[role] = column
        elif role in needed:
            hint = other_mark(columns[0]) if len(columns) == 1 else ""
            raise BadInput(
                f"{where}: line 1: no column is known as the {role} (found: {listed}); "
                f"say which one it is: {role} = '…'{hint}"
            )
    return found


class Mapped:
    """Tables of one source whose columns have roles; `given` names columns by role."""

    def __init__(
        self, source: Source, given: Mapping[str, str], form: Form, tag_mark: str = "|"
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
            yield Block(block.where, block.line, columns)

    def interactions(self, name: str, gathering: Gathering) -> None:
        """Take in a table of interactions."""
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
        """Yield the items of a table; one without a title is called by its id."""
        for block in self.blocks(name, USUAL_ITEM, ("item",)):
            nothing = ("",) * len(block)
            columns = [block.columns.get(role, nothing) for role in ("title", "tags", "about")]
            years = block.columns.get("year", nothing)
            for row, key in enumerate(block.keys("item")):
                title, tags, about = (column[row].strip() for column in columns)
                words = _tags(tags, self.tag_mark)
                yield Item(row, title or key, about, words, _year(years[row]), key=key)

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
    """Return an age where the text is one: sources hold groups, NULL and jokes, too."""
    whole = text.strip().partition(".")[0]
    return int(whole) if whole.isdecimal() and 0 < int(whole) <= 130 else None
