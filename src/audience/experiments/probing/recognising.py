"""What a title tells a model: the same questions on real, hidden and invented titles."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from audience.experiments.probing.asking import Asker, Choice, whole
from audience.experiments.probing.measures import Answer, ProbeRow, row
from audience.experiments.probing.titles import INVENTED, MASKED, REAL, dressed
from audience.experiments.probing.town import Town
from audience.experiments.probing.words import DRESSES
from audience.experiments.probing.years import bucket
from audience.llm.structured import list_of, object_of, one_of, whole_of
from audience.llm.together import together
from audience.world.items import Item
from audience.world.rng import rng

OTHERS = 5
"""Items that a person did not take up next, beside the one it did."""
SHOWN = 15
"""Items of a history that are shown."""
LETTERS = "ABCDEFGHIJ"


class Told(msgspec.Struct, frozen=True):
    """What was said of one item under one dress; None where it could not be read."""

    item: Item
    year: float | None
    """0 where it says that it does not know."""
    kinds: float | None
    """The overlap with the true kinds, 0 to 1."""
    exists: float | None
    """How sure it is that there is such a title, 0 to 1."""


async def recognised(
    asker: Asker, town: Town, items: Sequence[Item], cutoff: int | None
) -> list[ProbeRow]:
    """Return what is known of titles, and by stretches of years."""
    found = await together(
        together([_told(asker, town, item, dress) for item in items]) for dress in DRESSES
    )
    told = dict(zip(DRESSES, found, strict=True))
    return [*_by_dress(asker, told), *_by_years(asker, told[REAL], cutoff)]


def _by_dress(asker: Asker, told: dict[str, list[Told]]) -> list[ProbeRow]:
    found: list[ProbeRow] = []

    def add(
        what: str,
        some: Sequence[Told],
        value: Callable[[Told], float | None],
        unread: float | None = None,
    ) -> None:
        answers = [(one.item.id, value(one)) for one in some]
        found.append(row(f"{dress} titles", what, answers, seed=asker.seed, unread=unread))

    for dress, each in told.items():
        add("year is right", [one for one in each if one.item.year], _year_right, 0.0)
        add("says it does not know the year", each, _year_open)
        tagged = [one for one in each if one.item.tags]
        add("overlap of kinds", tagged, lambda one: one.kinds, 0.0)
        if dress != MASKED:
            add("is taken to exist", each, lambda one: one.exists)
    gaps = [
        (real.item.id, _difference(real.exists, other.exists))
        for real, other in zip(told[REAL], told[INVENTED], strict=True)
    ]
    what = "is taken to exist"
    found.append(
        row("real less invented", what, gaps, seed=asker.seed, chance=0.0, unit="difference")
    )
    return found


def _by_years(asker: Asker, told: Sequence[Told], cutoff: int | None) -> list[ProbeRow]:
    heaps: dict[str, list[Told]] = {}
    for one in sorted(told, key=lambda one: one.item.year or 0):
        heaps.setdefault(bucket(one.item, cutoff), []).append(one)
    found = []
    for name, heap in heaps.items():
        years: list[Answer] = [(one.item.id, _year_right(one)) for one in heap if one.item.year]
        sure: list[Answer] = [(one.item.id, one.exists) for one in heap]
        if years:
            found.append(row(name, "year is right", years, seed=asker.seed, unread=0.0))
        found.append(row(name, "is taken to exist", sure, seed=asker.seed))
    return found


def _year_right(one: Told) -> float | None:
    return None if one.year is None else float(one.year == one.item.year)


def _year_open(one: Told) -> float | None:
    return None if one.year is None else float(one.year == 0)


def _difference(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first - second


async def _told(asker: Asker, town: Town, item: Item, dress: str) -> Told:
    tags = town.genesis.catalogue.tags
    holes = {
        **town.words,
        "title": dressed(item, dress, town.seed, town.genesis.domain.noun),
        "kinds": ", ".join(item.tags) or "kind unknown",
        "year": str(item.year or "year unknown"),
        "tags": ", ".join(tags),
    }
    salt = f"{dress}/{item.id}"
    year, kinds, exists = await together(
        (
            _year(asker, holes, salt),
            _kinds(asker, holes, salt, item.tags, tags),
            _exists(asker, holes, salt, dress),
        )
    )
    return Told(item, year, kinds, exists)


async def _year(asker: Asker, holes: dict[str, str], salt: str) -> float | None:
    schema = object_of(year=whole_of(0, 2100))
    messages = asker.prompt("probe_year", holes)
    found = await asker.read("year", messages, f"year/{salt}", schema)
    return whole(found.get("year"), 0, 2100) if isinstance(found, dict) else None


async def _kinds(
    asker: Asker, holes: dict[str, str], salt: str, own: Sequence[str], tags: Sequence[str]
) -> float | None:
    """Return the overlap of the kinds it names with the true ones."""
    listed = list_of(one_of(tags), most=6)
    messages = asker.prompt("probe_kinds", holes)
    found = await asker.read("kinds", messages, f"kinds/{salt}", object_of(kinds=listed))
    kinds = found.get("kinds") if isinstance(found, dict) else None
    if not isinstance(kinds, list):
        return None
    said, true = {str(kind).casefold() for kind in kinds}, {tag.casefold() for tag in own}
    return len(said & true) / max(len(said | true), 1)


async def _exists(asker: Asker, holes: dict[str, str], salt: str, dress: str) -> float | None:
    if dress == MASKED:
        return None
    messages = asker.prompt("probe_exists", holes)
    found = await asker.choose("exists", messages, f"exists/{salt}", ("yes", "no"))
    return found.share(0)


async def chosen_next(asker: Asker, town: Town) -> list[ProbeRow]:
    """Return how often the item is found that a person took up next, under each dress.

    The same people, items and order under all three: what is lost without the title is what the
    model knows of it.
    """
    people = [who for who in town.people if len(town.person(who).history) > 1]
    choices = await together(
        together([_next(asker, town, who, dress) for who in people]) for dress in DRESSES
    )
    found = []
    sure: dict[str, list[Answer]] = {}
    for dress, each in zip(DRESSES, choices, strict=True):
        hits = [(who, hit) for who, (hit, _) in zip(people, each, strict=True)]
        sure[dress] = [(who, share) for who, (_, share) in zip(people, each, strict=True)]
        what = f"next of {OTHERS + 1} found, {dress} titles"
        chance = 1 / (OTHERS + 1)
        found.append(row("choice", what, hits, seed=asker.seed, chance=chance, unread=0.0))
    for dress in (MASKED, INVENTED):
        pairs = zip(sure[REAL], sure[dress], strict=True)
        gaps = [(who, _difference(one, other)) for (who, one), (_, other) in pairs]
        what = f"share of the next: real less {dress} titles"
        found.append(row("choice", what, gaps, seed=asker.seed, chance=0.0, unit="difference"))
    return found


async def _next(
    asker: Asker, town: Town, who: int, dress: str
) -> tuple[float | None, float | None]:
    """Return whether the next item was chosen, and its share: a probability where offered."""
    history = town.person(who).history
    truth = history[-1].item
    noun = town.genesis.domain.noun

    def line(number: int) -> str:
        item = town.item(number)
        facts = "; ".join([*([str(item.year)] if item.year else []), ", ".join(item.tags)])
        return f"{dressed(item, dress, town.seed, noun)} ({facts})"

    before = [
        f"- {line(one.item)}" + (f", {one.stars} stars" if one.stars else "")
        for one in history[:-1]
        if one.item != truth
    ]
    items = [truth, *town.unknown(who, OTHERS, "next")]
    order = rng(town.seed, "probe", "next", "order", who).permutation(len(items)).tolist()
    options = "\n".join(
        f"{letter}) {line(items[n])}" for letter, n in zip(LETTERS, order, strict=False)
    )
    holes = {**town.words, "lines": "\n".join(before[-SHOWN:]), "options": options}
    messages = asker.prompt("probe_next", holes)
    found: Choice = await asker.choose(
        "choice", messages, f"next/{dress}/{who}", tuple(LETTERS[: len(items)])
    )
    hit = None if found.place is None else float(order[found.place] == 0)
    return hit, found.share(order.index(0))
