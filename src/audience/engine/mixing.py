"""Pages with uniformly random items among the ranked ones, and the chance of each to be there.

Of a page of p places, k are random. The ranker's best p - k keep their order; the k random items
are drawn without replacement from all the others that this visit may still be shown, and stand at
random places. The ranked ones that had to make room come first on the next page.

The propensity of an item is the chance, over these draws and given the ranking and all that was
shown before, that it comes onto this page. Let u be how many items may still be shown: a kept item
has 1, every other item k / (u - (p - k)), shown or not. None of them is 0, so that what is weighed
by 1 / propensity estimates the plain mean over all u items, whatever the ranker does (Horvitz and
Thompson): sum over shown items of y / propensity, divided by u.
"""

from __future__ import annotations

import numpy as np

from audience.recommenders import Context
from audience.recommenders.simple import Shuffled
from audience.world.rng import dice
from audience.world.world import View


def mixed(
    world: View, agent: int, page: int, exclude: tuple[int, ...], kept: tuple[int, ...], k: int
) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Return a page of the kept items and k random ones, and the propensity of each.

    There are fewer random ones where fewer items are left. The draws are named by agent, round and
    page, where `page` counts the pages of the visit.
    """
    barred = tuple({*exclude, *kept})
    pool = len(world.catalogue) - len(barred)
    k = min(k, pool)
    if k < 1:
        return kept, (1.0,) * len(kept)
    users, pages = np.array([agent]), np.array([page])
    draws = dice(world.seed, "random_k", users, world.round, pages)
    context = Context(np.array([world.now]), pages, [barred], draws)
    drawn = iter(Shuffled(len(world.catalogue)).rank(users, k, context)[0].tolist())
    ranked = iter(kept)
    order = np.argsort(draws.integers("place", len(kept) + k)[0], kind="stable")
    places = set(order[:k].tolist())
    items, chances = list[int](), list[float]()
    for place in range(len(kept) + k):
        is_random = place in places
        items.append(next(drawn if is_random else ranked))
        chances.append(k / pool if is_random else 1.0)
    return tuple(items), tuple(chances)
