"""Popularity bias: are people shown, and do they consume, more popular things than before?"""

from __future__ import annotations

from typing import Any

import numpy as np

from audience.lab.studies.study import FIRST, Chart, Study, answer, comparing, judging, known
from audience.metrics import NAN, gini
from audience.results import Label
from audience.world import Floats, Record, RoundEnded, SlateShown, View, Watched, tastes

HEAD = 0.2
"""The most popular fifth of all items is the head; the rest is the tail."""
LABELS: dict[str, Label] = {
    "gap_shown": ("Change in mean popularity of what is shown", "relative to the past", ""),
    "gap_picked": ("Change in mean popularity of what is consumed", "relative to the past", ""),
    "gini_shown": ("Gini of exposure", "0 to 1", "lower"),
    "tail_shown": ("Share of the tail in exposure", "share", "higher"),
    "tail_picked": ("Share of the tail in consumption", "share", "higher"),
    "tail_liked": ("Share of the tail in what tastes like best", "share", ""),
}


class PopularityMeasure:
    """Follows the popularity of what people are shown and consume.

    An item's popularity is the share of people who knew it before the first round. GAP is the
    mean over people of the mean popularity of their items (Abdollahpouri and others, 2019);
    gap_shown and gap_picked are (GAP now - GAP of the past) / GAP of the past.
    """

    watches = (SlateShown, Watched, RoundEnded)

    def __init__(self) -> None:
        self._shown: list[tuple[int, int]] = []
        self._picked: list[tuple[int, int]] = []
        self._round = (0, 0)
        self._world: View | None = None

    def update(self, record: Record, world: View) -> None:
        event: Any = record.event
        self._world = world
        if isinstance(event, SlateShown):
            if event.surface == "recommender":
                self._shown += [(event.agent, item) for item in event.items]
        elif isinstance(event, Watched):
            self._picked.append((event.agent, event.item))

    def close(self) -> dict[str, float]:
        shown, picked = self._round
        values = self._values(self._shown[shown:], self._picked[picked:])
        self._round = (len(self._shown), len(self._picked))
        return {name: values[name] for name in ("gap_shown", "gap_picked", "tail_shown")}

    def value(self) -> dict[str, float]:
        return self._values(self._shown, self._picked)

    def _values(
        self, shown: list[tuple[int, int]], picked: list[tuple[int, int]]
    ) -> dict[str, float]:
        values = dict.fromkeys(LABELS, NAN)
        if self._world is None or not self._world.genesis.past:
            return values
        genesis = self._world.genesis
        items = len(self._world.catalogue)
        past = [(entry.agent, entry.item) for entry in genesis.past]
        popular = np.bincount([item for _, item in past], minlength=items) / len(genesis.profiles)
        is_tail = _tail(popular)
        before = _gap(past, popular)
        values["gap_shown"] = _gap(shown, popular) / before - 1.0
        values["gap_picked"] = _gap(picked, popular) / before - 1.0
        counts = np.bincount([item for _, item in shown], minlength=items).astype(np.float64)
        values["gini_shown"] = gini(counts)
        values["tail_shown"] = _share(shown, is_tail)
        values["tail_picked"] = _share(picked, is_tail)
        values["tail_liked"] = self._liked(is_tail)
        return values

    def _liked(self, is_tail: Floats) -> float:
        """Return the tail's share of the five items that each taste likes best."""
        assert self._world is not None
        world = self._world
        match = tastes([me.taste for me in world.agents]) @ world.catalogue.weights.T
        best = np.argsort(-np.round(match, 9), axis=1, kind="stable")[:, :5]
        return float(is_tail[best].mean())


def _tail(popular: Floats) -> Floats:
    order = np.argsort(-popular, kind="stable")
    is_tail = np.ones(len(popular))
    is_tail[order[: max(1, round(HEAD * len(popular)))]] = 0.0
    return is_tail


def _gap(rows: list[tuple[int, int]], popular: Floats) -> float:
    if not rows:
        return NAN
    who, what = np.array(rows, np.int64).T
    counts = np.bincount(who)
    sums = np.bincount(who, popular[what])
    return float((sums[counts > 0] / counts[counts > 0]).mean())


def _share(rows: list[tuple[int, int]], is_tail: Floats) -> float:
    return float(is_tail[[item for _, item in rows]].mean()) if rows else NAN


STUDY = Study(
    "popularity",
    {
        **LABELS,
        **known("gini", "coverage_exposure", "coverage_consumption", "click_rate", "satisfaction"),
    },
    (
        Chart(
            "gap",
            "bars",
            ("gap_shown", "gap_picked"),
            "Change in mean popularity, share of the past's",
            "0: as popular as what people had consumed before; 1: twice as popular.",
            ("shown", "consumed"),
        ),
        Chart(
            "gap_by_round",
            "rounds",
            ("gap_shown",),
            "Popularity of what is shown, against the past",
            "Exposure of each round alone.",
        ),
        Chart(
            "tail",
            "bars",
            ("tail_shown", "tail_picked", "tail_liked"),
            "Share of the tail",
            "All but the most popular fifth of the catalogue.",
            ("shown", "consumed", "liked best\nby tastes"),
        ),
        Chart(
            "concentration",
            "bars",
            ("gini_shown", "gini", "coverage_exposure", "coverage_consumption"),
            "How concentrated attention is",
            "Gini: 0 all equal, 1 one has everything; coverage: share of items.",
            ("Gini,\nshown", "Gini,\nconsumed", "coverage,\nshown", "coverage,\nconsumed"),
        ),
    ),
    answer(
        judging(
            "gap_shown",
            above="people are shown more popular things than they had consumed before",
            below="people are shown less popular things than they had consumed before",
            neither="no change in the popularity of what is shown could be shown",
        ),
        comparing("gap_picked", "random", FIRST),
        comparing("tail_picked", "random", FIRST),
    ),
    metrics=lambda setting: [PopularityMeasure()],
)
