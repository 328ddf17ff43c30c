from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from audience.recommenders import Context, Ranker, RecommenderView, seen_by_recommender
from audience.testing import tiny_genesis
from audience.world import Interactions, SocialGraph, dice

Row = tuple[int, int] | tuple[int, int, int]
Make = Callable[..., RecommenderView]
Show = Callable[..., list[int]]


@pytest.fixture
def lived() -> Make:
    """Return interactions of (person, item) or (person, item, stars), one an hour."""

    def make(
        rows: Sequence[Row], people: int = 8, items: int = 8, ties: SocialGraph | None = None
    ) -> RecommenderView:
        made = Interactions(tiny_genesis(people, items).catalogue, people, ties=ties)
        for hour, row in enumerate(rows):
            made.add(row[0], row[1], 3600 * hour, 1.0, row[2] if len(row) > 2 else 0)
        return seen_by_recommender(made)

    return make


@pytest.fixture
def shown() -> Show:
    """Return what a ranker shows one user."""

    def show(
        ranker: Ranker,
        user: int,
        k: int = 3,
        exclude: tuple[int, ...] = (),
        candidates: tuple[int, ...] | None = None,
        lived: tuple[int, ...] | None = None,
    ) -> list[int]:
        users = np.array([user])
        context = Context(
            users * 0,
            users * 0,
            [exclude],
            dice(3, "rank", users, 0),
            None if candidates is None else [candidates],
            None if lived is None else [lived],
        )
        found: list[int] = np.asarray(ranker.rank(users, k, context))[0].tolist()
        return found

    return show
