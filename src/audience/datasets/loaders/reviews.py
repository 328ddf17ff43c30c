"""Reviews, one object per line: Amazon (JSON, 2018 and 2023) and Steam (Python literals)."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import msgspec
import numpy as np

from audience.datasets.corpus import Corpus
from audience.datasets.loaders.blocks import Block, Gathering
from audience.datasets.moments import date_of, seconds_of
from audience.datasets.source import Source
from audience.errors import BadInput
from audience.world import Domain, Item

STEAM_HALF = 2.0
"""Hours of play that count as half consumed."""
_LONGEST = 1 << 16
"""Maximum bytes of a Python literal: foreign input may be nested deeply."""
_ABOUT = 300


class Review(msgspec.Struct, frozen=True, gc=False):
    """What matters of an Amazon review in either form."""

    reviewer: str = msgspec.field(name="reviewerID", default="")
    asin: str = ""
    overall: float | None = None
    unix: float | None = msgspec.field(name="unixReviewTime", default=None)
    user_id: str = ""
    parent: str = msgspec.field(name="parent_asin", default="")
    rating: float | None = None
    timestamp: float | None = None

    @property
    def row(self) -> tuple[str, str, float | None, float | None]:
        if self.user_id:
            return self.user_id, self.parent or self.asin, self.timestamp, self.rating
        return self.reviewer, self.asin, self.unix, self.overall


Row = tuple[str, str, float | None, float | None]
"""Person, item, timestamp, and a rating or a weight if there is one."""


def read_amazon(source: Source, *, reviews: str = "", meta: str = "") -> Corpus:
    """Return Amazon reviews of 2018 or 2023, with titles if their meta file is there."""
    name, about = _files(source, reviews, meta, "meta")
    gathering = Gathering(source.shown(name), best=5.0)
    items = _described(source, about, gathering, _amazon_item, msgspec.json.Decoder().decode)
    decoder = msgspec.json.Decoder(Review)
    _gather(source, name, gathering, lambda line: decoder.decode(line).row, rated=True)
    return gathering.corpus(
        f"Amazon {_stem(name)}", items, (), Domain("product", "products", "bought")
    )


def read_steam(
    source: Source, *, reviews: str = "", games: str = "", half: float = STEAM_HALF
) -> Corpus:
    """Return Steam reviews with hours of play as the fraction consumed, and games if present."""
    name, about = _files(source, reviews, games, "steam_games")
    gathering = Gathering(source.shown(name), half=half)
    items = _described(source, about, gathering, _steam_item, literal)
    _gather(source, name, gathering, _steam_row, rated=False)
    return gathering.corpus("Steam", items, (), Domain("game", "games", "played"))


def literal(line: bytes) -> dict[str, Any]:
    """Return a dictionary written as a Python literal; nothing in it is executed."""
    if len(line) > _LONGEST:
        raise ValueError(f"is longer than {_LONGEST >> 10} KB")
    try:
        value = ast.literal_eval(line.decode())
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(f"is not a Python literal ({type(error).__name__})") from None
    if not isinstance(value, dict):
        raise ValueError("is not a dictionary")
    return value


def _files(source: Source, given: str, extra: str, mark: str) -> tuple[str, str | None]:
    lines = source.ending(".json", ".jsonl")
    about = extra or next((name for name in lines if mark in name.lower()), None)
    rest = [name for name in lines if name != about and mark not in name.lower()]
    if given:
        return given, about
    if len(rest) != 1:
        listed = ", ".join(rest[:8]) or "none"
        raise BadInput(f"{source.path}: say reviews = '…', the file of reviews (found: {listed})")
    return rest[0], about


def _gather(
    source: Source, name: str, gathering: Gathering, read: Callable[[bytes], Row], *, rated: bool
) -> None:
    """Add a file of reviews; one that names nobody, nothing or no moment is counted."""
    for first, lines in source.blocks(name):
        where = gathering.where
        kept: list[Row] = []
        places: list[int] = []
        for place, row in _read_lines(where, first, lines, read):
            missing = "user" if not row[0] else "item" if not row[1] else "moment"
            if row[0] and row[1] and row[2] is not None:
                kept.append(row)
                places.append(place)
            else:
                gathering.tally.add(f"a review without its {missing}", f"{where}: line {place}")
        if not kept:
            continue
        users, items, moments, numbers = zip(*kept, strict=True)
        weights = np.array([np.nan if number is None else number for number in numbers])
        at = np.array(moments, np.float64)
        gathering.add(
            Block(where, first, {}),
            users,
            items,
            at=seconds_of(at, partial(_wrong, where, places)),
            **{"ratings" if rated else "weights": weights},
        )


def _wrong(where: str, places: Sequence[int], row: int, what: str) -> BadInput:
    return BadInput(f"{where}: line {places[row]}: {what}")


def _read_lines(
    where: str, first: int, lines: Sequence[bytes], read: Callable[[bytes], Any]
) -> Iterator[tuple[int, Any]]:
    for place, line in enumerate(lines, first):
        if not line.strip():
            continue
        try:
            yield place, read(line)
        except (ValueError, TypeError, KeyError, msgspec.MsgspecError) as error:
            raise BadInput(
                f"{where}: line {place} cannot be read: {error}; fix or delete the line"
            ) from None


def _described(
    source: Source,
    name: str | None,
    gathering: Gathering,
    make: Callable[[dict[str, Any]], Item],
    read: Callable[[bytes], Any],
) -> list[Item]:
    if name is None:
        return []
    where = source.shown(name)

    def found() -> Iterator[Item]:
        for first, lines in source.blocks(name):
            for place, tree in _read_lines(where, first, lines, read):
                item = make(tree) if isinstance(tree, dict) else None
                if item is None or not item.key:
                    gathering.tally.add("an item without its id", f"{where}: line {place}")
                else:
                    yield item

    return gathering.number_items(found(), where)


def _amazon_item(tree: dict[str, Any]) -> Item:
    key = _text(tree.get("parent_asin") or tree.get("asin"))
    tags = _words(tree.get("categories") or tree.get("category"))
    main = _text(tree.get("main_category") or tree.get("main_cat"))
    tags = tuple(tag for tag in tags if "<" not in tag)[:8] or ((main,) if main else ())
    about = " ".join(_words(tree.get("description")))[:_ABOUT]
    return Item(0, _text(tree.get("title")) or key, about, tags, key=key)


def _steam_item(tree: dict[str, Any]) -> Item:
    key = _text(tree.get("id"))
    title = _text(tree.get("app_name") or tree.get("title"))
    tags = _words(tree.get("genres") or tree.get("tags"))
    released = _text(tree.get("release_date"))[:4]
    year = int(released) if len(released) == 4 and released.isdecimal() else None
    return Item(0, title or key, "", tags[:8], year, key=key)


def _steam_row(line: bytes) -> Row:
    tree = literal(line)
    user = _text(tree.get("user_id") or tree.get("username"))
    day, hours = tree.get("date"), tree.get("hours")
    at = None
    if isinstance(day, str) and day:
        at = date_of(day)
    played = float(hours) if isinstance(hours, int | float) and hours >= 0 else None
    return user, _text(tree.get("product_id")), at, played


def _text(value: object) -> str:
    return " ".join(str(value).split()) if isinstance(value, str | int) else ""


def _words(value: object) -> tuple[str, ...]:
    """Return the distinct texts of a list, with nested lists flattened."""
    if isinstance(value, str):
        return (_text(value),) if value.strip() else ()
    if not isinstance(value, list):
        return ()
    return tuple(dict.fromkeys(word for one in value for word in _words(one)))


def _stem(name: str) -> str:
    return name.rpartition("/")[2].partition(".")[0]
