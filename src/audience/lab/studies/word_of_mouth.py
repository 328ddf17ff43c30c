"""Word of mouth: after a talk, what do the listeners search for and consume?"""

from __future__ import annotations

from collections import Counter
from typing import Any

from audience.lab.studies.study import FIRST, Chart, Study, answer, comparing, judging, known
from audience.metrics import ratio
from audience.results import Label
from audience.world import Picked, Record, RoundEnded, Said, Searched, View, key

AFTER = 3
"""Rounds after a talk in which it may have an effect."""
LABELS: dict[str, Label] = {
    "told_pick": ("Picked within three rounds of a good word", "share of talks", ""),
    "untold_pick": ("Picked by a control who was not told", "share of talks", ""),
    "told_lift": ("Lift of a good word", "difference of shares", ""),
    "told_search": ("Searched for within three rounds of a good word", "share of talks", ""),
    "warned_pick": ("Picked within three rounds of a bad word", "share of talks", ""),
    "good_words": ("Good words about something new to the listener", "", ""),
}


class Talks:
    """Follows what is said of items that are new to the listener, and what comes of it.

    Every listener has a control by a named draw, who does not know the item either and was not
    told: what they pick is what would have been picked anyway.
    """

    watches = (Said, Picked, Searched, RoundEnded)

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._open: dict[tuple[int, int], tuple[int, str]] = {}
        """(person, item): the last round that counts, and the group it belongs to."""
        self._counts: Counter[str] = Counter()

    def update(self, record: Record, world: View) -> None:
        event: Any = record.event
        if isinstance(event, Said):
            for item in event.items:
                self._hear(event.to, item, event.stance, record.round, world)
        elif isinstance(event, Picked):
            talk = self._open.pop((event.agent, event.item), None)
            if talk and record.round <= talk[0]:
                self._counts[f"{talk[1]} picked"] += 1
        elif isinstance(event, Searched):
            self._search(event.agent, event.query, record.round, world)

    def _hear(self, who: int, item: int, stance: float, round_: int, world: View) -> None:
        me = world.agents[who]
        if stance == 0.0 or (who, item) in self._open or _lived(me, item):
            return
        kind = "told" if stance > 0.0 else "warned"
        self._counts[kind] += 1
        self._open[who, item] = (round_ + AFTER, kind)
        other = key(self._seed, "untold", who, item, round_) % len(world.agents)
        them = world.agents[other]
        knows = _lived(them, item) or any(news.item == item for news in them.heard)
        if kind == "told" and not knows and (other, item) not in self._open:
            self._counts["untold"] += 1
            self._open[other, item] = (round_ + AFTER, "untold")

    def _search(self, who: int, query: str, round_: int, world: View) -> None:
        for (person, item), (until, kind) in self._open.items():
            is_told = person == who and kind == "told" and round_ <= until
            if is_told and world.catalogue[item].title == query:
                self._counts["told searched"] += 1

    def value(self) -> dict[str, float]:
        count = self._counts
        told_share = ratio(count["told picked"], count["told"])
        untold = ratio(count["untold picked"], count["untold"])
        return {
            "told_pick": told_share,
            "untold_pick": untold,
            "told_lift": told_share - untold,
            "told_search": ratio(count["told searched"], count["told"]),
            "warned_pick": ratio(count["warned picked"], count["warned"]),
            "good_words": float(count["told"]),
        }


def _lived(me: Any, item: int) -> bool:  # noqa: ANN401
    return any(entry.item == item for entry in me.history)


STUDY = Study(
    "word-of-mouth",
    {**LABELS, **known("chats", "lines", "picks", "click_rate", "entropy_consumption")},
    (
        Chart(
            "told_and_untold",
            "bars",
            ("told_pick", "untold_pick", "warned_pick", "told_search"),
            "What comes of a word, share of talks",
            "Not told: a control by a named draw, who neither knew nor had heard of the item.",
            ("told:\npicks", "not told:\npicks", "warned:\npicks", "told:\nsearches"),
        ),
        Chart("lift", "levels", ("told_lift",), caption="Told less not told."),
    ),
    answer(
        judging(
            "told_lift",
            above="what was praised is picked more often by those who were told than by others",
            below="what was praised is picked less often by those who were told than by others",
            neither="no difference in picks between those told and others could be shown",
        ),
        comparing("told_lift", FIRST, "deaf"),
        comparing("picks", FIRST, "silent"),
    ),
    metrics=lambda setting: [Talks(setting.seed)],
)
