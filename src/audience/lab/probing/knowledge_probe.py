"""Knowledge probe: what a model knows of items by heart, by title, and by year."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import msgspec
import numpy as np

from audience.agents.language import interview
from audience.errors import BadInput
from audience.lab.probing.questions import Asker, whole
from audience.lab.probing.result import Answer, ProbeRow, ProbeTable, difference, row
from audience.lab.probing.town import DRESSES, INVENTED, MASKED, REAL, SPEECH, Town, dressed, listed
from audience.llm import TEXT, Unreadable, list_of, object_of, one_of, together
from audience.memory import NoMemory
from audience.world import Item, keys, mentioned, rng, same

EDGES = (1970, 1990, 2000, 2010, 2020)
"""The years in which a new period begins."""


def bucket(item: Item, cutoff: int | None = None) -> str:
    """Return the period of an item; items after the cutoff have their own."""
    if item.year is None:
        return "no year"
    if cutoff is not None and item.year > cutoff:
        return f"after {cutoff}"
    edges = [edge for edge in EDGES if cutoff is None or edge <= cutoff]
    start = max((edge for edge in edges if edge <= item.year), default=None)
    if start is None:
        return f"before {EDGES[0]}"
    end = min((edge for edge in edges if edge > item.year), default=None)
    last = end - 1 if end is not None else cutoff
    return f"{start} to {last}" if last is not None else f"since {start}"


def drawn(town: Town, count: int, cutoff: int | None) -> list[Item]:
    """Return items by a named draw, taken in turn from each period."""
    if count < 1:
        raise BadInput(f"--items {count}: give at least 1")
    everything = town.genesis.catalogue.items
    order = keys(town.seed, "probe", "items", np.arange(len(everything))).argsort(kind="stable")
    heaps: dict[str, list[Item]] = {}
    for place in order.tolist():
        heaps.setdefault(bucket(everything[place], cutoff), []).append(everything[place])
    items: list[Item] = []
    depth = 0
    while len(items) < min(count, len(everything)):
        items += [heap[depth] for heap in heaps.values() if depth < len(heap)]
        depth += 1
    return sorted(items[:count], key=lambda item: item.id)


OTHERS = 5
"""Items that a person did not consume next, beside the one they did."""
SHOWN = 15
"""Items of a history that are shown."""
LETTERS = "ABCDEFGHIJ"


class TitleKnowledge(msgspec.Struct, frozen=True):
    """What a model says of one item under one disguise; None if it could not be read."""

    item: Item
    year: float | None
    """0 if it says that it does not know."""
    kinds: float | None
    """The overlap with the true kinds, 0 to 1."""
    exists: float | None
    """How sure it is that such a title exists, 0 to 1."""


async def recognised(
    asker: Asker, town: Town, items: Sequence[Item], cutoff: int | None
) -> list[ProbeRow]:
    """Return what is known of titles, overall and by period."""
    answers = await together(
        together([_knowledge_of(asker, town, item, dress) for item in items]) for dress in DRESSES
    )
    known = dict(zip(DRESSES, answers, strict=True))
    return [*_by_dress(asker, known), *_by_years(asker, known[REAL], cutoff)]


def _by_dress(asker: Asker, known: dict[str, list[TitleKnowledge]]) -> list[ProbeRow]:
    rows: list[ProbeRow] = []

    def add(
        what: str,
        titles: Sequence[TitleKnowledge],
        value: Callable[[TitleKnowledge], float | None],
        unread: float | None = None,
    ) -> None:
        answers = [(title.item.id, value(title)) for title in titles]
        rows.append(row(f"{dress} titles", what, answers, seed=asker.seed, unread=unread))

    for dress, each in known.items():
        add("year is right", [title for title in each if title.item.year], _year_right, 0.0)
        add("says it does not know the year", each, _year_open)
        tagged = [title for title in each if title.item.tags]
        add("overlap of kinds", tagged, lambda title: title.kinds, 0.0)
        if dress != MASKED:
            add("is taken to exist", each, lambda title: title.exists)
    gaps = [
        (real.item.id, difference(real.exists, other.exists))
        for real, other in zip(known[REAL], known[INVENTED], strict=True)
    ]
    what = "is taken to exist"
    rows.append(
        row("real less invented", what, gaps, seed=asker.seed, chance=0.0, unit="difference")
    )
    return rows


def _by_years(asker: Asker, known: Sequence[TitleKnowledge], cutoff: int | None) -> list[ProbeRow]:
    heaps: dict[str, list[TitleKnowledge]] = {}
    for title in sorted(known, key=lambda title: title.item.year or 0):
        heaps.setdefault(bucket(title.item, cutoff), []).append(title)
    rows = []
    for name, heap in heaps.items():
        years: list[Answer] = [
            (title.item.id, _year_right(title)) for title in heap if title.item.year
        ]
        sure: list[Answer] = [(title.item.id, title.exists) for title in heap]
        if years:
            rows.append(row(name, "year is right", years, seed=asker.seed, unread=0.0))
        rows.append(row(name, "is taken to exist", sure, seed=asker.seed))
    return rows


def _year_right(title: TitleKnowledge) -> float | None:
    return None if title.year is None else float(title.year == title.item.year)


def _year_open(title: TitleKnowledge) -> float | None:
    return None if title.year is None else float(title.year == 0)


async def _knowledge_of(asker: Asker, town: Town, item: Item, dress: str) -> TitleKnowledge:
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
    return TitleKnowledge(item, year, kinds, exists)


async def _year(asker: Asker, holes: dict[str, str], salt: str) -> float | None:
    schema = object_of(year={"type": "integer"})
    messages = asker.prompt("probe_year", holes)
    reply = await asker.read("year", messages, f"year/{salt}", schema)
    return whole(reply.get("year"), 0, 2100) if isinstance(reply, dict) else None


async def _kinds(
    asker: Asker, holes: dict[str, str], salt: str, own: Sequence[str], tags: Sequence[str]
) -> float | None:
    """Return the overlap of the kinds it names with the true ones."""
    listed = list_of(one_of(tags), most=6)
    messages = asker.prompt("probe_kinds", holes)
    reply = await asker.read("kinds", messages, f"kinds/{salt}", object_of(kinds=listed))
    kinds = reply.get("kinds") if isinstance(reply, dict) else None
    if not isinstance(kinds, list):
        return None
    named, true = {str(kind).casefold() for kind in kinds}, {tag.casefold() for tag in own}
    return len(named & true) / max(len(named | true), 1)


async def _exists(asker: Asker, holes: dict[str, str], salt: str, dress: str) -> float | None:
    if dress == MASKED:
        return None
    messages = asker.prompt("probe_exists", holes)
    choice = await asker.choose("exists", messages, f"exists/{salt}", ("yes", "no"))
    return choice.share(0)


async def chosen_next(asker: Asker, town: Town) -> list[ProbeRow]:
    """Return how often the item a person consumed next is chosen, under each disguise.

    People, items and order are the same under all three: what is lost without the title is what
    the model knows of it.
    """
    people = [who for who in town.people if len(town.person(who).history) > 1]
    choices = await together(
        together([_next(asker, town, who, dress) for who in people]) for dress in DRESSES
    )
    rows = []
    sure: dict[str, list[Answer]] = {}
    for dress, each in zip(DRESSES, choices, strict=True):
        hits = [(who, hit) for who, (hit, _) in zip(people, each, strict=True)]
        sure[dress] = [(who, share) for who, (_, share) in zip(people, each, strict=True)]
        what = f"next of {OTHERS + 1} found, {dress} titles"
        chance = 1 / (OTHERS + 1)
        rows.append(row("choice", what, hits, seed=asker.seed, chance=chance, unread=0.0))
    for dress in (MASKED, INVENTED):
        pairs = zip(sure[REAL], sure[dress], strict=True)
        gaps = [(who, difference(real, disguised)) for (who, real), (_, disguised) in pairs]
        what = f"share of the next: real less {dress} titles"
        rows.append(row("choice", what, gaps, seed=asker.seed, chance=0.0, unit="difference"))
    return rows


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
        f"- {line(lived.item)}" + (f", {lived.stars} stars" if lived.stars else "")
        for lived in history[:-1]
        if lived.item != truth
    ]
    items = [truth, *town.unknown(who, OTHERS, "next")]
    order = rng(town.seed, "probe", "next", "order", who).permutation(len(items)).tolist()
    options = "\n".join(
        f"{letter}) {line(items[n])}" for letter, n in zip(LETTERS, order, strict=False)
    )
    holes = {**town.words, "lines": "\n".join(before[-SHOWN:]), "options": options}
    messages = asker.prompt("probe_next", holes)
    choice = await asker.choose(
        "choice", messages, f"next/{dress}/{who}", tuple(LETTERS[: len(items)])
    )
    hit = None if choice.place is None else float(order[choice.place] == 0)
    return hit, choice.share(order.index(0))


PART = "free speech"
HEARD = 3
"""Items that everybody was told of."""


class FreeAnswer(msgspec.Struct, frozen=True):
    """One free answer, counted by the titles in it."""

    who: int
    known: int = 0
    """Titles of items the person consumed or heard of."""
    foreign: int = 0
    """Titles of the catalogue that the person cannot know."""
    invented: int = 0
    """Titles that are in no catalogue."""
    unreadable: bool = False

    @property
    def titles(self) -> int:
        return self.known + self.foreign + self.invented


async def spoken_of(asker: Asker, town: Town) -> list[ProbeRow]:
    """Return how many of the titles that people mention they cannot know."""
    speeches = await together(
        _spoken(asker, town, who, number) for who in town.people for number in range(len(SPEECH))
    )
    return rows_of(speeches, asker.seed)


def rows_of(speeches: Sequence[FreeAnswer], seed: int) -> list[ProbeRow]:
    """Return the rows; shares are over titles, and intervals over people."""
    lost = sum(speech.unreadable for speech in speeches)
    some: list[Answer] = [
        (speech.who, None if speech.unreadable else float(speech.titles > 0)) for speech in speeches
    ]

    def share(what: str, count: str) -> ProbeRow:
        answers: list[Answer] = []
        for speech in speeches:
            bad = sum(getattr(speech, name) for name in count.split())
            answers += [(speech.who, 1.0)] * bad + [(speech.who, 0.0)] * (speech.titles - bad)
        return msgspec.structs.replace(row(PART, what, answers, seed=seed), unreadable=lost)

    return [
        row(PART, "answers that mention a title", some, seed=seed),
        share("titles they cannot know, of those mentioned", "foreign invented"),
        share("… of the catalogue, but never met", "foreign"),
        share("… in no catalogue", "invented"),
    ]


async def _spoken(asker: Asker, town: Town, who: int, number: int) -> FreeAnswer:
    me = town.having_heard(who, HEARD)
    answer = await interview(
        asker,
        NoMemory(),
        town.at(me, number),
        SPEECH[number].format(**town.words),
        pack=asker.pack,
        model=asker.model,
        salt=f"{asker.seed}/speech/{who}/{number}",
    )
    if answer.failure:
        return FreeAnswer(who, unreadable=True)
    items = [entry.item for entry in me.history] + [entry.item for entry in me.heard]
    met = {same(town.item(item).title) for item in items}
    catalogue = {same(item.title) for item in town.genesis.catalogue.items}
    kinds = [
        "known" if title in met else "foreign" if title in catalogue else "invented"
        for title in map(same, mentioned(answer.text))
    ]
    return FreeAnswer(who, kinds.count("known"), kinds.count("foreign"), kinds.count("invented"))


HEART_PART = "by heart"
BEFORE = 4
"""Lines that are shown before the one asked for."""


def has_numbers(town: Town) -> bool:
    """Return True if the items have the ids of a published file."""
    items = town.genesis.catalogue.items
    return all(item.key.isdecimal() for item in items) and town.name.startswith("MovieLens")


async def by_heart(asker: Asker, town: Town, items: Sequence[Item]) -> list[ProbeRow]:
    """Return how often the title of an id, and the next line of the file, are known."""
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


def _row(asker: Asker, what: str, items: Sequence[Item], titles: Sequence[str | None]) -> ProbeRow:
    """Return how often the title is right; chance: how often it is that of another item."""
    hits = [
        (item.id, None if title is None else float(same(title) == same(item.title)))
        for item, title in zip(items, titles, strict=True)
    ]
    others = [*items[1:], *items[:1]]
    guessed = [
        float(title is not None and same(title) == same(other.title))
        for other, title in zip(others, titles, strict=True)
    ]
    chance = sum(guessed) / len(guessed) if guessed else None
    return row(HEART_PART, what, hits, seed=asker.seed, chance=chance, unread=0.0)


async def _title_of(asker: Asker, town: Town, item: Item) -> str | None:
    holes = {**town.words, "dataset": town.name, "key": item.key}
    reply = await asker.read(
        "by heart",
        asker.prompt("probe_id", holes),
        f"number/{item.key}",
        object_of(title=TEXT),
    )
    return _text(reply, "title")


async def _line_after(asker: Asker, town: Town, before: Sequence[Item]) -> str | None:
    lines = "\n".join(listed(item) for item in before)
    holes = {**town.words, "dataset": town.name, "lines": lines}
    reply = await asker.read(
        "by heart",
        asker.prompt("probe_line", holes),
        f"line/{before[-1].key}",
        object_of(line=TEXT),
    )
    line = _text(reply, "line")
    if line is None:
        return None
    parts = line.split("::")
    return parts[1] if len(parts) > 1 else line


def _text(reply: object, name: str) -> str | None:
    if isinstance(reply, Unreadable) or not isinstance(reply, dict):
        return None
    value = reply.get(name)
    return value if isinstance(value, str) else None


async def knowledge(
    asker: Asker, town: Town, *, items: int, cutoff: int | None = None
) -> ProbeTable:
    """Return what a model knows of some items, evenly from each period."""
    chosen = drawn(town, items, cutoff)
    parts: list[Awaitable[Sequence[ProbeRow]]] = []
    notes = [
        f"{len(chosen)} items, evenly from each period as far as possible. Where an answer can be "
        "right, an unreadable one counts as wrong; elsewhere it is left out. Asked at temperature "
        "0, except for free speech.",
    ]
    if has_numbers(town):
        parts.append(by_heart(asker, town, chosen))
    else:
        notes.append(
            "by heart: not asked, since the items have no published ids; give --data a "
            "MovieLens folder"
        )
    parts.append(recognised(asker, town, chosen, cutoff))
    parts.append(chosen_next(asker, town))
    parts.append(spoken_of(asker, town))
    rows = [row for part in await together(parts) for row in part]
    return ProbeTable(tuple(rows), tuple(notes))
