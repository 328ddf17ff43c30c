"""Does a model know a published catalogue by heart: titles by their numbers, line after line."""

from __future__ import annotations

from collections.abc import Sequence

from audience.experiments.probing.asking import Asker
from audience.experiments.probing.measures import ProbeRow, row
from audience.experiments.probing.titles import listed, same
from audience.experiments.probing.town import Town
from audience.llm.loose import Unreadable
from audience.llm.structured import object_of, text_of
from audience.llm.together import together
from audience.world.items import Item

PART = "by heart"
BEFORE = 4
"""Lines that are shown before the one to be told."""
_TEXT = text_of(200)


def has_numbers(town: Town) -> bool:
    """Say whether the items bear the numbers of a published file."""
    items = town.genesis.catalogue.items
    return all(item.key.isdecimal() for item in items) and town.name.startswith("MovieLens")


async def by_heart(asker: Asker, town: Town, items: Sequence[Item]) -> list[ProbeRow]:
    """Return how often the title of a number and the next line of the file are known."""
    in_file = sorted(town.genesis.catalogue.items, key=lambda item: int(item.key))
    places = {item.id: place for place, item in enumerate(in_file)}
    followed = [item for item in items if places[item.id] >= BEFORE]
    numbers = together(_title_of(asker, town, item) for item in items)
    lines = together(
        _line_after(asker, town, in_file[places[item.id] - BEFORE : places[item.id]])
        for item in followed
    )
    titles, next_ones = await together((numbers, lines))
    return [
        _row(asker, "title of a number", items, titles),
        _row(asker, "next line of the file", followed, next_ones),
    ]


def _row(asker: Asker, what: str, items: Sequence[Item], said: Sequence[str | None]) -> ProbeRow:
    """Return how often the title is right; by chance: as often as it would be of another item."""
    hits = [
        (item.id, None if title is None else float(same(title) == same(item.title)))
        for item, title in zip(items, said, strict=True)
    ]
    others = [*items[1:], *items[:1]]
    guessed = [
        float(title is not None and same(title) == same(other.title))
        for other, title in zip(others, said, strict=True)
    ]
    chance = sum(guessed) / len(guessed) if guessed else None
    return row(PART, what, hits, seed=asker.seed, chance=chance, unread=0.0)


async def _title_of(asker: Asker, town: Town, item: Item) -> str | None:
    holes = {**town.words, "dataset": town.name, "key": item.key}
    found = await asker.read(
        "by heart",
        asker.prompt("probe_id", holes),
        f"number/{item.key}",
        object_of(title=_TEXT),
    )
    return _text(found, "title")


async def _line_after(asker: Asker, town: Town, before: Sequence[Item]) -> str | None:
    lines = "\n".join(listed(item) for item in before)
    holes = {**town.words, "dataset": town.name, "lines": lines}
    found = await asker.read(
        "by heart",
        asker.prompt("probe_line", holes),
        f"line/{before[-1].key}",
        object_of(line=_TEXT),
    )
    line = _text(found, "line")
    if line is None:
        return None
    parts = line.split("::")
    return parts[1] if len(parts) > 1 else line


def _text(found: object, name: str) -> str | None:
    if isinstance(found, Unreadable) or not isinstance(found, dict):
        return None
    value = found.get(name)
    return value if isinstance(value, str) else None
