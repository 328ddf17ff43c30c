"""Grounds fitted on 100,000 people and 100,000 items: time and memory."""

from __future__ import annotations

import resource

import numpy as np

from audience.grounding import Lives, fit_grounds
from audience.world import Catalogue, Item, rng
from benchmarks.measuring import clock, row, tell

PEOPLE, ITEMS, TAKEN = 100_000, 100_000, 25
MOST_GIB = 6.0


def lives() -> Lives:
    """Return people who take items by a long-tailed law, in no order and without stars."""
    draws = rng(1, "benchmark", "grounding")
    users = np.repeat(np.arange(PEOPLE), TAKEN)
    ranks = np.floor(ITEMS ** draws.random(len(users))).astype(np.int64) - 1
    pairs = np.unique(users * ITEMS + np.clip(ranks, 0, ITEMS - 1))
    pairs = pairs[draws.permutation(len(pairs))]
    things = tuple(Item(number, f"Thing {number}") for number in range(ITEMS))
    stars = np.zeros(len(pairs))
    users, items = pairs // ITEMS, pairs % ITEMS
    return Lives(Catalogue(things), PEOPLE, users, items, np.arange(len(pairs)), stars)


def main() -> None:
    past = lives()
    began = clock()
    grounds = fit_grounds(past)
    fitted = clock() - began
    histories = [tuple(past.items[past.users == who].tolist()) for who in range(200)]
    began = clock()
    grounds.log_odds(histories, [tuple(range(who, who + 5)) for who in range(200)])
    asked = clock() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    size = f"{PEOPLE:,} people, {ITEMS:,} items, {len(past):,} interactions"
    tell(
        row(
            f"grounds of {size}: peak memory", f"{peak:.1f} GiB", f"{MOST_GIB} GiB", peak < MOST_GIB
        ),
        row("the same: fit", f"{fitted:.0f} s", "none", True),
        row("the same: 200 pages of five", f"{asked:.1f} s", "none", True),
    )


if __name__ == "__main__":
    main()
