"""What people were shown and what they took up, row by row, with ids as the source data gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import convert, to_builtins

from audience.log import Log
from audience.world import Genesis, Item, Profile
from audience.world import changes as c
from audience.world import events as e

COLUMNS = (
    "person",
    "item",
    "round",
    "at",
    "exposure",
    "surface",
    "page",
    "position",
    "propensity",
    "outcome",
    "fraction",
    "stars",
    "reason",
)
"""`exposure` names the page that was shown; rows of one page share it. `outcome` is `shown`,
`picked` or `rated`: how far it went."""
_PROPENSITY, _OUTCOME, _FRACTION, _STARS, _REASON = (
    COLUMNS.index(name) for name in ("propensity", "outcome", "fraction", "stars", "reason")
)
TYPES: dict[str, type] = dict.fromkeys(COLUMNS, str)
TYPES |= dict.fromkeys(("round", "at", "page", "position", "stars"), int)
TYPES |= dict.fromkeys(("propensity", "fraction"), float)
Row = tuple[object, ...]


class Names:
    """People and items as they are at some point of a log, also those that came later."""

    def __init__(self, genesis: Genesis) -> None:
        self.people: list[Profile] = list(genesis.profiles)
        self.items: list[Item] = list(genesis.catalogue.items)
        self.person = [one.key or str(one.id) for one in self.people]
        self.item = [one.key or str(one.id) for one in self.items]

    def learn(self, chapter: e.Chapter) -> None:
        """Take in whom and what interventions add or change."""
        for entry in chapter.entries:
            match entry.event:
                case e.Intervened(c.AddPerson(profile)):
                    self.people.append(profile)
                    self.person.append(profile.key or str(profile.id))
                case e.Intervened(c.AddItem(item)):
                    self.items.append(item)
                    self.item.append(item.key or str(item.id))
                case e.Intervened(c.ChangeProfile(agent, fields)):
                    changed = to_builtins(self.people[agent]) | fields
                    self.people[agent] = convert(changed, Profile, strict=False)
                    self.person[agent] = self.people[agent].key or str(agent)


def interactions(log: Log, *, exposures: bool = False, names: Names | None = None) -> Iterator[Row]:
    """Yield one row per item taken up, in the order of the log and of the pages.

    With `exposures`, one per item shown: what nobody took has the outcome `shown`, fraction 0.
    """
    names = names or Names(log.genesis())
    for chapter in log.chapters():
        if chapter.phase == e.OPENING:
            names.learn(chapter)
        elif chapter.phase == e.VISITS:
            for row in _visit(chapter, names):
                if exposures or row[_OUTCOME] != "shown":
                    yield tuple(row)
        elif chapter.phase == e.CONVERSATIONS:
            yield from (tuple(row) for row in _evening(chapter, names))


def columns_of(rows: Iterable[Row]) -> dict[str, list[Any]]:
    """Return rows as columns by name; a propensity that is not known is None."""
    columns = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in COLUMNS]
    return dict(zip(COLUMNS, columns, strict=True))


def _visit(chapter: e.Chapter, names: Names) -> list[list[Any]]:
    person, at = names.person[chapter.agent], 0
    rows: list[list[Any]] = []
    slate: list[list[Any]] = []
    page: dict[int, list[Any]] = {}
    lived: dict[int, list[Any]] = {}
    for step, entry in enumerate(chapter.entries):
        match entry.event:
            case e.Woke(_, moment):
                at = moment
            case e.SlateShown(who, items, number, surface):
                about = (chapter.round, at, f"{chapter.round}.{who}.{step}", surface, number)
                slate = [
                    [person, names.item[item], *about, place, None, "shown", 0.0, 0, ""]
                    for place, item in enumerate(items)
                ]
                page = dict(zip(items, slate, strict=True))
                rows += slate
            case e.SlateAnnotated(_, propensities, reasons):
                _note(slate, _PROPENSITY, propensities)
                _note(slate, _REASON, reasons)
            case e.Picked(_, item):
                lived[item] = page[item]
                page[item][_OUTCOME] = "picked"
            case e.Watched(_, item, fraction):
                lived[item][_FRACTION] = fraction
            case e.Rated(_, item, stars):
                lived[item][_STARS] = stars
                lived[item][_OUTCOME] = "rated"
    return rows


def _evening(chapter: e.Chapter, names: Names) -> list[list[Any]]:
    """Return one row for each who lived an item together with others; nothing was on its page."""
    happened = next(
        (one.event for one in chapter.entries if isinstance(one.event, e.Gathered)), None
    )
    if happened is None:
        return []
    item, place = happened.item, happened.items.index(happened.item)
    slate = f"{chapter.round}.{chapter.agent}.together"
    about = (names.item[item], chapter.round, happened.at, slate, "together", 0, place, None)
    fractions: dict[int, float] = {}
    rows = []
    for entry in chapter.entries:
        match entry.event:
            case e.Watched(who, _, fraction):
                fractions[who] = fraction
            case e.Rated(who, _, stars):
                rows.append([names.person[who], *about, "rated", fractions[who], stars, ""])
    return rows


def _note(slate: list[list[Any]], column: int, values: tuple[object, ...]) -> None:
    for row, value in zip(slate, values, strict=False):
        row[column] = value
