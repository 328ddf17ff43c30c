"""Homogenisation: do people of similar taste consume the same more than they ideally would?"""

from __future__ import annotations

from typing import Any

import numpy as np

from audience.lab.evaluation import unit
from audience.lab.studies.study import FIRST, Chart, Study, answer, comparing, judging, known
from audience.metrics import NAN, mean
from audience.results import Label
from audience.world import (
    Bools,
    Floats,
    Ints,
    Record,
    RoundEnded,
    SlateShown,
    View,
    Watched,
    keys,
    taste_of,
    tastes,
)

TASTE, QUALITY = 2.6, 1.2
"""What the ideal knows of everybody: how rule minds weigh taste and quality."""
LABELS: dict[str, Label] = {
    "alike_picks": ("Similarity of what neighbours in taste consumed", "Jaccard", ""),
    "alike_ideal": ("The same with an ideal recommender", "Jaccard", ""),
    "alike_excess": ("Neighbours alike beyond the ideal", "difference of Jaccard", "lower"),
    "alike_strangers": ("Similarity of what strangers consumed", "Jaccard", "lower"),
    "alike_shown": ("Similarity of what neighbours in taste were shown", "Jaccard", ""),
    "alike_tastes": ("Similarity of neighbours' tastes", "cosine", ""),
}


class Alike:
    """Follows what everybody was shown and consumed, and compares neighbours in taste.

    A neighbour is the person whose initial taste is nearest (cosine), among those who consumed
    something. The ideal gives everybody as many items as they consumed: the best by taste and
    quality that they did not know before. Jaccard of two sets: shared / all.
    """

    watches = (SlateShown, Watched, RoundEnded)

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._shown: dict[int, set[int]] = {}
        self._lived: dict[int, set[int]] = {}
        self._world: View | None = None

    def update(self, record: Record, world: View) -> None:
        event: Any = record.event
        self._world = world
        if isinstance(event, SlateShown):
            self._shown.setdefault(event.agent, set()).update(event.items)
        elif isinstance(event, Watched):
            self._lived.setdefault(event.agent, set()).add(event.item)

    def close(self) -> dict[str, float]:
        """Return likeness over all rounds so far, without the ideal, which is slow."""
        values = self._values(ideal=False)
        return {name: values[name] for name in ("alike_picks", "alike_strangers", "alike_shown")}

    def value(self) -> dict[str, float]:
        return self._values(ideal=True)

    def _values(self, *, ideal: bool) -> dict[str, float]:
        values = dict.fromkeys(LABELS, NAN)
        people = sorted(who for who in self._lived if self._is_first(who))
        if self._world is None or len(people) < 3:
            return values
        world = self._world
        begin = _beginnings(world, people)
        near = _nearest(begin)
        far = _strangers(len(people), near, self._seed)
        lived = [self._lived[who] for who in people]
        shown = [self._shown.get(who, set()) for who in people]
        values["alike_picks"] = _jaccard(lived, near)
        values["alike_strangers"] = _jaccard(lived, far)
        values["alike_shown"] = _jaccard(shown, near)
        now = unit(tastes([world.agents[who].taste for who in people]))
        values["alike_tastes"] = mean((now * now[near]).sum(axis=1))
        if ideal:
            best = _ideal(world, people, lived)
            values["alike_ideal"] = _jaccard(best, near)
            values["alike_excess"] = values["alike_picks"] - values["alike_ideal"]
        return values

    def _is_first(self, who: int) -> bool:
        return self._world is not None and who < len(self._world.genesis.profiles)


def _beginnings(world: View, people: list[int]) -> Floats:
    tags = world.genesis.catalogue.tag_ids
    return unit(tastes([taste_of(world.genesis.profiles[who], tags) for who in people]))


def _nearest(rows: Floats) -> Ints:
    alike = rows @ rows.T
    np.fill_diagonal(alike, -2.0)
    nearest: Ints = np.argmax(np.round(alike, 9), axis=1)
    return nearest


def _strangers(people: int, near: Ints, seed: int) -> Ints:
    """Return for everybody, by a named draw, somebody else who is not the neighbour."""
    who = np.arange(people)
    other = (keys(seed, "stranger", who) % np.uint64(people)).astype(np.int64)
    taken: Bools = (other == who) | (other == near)
    while taken.any():
        other = np.where(taken, (other + 1) % people, other)
        taken = (other == who) | (other == near)
    return other


def _jaccard(sets: list[set[int]], other: Ints) -> float:
    pairs = [(sets[who], sets[them]) for who, them in enumerate(other.tolist())]
    shares = [len(a & b) / len(a | b) for a, b in pairs if a or b]
    return sum(shares) / len(shares) if shares else NAN


def _ideal(world: View, people: list[int], lived: list[set[int]]) -> list[set[int]]:
    catalogue = world.genesis.catalogue
    tags = catalogue.tag_ids
    own = tastes([taste_of(world.genesis.profiles[who], tags) for who in people])
    worth = TASTE * own @ catalogue.weights.T + QUALITY * (2.0 * catalogue.quality - 1.0)
    past: dict[int, list[int]] = {}
    for entry in world.genesis.past:
        past.setdefault(entry.agent, []).append(entry.item)
    best = []
    for row, who in enumerate(people):
        worth[row, past.get(who, [])] = -np.inf
        order = np.argsort(-np.round(worth[row], 9), kind="stable")
        best.append(set(order[: len(lived[row])].tolist()))
    return best


STUDY = Study(
    "homogenisation",
    {**LABELS, **known("gini", "coverage_consumption", "entropy_consumption_pooled", "picks")},
    (
        Chart(
            "alike",
            "bars",
            ("alike_picks", "alike_ideal", "alike_strangers"),
            "Similarity of what two people consumed, Jaccard",
            "Neighbours are nearest in taste at the beginning; the ideal knows every taste.",
            ("neighbours", "neighbours,\nideal", "strangers"),
        ),
        Chart(
            "picks_by_round",
            "rounds",
            ("alike_picks",),
            "Neighbours: what they consumed, Jaccard",
            "Consumption, of all rounds so far.",
        ),
        Chart(
            "shown_by_round",
            "rounds",
            ("alike_shown",),
            "Neighbours: what they were shown, Jaccard",
            "Exposure, of all rounds so far.",
        ),
        Chart(
            "strangers_by_round",
            "rounds",
            ("alike_strangers",),
            "Strangers: what they consumed, Jaccard",
            "Consumption, of all rounds so far.",
        ),
    ),
    answer(
        judging(
            "alike_excess",
            above="people of similar taste consume the same more than with an ideal recommender",
            below="people of similar taste consume the same less than with an ideal recommender",
            neither="no difference from an ideal recommender could be shown",
        ),
        comparing("alike_picks", "random", FIRST),
        comparing("alike_strangers", "random", FIRST),
    ),
    metrics=lambda setting: [Alike(setting.seed)],
)
