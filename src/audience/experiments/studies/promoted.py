"""One item that people are told of from outside: who was reached, who looks for it and picks it."""

from __future__ import annotations

from typing import Any

from audience.experiments.findings import Label
from audience.experiments.scenario import Options
from audience.experiments.studies.study import Chart, Setting
from audience.metrics import Metric
from audience.metrics.formulas import NAN, ratio
from audience.world.events import (
    Delivered,
    Entered,
    Forwarded,
    Picked,
    Posted,
    Record,
    RoundEnded,
    Said,
    Searched,
)
from audience.world.items import Item
from audience.world.rng import rng
from audience.world.world import View

PLATFORM = -1
"""The author of what comes from outside."""
LABELS: dict[str, Label] = {
    "reached": ("People reached from outside", "share of people", ""),
    "item_picks": ("Picks of the item afterwards", "per 100 people", ""),
    "item_searches": ("Searches for the item afterwards", "per 100 people", ""),
    "item_reached_picks": ("Picks of the item by those reached", "per 100 of them", ""),
    "item_unreached_picks": ("Picks of the item by the others", "per 100 of them", ""),
    "item_talk": ("Lines and posts about the item afterwards", "per 100 people", ""),
    "social_visits": ("Visits to friends afterwards", "per 100 people and round", ""),
    "forwards_after": ("Forwards afterwards", "per 100 people", ""),
}


def item_of(setting: Setting) -> Item:
    """Return the item that people are told of: a good one, neither known to all nor to nobody."""
    genesis = setting.genesis
    lived = dict.fromkeys(range(len(genesis.catalogue)), 0)
    for one in genesis.past:
        lived[one.item] += 1
    good = sorted(lived, key=lambda item: (-genesis.catalogue[item].quality, item))
    some = good[: max(1, len(good) // 4)]
    middle = sorted(some, key=lambda item: (lived[item], item))[: max(1, len(some) * 3 // 4)]
    place = int(rng(setting.seed, "promoted").integers(0, len(middle)))
    return genesis.catalogue[middle[place]]


def metrics(setting: Setting) -> list[Metric]:
    """Return what follows the item from the round on in which people are told of it."""
    return [Promoted(item_of(setting), setting.change_round)]


def words(setting: Setting, do: str, text: str) -> Options:
    """Return what is told of the item, in the study's own words or in `text`: no item, no tone."""
    said = str(setting.options.get("text", text)).replace("{}", item_of(setting).title)
    return {"round": setting.change_round, "do": do, "text": said}


def about(setting: Setting, stance: float) -> Options:
    """Return which item words are about, and how they speak of it."""
    return {"items": [item_of(setting).id], "stance": setting.option("stance", stance)}


def followed(name: str, metric: str, title: str, caption: str = "Of each round alone.") -> Chart:
    """Return a chart of one number of the item, round by round."""
    return Chart(name, "rounds", (metric,), title, caption)


def by_round() -> tuple[Chart, ...]:
    """Return the charts of what is looked for and taken up."""
    picks, searches = (f"{one} the item, per 100 people" for one in ("Picks of", "Searches for"))
    alone = "Consumption of each round alone."
    return (
        followed("picks_by_round", "item_picks", picks, alone),
        followed("searches_by_round", "item_searches", searches),
    )


class Promoted:
    """Follows one item from a round on."""

    watches = (Delivered, Picked, Searched, Said, Posted, Forwarded, Entered, RoundEnded)

    def __init__(self, item: Item, begin: int) -> None:
        self._item, self._begin = item, begin
        self._reached: set[int] = set()
        self._pickers: list[int] = []
        self._now: dict[str, int] = {}
        self._all: dict[str, int] = {}
        self._people = 0
        self._rounds = 0

    def update(self, record: Record, world: View) -> None:
        event: Any = record.event
        if isinstance(event, RoundEnded):
            self._people = len(world.agents)
            self._rounds += record.round >= self._begin
            return
        if isinstance(event, Delivered) and event.author == PLATFORM:
            self._reached.update(event.to)
        for name in self._named(event):
            self._now[name] = self._now.get(name, 0) + 1
            if record.round >= self._begin:
                self._all[name] = self._all.get(name, 0) + 1
                if name == "picks":
                    self._pickers.append(event.agent)

    def _named(self, event: Any) -> list[str]:  # noqa: ANN401
        """Return what an event counts as."""
        match event:
            case Picked():
                return ["picks"] if event.item == self._item.id else []
            case Searched():
                return ["searches"] if event.query == self._item.title else []
            case Entered():
                return ["social"] if event.surface == "social" else []
            case Said() | Posted():
                return ["talk"] if self._item.id in event.items else []
            case Forwarded():
                return ["forwards", *(["talk"] if self._item.id in event.items else [])]
        return []

    def close(self) -> dict[str, float]:
        now, self._now = self._now, {}
        return {
            "item_picks": self._per_hundred(now.get("picks", 0)),
            "item_searches": self._per_hundred(now.get("searches", 0)),
            "item_talk": self._per_hundred(now.get("talk", 0)),
            "social_visits": self._per_hundred(now.get("social", 0)),
        }

    def _per_hundred(self, count: float) -> float:
        return ratio(100.0 * count, self._people)

    def value(self) -> dict[str, float]:
        count = self._all.get
        inside = sum(who in self._reached for who in self._pickers)
        outside = len(self._pickers) - inside
        found = {
            "reached": ratio(len(self._reached), self._people),
            "item_picks": self._per_hundred(count("picks", 0)),
            "item_searches": self._per_hundred(count("searches", 0)),
            "item_reached_picks": ratio(100.0 * inside, len(self._reached)),
            "item_unreached_picks": ratio(100.0 * outside, self._people - len(self._reached)),
            "item_talk": self._per_hundred(count("talk", 0)),
            "social_visits": ratio(self._per_hundred(count("social", 0)), self._rounds),
            "forwards_after": self._per_hundred(count("forwards", 0)),
        }
        return {name: found.get(name, NAN) for name in LABELS}
