"""Items of any domain, and the catalogue that holds them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cached_property, lru_cache

import msgspec
import numpy as np

from audience.world.randomness import Floats


class Item(msgspec.Struct, frozen=True, gc=False):
    """A recommendable thing: film, book, game, song."""

    id: int
    title: str
    about: str = ""
    tags: tuple[str, ...] = ()
    year: int | None = None
    minutes: float = 0.0
    """How long it takes to live through; 0 when unknown."""
    quality: float = 0.5
    """What people make of it on average, 0 to 1; 0.5 when unknown."""
    key: str = ""
    """Its id in the source, shown to users and sent to recommenders."""


class Catalogue:
    """All items by dense id, with the arrays that batch work needs. Never changes; see `plus`."""

    def __init__(self, items: tuple[Item, ...], tags: tuple[str, ...] | None = None) -> None:
        self.items = items
        self.tags = tags or tuple(sorted({tag for item in items for tag in item.tags}))
        self.tag_ids = {tag: number for number, tag in enumerate(self.tags)}

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, item: int) -> Item:
        return self.items[item]

    def plus(self, item: Item) -> Catalogue:
        """Return a catalogue with one more item; the tags stay as they are."""
        return Catalogue((*self.items, item), self.tags)

    @cached_property
    def tags_of(self) -> tuple[tuple[int, ...], ...]:
        """The tag numbers of each item."""
        return tuple(tuple(self.tag_ids[tag] for tag in item.tags) for item in self.items)

    @cached_property
    def weights(self) -> Floats:
        """[items, tags]: 1/|tags| where the item carries the tag."""
        matrix = np.zeros((len(self.items), len(self.tags)))
        for row, tags in enumerate(self.tags_of):
            for tag in tags:
                matrix[row, tag] = 1.0 / len(tags)
        return matrix

    @cached_property
    def quality(self) -> Floats:
        return np.array([item.quality for item in self.items], np.float64)

    @cached_property
    def minutes(self) -> Floats:
        return np.array([item.minutes for item in self.items], np.float64)

    @cached_property
    def by_key(self) -> dict[str, int]:
        """Dense id of each source id."""
        return {item.key: item.id for item in self.items if item.key}


_YEAR = re.compile(r"\s*\((?:19|20)\d\d\)\s*$")
_MOVED = re.compile(r"^(.*), (the|a|an)$")
_ARTICLE = re.compile(r"^(?:the|a|an) ")
_TAGGED = re.compile(r"<([^<>\n]{1,300})>")
_CUT = "…"


def same(title: str) -> str:
    """Return a title as it is compared: no case, accents, year, article or punctuation."""
    flat = unicodedata.normalize("NFKD", _YEAR.sub("", title.strip())).casefold()
    flat = "".join(one for one in flat if not unicodedata.combining(one))
    flat = _MOVED.sub(r"\1", flat).replace("&", " and ")
    words = re.sub(r"[^\w\s]", " ", flat).split()
    return _ARTICLE.sub("", " ".join(words))


def mentioned(text: str) -> list[str]:
    """Return the titles that stand in `<…>`, each once; the mark itself is none."""
    if "<" not in text:
        return []
    found = (title.strip() for title in _TAGGED.findall(text))
    return [title for title in dict.fromkeys(found) if same(title) not in ("", "title")]


def covers(known: Iterable[str], title: str) -> bool:
    """Say whether a title is one of those that are known, also where it was shown cut."""
    wanted = same(title)
    if not title.endswith(_CUT):
        return wanted in known
    return any(one.startswith(wanted) for one in known)


@lru_cache(maxsize=4)
def titled(catalogue: Catalogue) -> dict[str, tuple[int, ...]]:
    """Return the items of a catalogue by their title as it is compared."""
    found: dict[str, list[int]] = {}
    for item in catalogue.items:
        found.setdefault(same(item.title), []).append(item.id)
    return {title: tuple(items) for title, items in found.items()}
