"""Intervention: some people's interests change half-way; what changes with them?"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from audience.lab.studies.study import FIRST, Chart, Setting, Study, answer, comparing, known
from audience.metrics import ratio
from audience.results import Label
from audience.scenario import Options
from audience.world import Picked, Record, RoundEnded, Said, SlateShown, View, rng, taste_of, tastes

SHARE, NEW = 0.1, 2
"""The share of people who change, and how many interests they then have."""
ASKED = "What would you like to watch next, and why?"
LABELS: dict[str, Label] = {
    "new_picks": ("Picks of the changed in their new interests", "share of picks", ""),
    "new_pages": ("Items shown to the changed in their new interests", "share of items", ""),
    "new_words": ("Lines of the changed about their new interests", "share of lines", ""),
    "new_answers": ("The changed whose favourite genre is a new interest", "share", ""),
    "friends_picks": ("Picks of their friends in those interests", "share of picks", ""),
    "changed_lines": ("Lines said by the changed", "per person", ""),
    "changed_picks": ("Picks of the changed", "per person", ""),
}


def changed_people(setting: Setting) -> dict[int, tuple[str, ...]]:
    """Return who changes, by a named draw, and to what: the interests each liked least."""
    profiles, catalogue = setting.genesis.profiles, setting.genesis.catalogue
    count = max(1, round(setting.option("share", SHARE) * len(profiles)))
    chosen = sorted(rng(setting.seed, "changed").choice(len(profiles), count, False).tolist())
    own = tastes([taste_of(profiles[who], catalogue.tag_ids) for who in chosen])
    common = catalogue.weights.sum(axis=0)
    seen = np.flatnonzero(common >= np.median(common))
    people = {}
    for row, who in enumerate(chosen):
        least = sorted(seen.tolist(), key=lambda tag: (round(own[row, tag], 9), tag))[:NEW]
        people[who] = tuple(catalogue.tags[tag] for tag in least)
    return people


def changes(setting: Setting) -> list[Options]:
    """Return the changed profiles of an arm; the placebo changes something irrelevant."""
    added: list[Options] = []
    for who, interests in changed_people(setting).items():
        change: Options = {"round": setting.change_round, "do": "change_profile", "agent": who}
        if setting.arm == "changed":
            added.append({**change, "interests": list(interests)})
        elif setting.arm == "placebo":
            added.append({**change, "career": "gardener"})
    return added


class Changed:
    """Follows those who change, in every arm, from the round of the change on."""

    watches = (Picked, SlateShown, Said, RoundEnded)

    def __init__(self, people: dict[int, tuple[str, ...]], begin: int) -> None:
        self._people, self._begin = people, begin
        self._friends: dict[int, set[int]] = {}
        self._counts: dict[str, float] = defaultdict(float)
        self._now: dict[str, float] = defaultdict(float)
        self._answers = 0.0
        self._wanted: dict[int, set[int]] = {}

    def update(self, record: Record, world: View) -> None:
        event: Any = record.event
        if not self._wanted:
            self._begin_with(world)
        if isinstance(event, RoundEnded):
            self._answers = self._answered(world)
        elif isinstance(event, SlateShown):
            if event.surface == "recommender":
                self._take(record.round, "pages", event.agent, event.items, world)
        elif isinstance(event, Picked):
            self._take(record.round, "picks", event.agent, (event.item,), world)
            for who in self._friends.get(event.agent, ()):
                hit = self._hits(who, event.item, world)
                self._count(record.round, "friends", hit)
        elif isinstance(event, Said):
            self._count_lines(record.round, event, world)

    def _begin_with(self, world: View) -> None:
        tags = world.catalogue.tag_ids
        self._wanted = {who: {tags[name] for name in new} for who, new in self._people.items()}
        for who in self._people:
            for friend in world.graph.followers(who):
                if friend not in self._people:
                    self._friends.setdefault(friend, set()).add(who)

    def _hits(self, who: int, item: int, world: View) -> float:
        tags = world.catalogue.tags_of[item]
        return len(self._wanted[who] & set(tags)) / len(tags) if tags else 0.0

    def _take(self, round_: int, what: str, who: int, items: tuple[int, ...], world: View) -> None:
        if who in self._people:
            for item in items:
                self._count(round_, what, self._hits(who, item, world))

    def _count_lines(self, round_: int, event: Any, world: View) -> None:  # noqa: ANN401
        if event.agent in self._people:
            self._count(round_, "lines", 0.0)
            for item in event.items:
                self._count(round_, "words", self._hits(event.agent, item, world))

    def _count(self, round_: int, what: str, hit: float) -> None:
        for counts, counted in ((self._now, True), (self._counts, round_ >= self._begin)):
            if counted:
                counts[what] += 1.0
                counts[f"new {what}"] += hit

    def _answered(self, world: View) -> float:
        own = tastes([world.agents[who].taste for who in self._people])
        first = np.argmax(own, axis=1).tolist()
        pairs = zip(self._people, first, strict=True)
        return sum(tag in self._wanted[who] for who, tag in pairs) / len(first)

    def close(self) -> dict[str, float]:
        now, self._now = self._now, defaultdict(float)
        return {
            "new_picks": ratio(now["new picks"], now["picks"]),
            "new_pages": ratio(now["new pages"], now["pages"]),
            "new_answers": self._answers,
        }

    def value(self) -> dict[str, float]:
        count = self._counts
        return {
            "new_picks": ratio(count["new picks"], count["picks"]),
            "new_pages": ratio(count["new pages"], count["pages"]),
            "new_words": ratio(count["new words"], count["words"]),
            "new_answers": self._answers,
            "friends_picks": ratio(count["new friends"], count["friends"]),
            "changed_lines": count["lines"] / len(self._people),
            "changed_picks": count["picks"] / len(self._people),
        }


STUDY = Study(
    "intervention",
    {**LABELS, **known("satisfaction", "picks", "lines")},
    (
        Chart(
            "picks_by_round",
            "rounds",
            ("new_picks",),
            "Picks of the changed in their new interests",
            "Consumption, share of each round's picks; before the branch all arms are one run.",
        ),
        Chart(
            "pages_by_round",
            "rounds",
            ("new_pages",),
            "Shown to the changed in their new interests",
            "Exposure: how the recommender follows.",
        ),
        Chart(
            "answers_by_round",
            "rounds",
            ("new_answers",),
            "The changed whose favourite genre is a new interest",
            "Latent interest.",
        ),
        Chart(
            "words",
            "bars",
            ("new_picks", "new_words", "friends_picks"),
            "Share in the new interests, after the change",
            "An item counts by the share of its genres.",
            ("picks", "lines said", "friends' picks"),
        ),
    ),
    answer(
        comparing("new_picks", FIRST, "changed"),
        comparing("new_words", FIRST, "changed"),
        comparing("new_pages", FIRST, "changed"),
        comparing("friends_picks", FIRST, "changed"),
        comparing("new_picks", FIRST, "placebo"),
    ),
    metrics=lambda setting: [Changed(changed_people(setting), setting.change_round)],
    changes=changes,
    options=("at", "share"),
    notes=(
        "All arms are one run up to the change, and branch there: the same bytes before it.",
        "What a person consumed is not shown to them again: to pick more of a genre leaves less of "
        "it to be shown, which works against a recommender that follows.",
    ),
    rule_notes=(
        "Rule minds answer no questions in words: their answer is the genre that their taste "
        "ranks first. With minds that speak some people of each branch are interviewed.",
    ),
    branches=True,
    asks=ASKED,
)
