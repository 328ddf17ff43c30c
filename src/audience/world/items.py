"""Items of any domain, the catalogue that holds them, and titles as they are compared."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
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
    """Duration; 0 when unknown."""
    quality: float = 0.5
    """How well it is liked on average, 0 to 1; 0.5 when unknown."""
    key: str = ""
    """The id in the source data, shown to users and sent to recommenders."""


class Catalogue:
    """All items by dense id, with arrays for batch work. Immutable; see `plus`."""

    def __init__(self, items: tuple[Item, ...], tags: tuple[str, ...] | None = None) -> None:
        self.items = items
        self.tags = tags or tuple(sorted({tag for item in items for tag in item.tags}))
        self.tag_ids = {tag: number for number, tag in enumerate(self.tags)}

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, item: int) -> Item:
        return self.items[item]

    def plus(self, item: Item) -> Catalogue:
        """Return a catalogue with an item added; the tags stay the same."""
        return Catalogue((*self.items, item), self.tags)

    @cached_property
    def tags_of(self) -> tuple[tuple[int, ...], ...]:
        """The tag numbers of each item."""
        return tuple(tuple(self.tag_ids[tag] for tag in item.tags) for item in self.items)

    @cached_property
    def weights(self) -> Floats:
        """[items, tags]: 1/|tags| where the item has the tag."""
        return tag_weights(self.tags_of, len(self.tags))

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


def tag_weights(tags_of: Sequence[tuple[int, ...]], tags: int) -> Floats:
    """Return [items, tags]: 1/|tags| where the item has the tag."""
    matrix = np.zeros((len(tags_of), tags))
    for row, mine in enumerate(tags_of):
        for tag in mine:
            matrix[row, tag] = 1.0 / len(mine)
    return matrix


_YEAR = re.compile(r"\s*\((?:19|20)\d\d\)\s*$")
_MOVED = re.compile(r"^(.*), (the|a|an)$")
_ARTICLE = re.compile(r"^(?:the|a|an) ")
_TAGGED = re.compile(r"<([^<>\n]{1,300})>")
_CUT = "…"


@lru_cache(maxsize=65_536)
def same(title: str) -> str:
    """Return a title normalised for comparison: no case, accents, year, article or punctuation."""
    flat = unicodedata.normalize("NFKD", _YEAR.sub("", title.strip())).casefold()
    flat = "".join(letter for letter in flat if not unicodedata.combining(letter))
    flat = _MOVED.sub(r"\1", flat).replace("&", " and ")
    words = re.sub(r"[^\w\s]", " ", flat).split()
    return _ARTICLE.sub("", " ".join(words))


def mentioned(text: str) -> list[str]:
    """Return the titles written as `<…>`, each once; a literal `<title>` is none."""
    if "<" not in text:
        return []
    titles = dict.fromkeys(title.strip() for title in _TAGGED.findall(text))
    return [title for title in titles if same(title) not in ("", "title")]


def covers(known: Iterable[str], title: str) -> bool:
    """Return True if a title, or a title cut short with `…`, is among the known ones."""
    normalised = same(title)
    if not title.endswith(_CUT):
        return normalised in known
    return any(other.startswith(normalised) for other in known)


@lru_cache(maxsize=4)
def titled(catalogue: Catalogue) -> dict[str, tuple[int, ...]]:
    """Return the items of a catalogue by their normalised title."""
    by_title: dict[str, list[int]] = {}
    for item in catalogue.items:
        by_title.setdefault(same(item.title), []).append(item.id)
    return {title: tuple(items) for title, items in by_title.items()}
