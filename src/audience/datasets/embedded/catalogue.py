"""The embedded catalogues: real works, told in one sentence each."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from importlib.resources import files

import msgspec
import numpy as np

from audience.world import Catalogue, Dice, Floats, Item, key

_FRACTIONS = {"½": " half", "¾": " three quarters"}
_PEOPLE = ("films",)
"""Catalogues for whose people there are public figures."""
_NOT_SLUG = re.compile(r"[^a-z0-9]+")


def embedded_rows(name: str) -> list[list[str]]:
    """Return the cells of an embedded table, without its header."""
    text = (files("audience.datasets.embedded") / f"{name}.tsv").read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()[1:]]


def embedded_people(name: str) -> str:
    """Return the file of parameters fitted for the people of an embedded catalogue, or nothing."""
    file = files("audience.datasets.embedded") / f"{name}.toml"
    return file.read_text(encoding="utf-8") if name in _PEOPLE else ""


def embedded_catalogue(name: str, seed: int) -> Catalogue:
    """Return an embedded catalogue (`films`, `books`) with the qualities of a seed.

    An item's quality is what this audience makes of it on average: a draw, not a verdict on the
    work. It belongs to the seed and the item's key, so another item moves nobody's draw.
    """
    items = _items(name)
    qualities = drawn_quality([item.key for item in items], seed).tolist()
    pairs = zip(items, qualities, strict=True)
    return Catalogue(
        tuple(msgspec.structs.replace(item, quality=quality) for item, quality in pairs)
    )


def drawn_quality(item_keys: list[str], seed: int) -> Floats:
    """Return one quality per key, beta(4, 3) distributed: mean 0.57, rarely near 0 or 1."""
    dice = Dice(np.array([key(seed, "quality", name) for name in item_keys], np.uint64))
    # The fourth smallest of six uniforms is beta(4, 3), and each item keeps dice of its own.
    fourth: Floats = np.sort(dice.uniforms("quality", 6), axis=1)[:, 3]
    return np.round(fourth, 4)


def slug(title: str, year: int | None = None) -> str:
    """Return a key that people can read and type, such as `the-third-man-1949`."""
    for sign, words in _FRACTIONS.items():
        title = title.replace(sign, words)
    plain = unicodedata.normalize("NFKD", title.replace("'", "")).encode("ascii", "ignore").decode()
    words = _NOT_SLUG.sub("-", plain.lower()).strip("-")
    return f"{words}-{year}" if year is not None else words


@lru_cache(maxsize=4)
def _items(name: str) -> tuple[Item, ...]:
    return tuple(
        Item(
            place,
            title,
            about,
            tuple(tags.split("|")),
            int(year),
            float(minutes),
            key=slug(title, int(year)),
        )
        for place, (title, year, tags, minutes, about) in enumerate(embedded_rows(name))
    )
