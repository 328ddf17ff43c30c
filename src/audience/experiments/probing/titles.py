"""Titles: when two are the same, and three ways to show one: as it is, hidden, invented."""

from __future__ import annotations

from audience.experiments.probing.words import DRESSES, NAMES, PATTERNS, PLACES, SIGHTS, THINGS
from audience.world.items import Item
from audience.world.rng import rng
from audience.world.titles import mentioned, same

__all__ = ["dressed", "invented", "listed", "mentioned", "same"]

REAL, MASKED, INVENTED = DRESSES


def invented(item: Item, seed: int) -> str:
    """Return a title that belongs to nothing there is, always the same for an item."""
    draws = rng(seed, "probe", "invented", item.id)
    words = {
        name: some[int(draws.integers(len(some)))]
        for name, some in (("s", SIGHTS), ("t", THINGS), ("n", NAMES), ("p", PLACES))
    }
    return PATTERNS[int(draws.integers(len(PATTERNS)))].format(**words)


def dressed(item: Item, dress: str, seed: int, noun: str) -> str:
    """Return the name under which an item is shown; everything else about it stays."""
    if dress == MASKED:
        return f"<{noun} {item.id + 1}>"
    return f"<{invented(item, seed)}>" if dress == INVENTED else f"<{item.title}>"


def listed(item: Item) -> str:
    """Return an item as a line of movies.dat: id, title with its article last, kinds."""
    title = item.title
    first, _, rest = title.partition(" ")
    if rest and first in ("The", "A", "An"):
        title = f"{rest}, {first}"
    year = f" ({item.year})" if item.year else ""
    return f"{item.key}::{title}{year}::{'|'.join(item.tags)}"
