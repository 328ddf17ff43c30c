"""Toy sets with something to find in them, and what popular items alone would find."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from audience.recommenders import (
    Context,
    Popular,
    Ranker,
    Recommender,
    RecommenderView,
    seen_by_recommender,
)
from audience.testing import tiny_genesis
from audience.world import Catalogue, Interactions, Item, dice, rng

CAMPS = 5
PEOPLE = 100
ITEMS = 60
RING = 20
ML_100K = Path(__file__).parents[3] / "shared" / "data" / "ml-100k" / "ml-100k.inter"
Hidden = dict[int, int]
"""One item of each person that the recommender did not see."""


def camps() -> tuple[RecommenderView, Hidden]:
    """Return people who like the items of their camp, and one liked item of each kept back."""
    made = Interactions(tiny_genesis(PEOPLE, ITEMS).catalogue, PEOPLE)
    hidden = {}
    for who in range(PEOPLE):
        own = [item for item in range(ITEMS) if item % CAMPS == who % CAMPS]
        liked = rng(3, "liked", who).permutation(own)[:8].tolist()
        hidden[who] = liked.pop()
        for place, item in enumerate(liked):
            made.add(who, item, 3600 * (place + 10 * who), 1.0, 5)
    return seen_by_recommender(made), hidden


def ring() -> tuple[RecommenderView, Hidden]:
    """Return people who go round a ring of items one by one, and the next item of each."""
    made = Interactions(tiny_genesis(PEOPLE, ITEMS).catalogue, PEOPLE)
    hidden = {}
    for who in range(PEOPLE):
        steps = [(who * 7 + step) % RING for step in range(9)]
        hidden[who] = steps.pop()
        for place, item in enumerate(steps):
            made.add(who, item, 3600 * (place + 10 * who), 1.0, 5)
    return seen_by_recommender(made), hidden


def films() -> tuple[RecommenderView, Hidden]:
    """Return MovieLens 100K less the last film of each person; skip where it is not there."""
    if not ML_100K.is_file():
        pytest.skip(f"{ML_100K} is not there")
    rows = [line.split("\t") for line in ML_100K.read_text("utf-8").splitlines()[1:]]
    rows.sort(key=lambda row: float(row[3]))
    people = {key: number for number, key in enumerate(sorted({row[0] for row in rows}))}
    items = {key: number for number, key in enumerate(sorted({row[1] for row in rows}))}
    catalogue = Catalogue(tuple(Item(number, key) for key, number in items.items()))
    made = Interactions(catalogue, len(people))
    last = {people[row[0]]: place for place, row in enumerate(rows)}
    for place, (who, what, stars, at) in enumerate(rows):
        if place != last[people[who]]:
            made.add(people[who], items[what], int(float(at)), 1.0, int(float(stars)))
    return seen_by_recommender(made), {who: items[rows[place][1]] for who, place in last.items()}


def asked(
    people: Sequence[int],
    exclude: Sequence[tuple[int, ...]],
    lived: Sequence[tuple[int, ...]] | None = None,
) -> Context:
    """Return what a ranker is told."""
    users = np.array(people)
    return Context(users * 0, users * 0, exclude, dice(3, "rank", users, 0), None, lived)


def found(ranker: Ranker, interactions: RecommenderView, hidden: Hidden, k: int = 5) -> float:
    """Return for how many people the hidden item is among the first k."""
    people = sorted(hidden)
    seen: dict[int, list[int]] = {who: [] for who in people}
    for who, what in zip(interactions.agents.tolist(), interactions.items.tolist(), strict=True):
        seen[who].append(what)
    barred = [tuple(set(seen[who]) - {hidden[who]}) for who in people]
    slates = np.asarray(ranker.rank(np.array(people), k, asked(people, barred)))
    return float(np.mean([hidden[who] in slate for who, slate in zip(people, slates, strict=True)]))


def gain(recommender: Recommender, planted: tuple[RecommenderView, Hidden], k: int = 5) -> float:
    """Return how many times as often a recommender finds the hidden items as `popular` does."""
    interactions, hidden = planted
    mine = found(recommender.fit(interactions, rng(4, "fit")), interactions, hidden, k)
    theirs = found(Popular().fit(interactions, rng(4, "fit")), interactions, hidden, k)
    return mine / max(theirs, 1.0 / len(hidden))
