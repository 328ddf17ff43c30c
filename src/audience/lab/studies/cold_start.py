"""Cold start: how soon do new items reach people, and how well are new people served?"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from audience.lab.studies.study import (
    FIRST,
    Chart,
    Setting,
    Study,
    answer,
    comparing,
    judging,
    known,
)
from audience.metrics import ratio
from audience.results import Label
from audience.scenario import Options
from audience.world import Picked, Record, RoundEnded, SlateShown, View, Watched, rng

ITEMS, PEOPLE = 20, 0.1
"""How many new items there are, and the number of newcomers as a share of all."""
KNOWN = ((0, 3), (4, 9), (10, 19), (20, 10**9))
"""Groups by how many items a person has consumed when they see a page."""
LABELS: dict[str, Label] = {
    "new_shown": ("Exposure of new items against their fair share", "times", "higher"),
    "new_picked": ("Picks of new items against their fair share", "times", "higher"),
    "new_reached": ("New items shown at least once", "share", "higher"),
    "newcomer_clicks": ("Pages of newcomers with a pick", "share", "higher"),
    "old_clicks": ("Pages of the others with a pick, same rounds", "share", "higher"),
    "newcomer_gap": (
        "Newcomers' pages with a pick, less the others'",
        "difference of shares",
        "higher",
    ),
    **{
        f"clicks_{low}": (
            f"Pages with a pick, {f'{low} to {high}' if high < 100 else f'{low} or more'} consumed",
            "share",
            "higher",
        )
        for low, high in KNOWN
    },
}


def changes(setting: Setting) -> list[Options]:
    """Return newcomers and new items: like existing ones, by a named draw."""
    genesis = setting.genesis
    draw = rng(setting.seed, "cold-start")
    catalogue, profiles = genesis.catalogue, genesis.profiles
    items = int(setting.option("new_items", ITEMS))
    people = max(1, round(setting.option("new_people", PEOPLE) * len(profiles)))
    when = setting.change_round
    added: list[Options] = []
    for number, like in enumerate(draw.choice(len(catalogue), min(items, len(catalogue)), False)):
        item = catalogue[int(like)]
        fields = {"tags": list(item.tags), "minutes": item.minutes, "quality": item.quality}
        title = f"New {genesis.domain.noun} {number + 1}"
        added.append({"round": when, "do": "add_item", "title": title, **fields})
    for number, like in enumerate(draw.choice(len(profiles), min(people, len(profiles)), False)):
        who = profiles[int(like)]
        habits = {name: getattr(who.habits, name) for name in who.habits.__struct_fields__}
        fields = {"interests": list(who.interests), "habits": habits, "activity": 2.0}
        name = f"Newcomer {number + 1}"
        added.append({"round": when, "do": "add_person", "name": name, **fields})
    return added


class ColdStart:
    """Follows pages of the recommender, by how new item and reader are."""

    watches = (SlateShown, Picked, Watched, RoundEnded)

    def __init__(self) -> None:
        self._counts: dict[str, float] = defaultdict(float)
        self._reached: set[int] = set()
        self._known: Counter[int] | None = None
        self._page: tuple[int, str, bool] | None = None
        self._picked = False
        self._new = 0
        self._past = (0.0, 0.0)

    def update(self, record: Record, world: View) -> None:
        event: Any = record.event
        if self._known is None:
            self._known = Counter(past.agent for past in world.genesis.past)
        if isinstance(event, RoundEnded):
            self._end_page()
        elif isinstance(event, Watched):
            self._known[event.agent] += 1
        elif isinstance(event, SlateShown):
            self._end_page()
            if event.surface == "recommender":
                self._see(event, world)
        elif isinstance(event, Picked):
            self._pick(event, world)

    def _see(self, event: Any, world: View) -> None:  # noqa: ANN401
        first = len(world.genesis.catalogue)
        self._new = len(world.catalogue) - first
        if self._new:
            new = [item for item in event.items if item >= first]
            self._counts["new shown"] += len(new)
            self._counts["shown"] += len(event.items)
            self._counts["fair shown"] += len(event.items) * self._new / len(world.catalogue)
            self._reached.update(new)
        known = self._known[event.agent] if self._known else 0
        group = next(low for low, high in KNOWN if low <= known <= high)
        is_new = event.agent >= len(world.genesis.profiles)
        self._page = (group, "new" if is_new else "old", bool(self._new))
        self._picked = False

    def _pick(self, event: Any, world: View) -> None:  # noqa: ANN401
        self._picked = self._page is not None
        if self._new:
            self._counts["new picked"] += float(event.item >= len(world.genesis.catalogue))
            self._counts["fair picked"] += self._new / len(world.catalogue)

    def _end_page(self) -> None:
        if self._page is not None:
            group, who, is_late = self._page
            for name in (f"clicks_{group}", *([f"{who} clicks"] if is_late else [])):
                self._counts[f"{name} pages"] += 1.0
                self._counts[name] += float(self._picked)
        self._page = None

    def close(self) -> dict[str, float]:
        count = self._counts
        now = (count["new shown"], count["fair shown"])
        share = ratio(now[0] - self._past[0], now[1] - self._past[1])
        self._past = now
        return {"new_shown": share}

    def value(self) -> dict[str, float]:
        count = self._counts
        values = {
            "new_shown": ratio(count["new shown"], count["fair shown"]),
            "new_picked": ratio(count["new picked"], count["fair picked"]),
            "new_reached": ratio(len(self._reached), self._new),
            "newcomer_clicks": ratio(count["new clicks"], count["new clicks pages"]),
            "old_clicks": ratio(count["old clicks"], count["old clicks pages"]),
        }
        values["newcomer_gap"] = values["newcomer_clicks"] - values["old_clicks"]
        for low, _ in KNOWN:
            name = f"clicks_{low}"
            values[name] = ratio(count[name], count[f"{name} pages"])
        return values


STUDY = Study(
    "cold-start",
    {**LABELS, **known("coverage_exposure", "click_rate", "satisfaction", "picks")},
    (
        Chart(
            "new_items",
            "bars",
            ("new_shown", "new_picked"),
            "New items against their fair share, times",
            "1: as often as an item has its turn when all are equal.",
            ("shown", "picked"),
        ),
        Chart(
            "new_by_round",
            "rounds",
            ("new_shown",),
            "New items on pages, against their fair share",
            "Exposure of each round alone.",
        ),
        Chart(
            "by_known",
            "bars",
            tuple(f"clicks_{low}" for low, _ in KNOWN),
            "Pages with a pick, by what is known",
            "Quality by the number of items that the reader has consumed.",
            ("0 to 3", "4 to 9", "10 to 19", "20 or more"),
        ),
        Chart("newcomers", "levels", ("newcomer_gap",), caption="Same rounds, same pages."),
    ),
    answer(
        comparing("new_shown", "random", FIRST),
        comparing("new_shown", FIRST, "content"),
        judging(
            "newcomer_gap",
            above="newcomers are served better than the others",
            below="newcomers are served worse than the others",
            neither="no difference between newcomers and the others could be shown",
        ),
    ),
    metrics=lambda setting: [ColdStart()],
    changes=changes,
    options=("at", "new_items", "new_people"),
)
