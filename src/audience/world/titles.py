"""Titles in what people say: how they are found, and when two are the same."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from audience.world.items import Catalogue

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
