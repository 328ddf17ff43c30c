"""A generated shop, shaped unlike MovieLens: few people, many items, no tags, stars or times."""

from __future__ import annotations

import numpy as np

from audience.lab.evaluation import Real
from audience.world import Catalogue, Item, rng

DEPARTMENTS = 40


def shop(people: int = 520, items: int = 18_000, taken: int = 36, seed: int = 1) -> Real:
    """Return people who buy in a few departments, popular things more often, in no order."""
    draws = rng(seed, "shop")
    department = draws.integers(DEPARTMENTS, size=items)
    appeal = 1.0 / (10.0 + draws.permutation(items))
    users, bought = [], []
    for person in range(people):
        likes = np.full(DEPARTMENTS, 0.15)
        likes[draws.choice(DEPARTMENTS, 3, replace=False)] = 6.0
        weights = appeal * likes[department]
        count = int(draws.integers(taken // 2, 2 * taken))
        chosen = draws.choice(items, count, replace=False, p=weights / weights.sum())
        users += [person] * count
        bought += draws.permutation(chosen).tolist()
    sold, places = np.unique(bought, return_inverse=True)
    things = tuple(Item(number, f"Thing {key}") for number, key in enumerate(sold.tolist()))
    rows = (np.array(users, np.int64), places.astype(np.int64))
    nothing = np.zeros(len(users))
    at = np.zeros(len(users), np.int64)
    return Real("shop", Catalogue(things), people, *rows, at, nothing, dated=False)
