"""Advertisement and emergency: people are told of one item from outside; do they follow?"""

from __future__ import annotations

from collections import Counter
from typing import Any

from audience.lab.studies.study import FIRST, Chart, Setting, Study, answer, comparing, known
from audience.metrics import Metric, ratio
from audience.results import Label
from audience.scenario import Options
from audience.world import (
    Delivered,
    Entered,
    Forwarded,
    Item,
    Picked,
    Posted,
    Record,
    RoundEnded,
    Said,
    Searched,
    View,
    rng,
    taste_of,
    tastes,
)

PLATFORM = -1
"""The author of messages from outside."""
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
    for past in genesis.past:
        lived[past.item] += 1
    good = sorted(lived, key=lambda item: (-genesis.catalogue[item].quality, item))
    some = good[: max(1, len(good) // 4)]
    middle = sorted(some, key=lambda item: (lived[item], item))[: max(1, len(some) * 3 // 4)]
    place = int(rng(setting.seed, "promoted").integers(0, len(middle)))
    return genesis.catalogue[middle[place]]


def metrics(setting: Setting) -> list[Metric]:
    """Return what follows the item from the round of the message on."""
    return [Promoted(item_of(setting), setting.change_round)]


def words(setting: Setting, do: str, text: str) -> Options:
    """Return a message about the item, in the study's own words or in `text`; no item, no tone."""
    message = str(setting.options.get("text", text)).replace("{}", item_of(setting).title)
    return {"round": setting.change_round, "do": do, "text": message}


def about(setting: Setting, stance: float) -> Options:
    """Return which item a message is about, and its tone."""
    return {"items": [item_of(setting).id], "stance": setting.option("stance", stance)}


def followed(name: str, metric: str, title: str, caption: str = "Of each round alone.") -> Chart:
    """Return a chart of one number of the item, round by round."""
    return Chart(name, "rounds", (metric,), title, caption)


def by_round() -> tuple[Chart, ...]:
    """Return the charts of searches and picks."""
    picks, searches = (f"{verb} the item, per 100 people" for verb in ("Picks of", "Searches for"))
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
        self._now: Counter[str] = Counter()
        self._all: Counter[str] = Counter()
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
            self._now[name] += 1
            if record.round >= self._begin:
                self._all[name] += 1
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
        now, self._now = self._now, Counter()
        return {
            "item_picks": self._per_hundred(now["picks"]),
            "item_searches": self._per_hundred(now["searches"]),
            "item_talk": self._per_hundred(now["talk"]),
            "social_visits": self._per_hundred(now["social"]),
        }

    def _per_hundred(self, count: float) -> float:
        return ratio(100.0 * count, self._people)

    def value(self) -> dict[str, float]:
        count = self._all
        inside = sum(who in self._reached for who in self._pickers)
        outside = len(self._pickers) - inside
        return {
            "reached": ratio(len(self._reached), self._people),
            "item_picks": self._per_hundred(count["picks"]),
            "item_searches": self._per_hundred(count["searches"]),
            "item_reached_picks": ratio(100.0 * inside, len(self._reached)),
            "item_unreached_picks": ratio(100.0 * outside, self._people - len(self._reached)),
            "item_talk": self._per_hundred(count["talk"]),
            "social_visits": ratio(self._per_hundred(count["social"]), self._rounds),
            "forwards_after": self._per_hundred(count["forwards"]),
        }


TEXT = "Advertisement: have you seen <{}> yet?"
SHARE = 0.2


def changes(setting: Setting) -> list[Options]:
    """Return the advertisement of an arm, for those it addresses."""
    if setting.arm.startswith("silent"):
        return []
    item = item_of(setting)
    message = words(setting, "advertise", TEXT) | about(setting, 0.5)
    profiles = setting.genesis.profiles
    some = max(1, round(setting.option("share", SHARE) * len(profiles)))
    if setting.arm.startswith("targeted"):
        catalogue = setting.genesis.catalogue
        own = tastes([taste_of(profile, catalogue.tag_ids) for profile in profiles])
        match = (own * catalogue.weights[item.id]).sum(axis=1).round(9).tolist()
        order = sorted(range(len(profiles)), key=lambda who: (-match[who], who))
        message["agents"] = sorted(order[:some])
    elif setting.arm.startswith("anybody"):
        drawn = rng(setting.seed, "advertised").choice(len(profiles), some, False)
        message["agents"] = sorted(drawn.tolist())
    return [message]


ADVERTISEMENT = Study(
    "advertisement",
    {**LABELS, **known("satisfaction", "picks", "entropy_exposure", "entropy_consumption")},
    (
        *by_round(),
        Chart(
            "reached",
            "bars",
            ("item_reached_picks", "item_unreached_picks"),
            "Picks of the item, per 100 of them",
            "Those who were sent the advertisement, and all the others.",
            ("reached", "not reached"),
        ),
    ),
    answer(
        comparing("item_picks", FIRST, "everybody"),
        comparing("item_reached_picks", "anybody", "targeted"),
        comparing("item_unreached_picks", FIRST, "targeted"),
    ),
    metrics=metrics,
    changes=changes,
    options=("at", "text", "stance", "share"),
    rule_notes=(
        "Rule minds read no words and do not mind that it is an advertisement: they hear that "
        "somebody speaks well of an item, which weighs by their parameter `friends`.",
    ),
)


ALARM_TEXT = "Breaking news: everybody is talking about <{}> tonight."


def alarm_changes(setting: Setting) -> list[Options]:
    """Return the announcement of an arm: with the item, with words alone, or none."""
    if setting.arm.startswith("quiet"):
        return []
    message = words(setting, "announce", ALARM_TEXT)
    return [message if setting.arm.startswith("words") else message | about(setting, 0.8)]


EMERGENCY = Study(
    "emergency",
    {
        **{name: LABELS[name] for name in LABELS if "reached_" not in name},
        **known("satisfaction", "picks", "visits", "entropy_exposure", "entropy_consumption"),
    },
    (
        *by_round(),
        followed(
            "social_by_round",
            "social_visits",
            "Visits to friends, per 100 people",
            "Who woke and went to see friends, in each round alone.",
        ),
        followed("talk_by_round", "item_talk", "Lines and posts about the item, per 100 people"),
    ),
    answer(
        comparing("item_picks", FIRST, "announced"),
        comparing("item_searches", FIRST, "announced"),
        comparing("item_talk", FIRST, "announced"),
        comparing("item_picks", FIRST, "words alone"),
    ),
    metrics=metrics,
    changes=alarm_changes,
    options=("at", "text", "stance"),
    rule_notes=(
        "Rule minds read no words: of an announcement they take that there is news, which item it "
        "is about and how it speaks of it. Fear and doubt need minds that read.",
    ),
)
