"""What people lived before the run begins, so that a recommender has something to learn from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from audience.world.clock import Clock
from audience.world.genesis import Past
from audience.world.items import Catalogue
from audience.world.people import Profile
from audience.world.rng import Floats, Generator, Ints, rng

DAYS = 90
FAME = 0.8
"""Spread of how known items are besides their quality: a log-normal's sigma."""


def earlier(
    profiles: Sequence[Profile], catalogue: Catalogue, seed: int, clock: Clock, mean: float
) -> tuple[Past, ...]:
    """Return about `mean` items per person, more for the active, in the order of time.

    Each is drawn from one of the person's interests (now and then from any tag), good and known
    items more often. Nobody lives an item twice.
    """
    if mean <= 0:
        return ()
    draw = rng(seed, "past", "count")
    levels = np.sqrt([profile.activity for profile in profiles])
    counts = draw.poisson(mean * levels / levels.mean())
    owners = np.repeat(np.arange(len(profiles)), counts)
    tags = _tags(profiles, owners, catalogue, rng(seed, "past", "tag"))
    items = _items(tags, catalogue, seed)
    _, first = np.unique(owners * len(catalogue) + items, return_index=True)
    owners, items = owners[first], items[first]
    at = clock.at(1) - rng(seed, "past", "time").integers(1, DAYS * 86400, len(owners))
    stars = _stars(catalogue.quality[items], rng(seed, "past", "stars"))
    order = np.lexsort((owners, at))
    columns = (column[order].tolist() for column in (owners, items, at, stars))
    return tuple(
        Past(owner, item, moment, 1.0, given)
        for owner, item, moment, given in zip(*columns, strict=True)
    )


def _tags(profiles: Sequence[Profile], owners: Ints, catalogue: Catalogue, draw: Generator) -> Ints:
    ids = catalogue.tag_ids
    liked = [[ids[tag] for tag in profile.interests if tag in ids] for profile in profiles]
    sizes = np.array([len(one) for one in liked])
    starts = np.concatenate([[0], np.cumsum(sizes)])[:-1]
    flat = np.array([tag for one in liked for tag in one] or [0], np.int64)
    own = starts[owners] + (draw.random(len(owners)) * sizes[owners]).astype(np.int64)
    anywhere = draw.integers(0, len(catalogue.tags), len(owners))
    strays = (draw.random(len(owners)) < 0.2) | (sizes[owners] == 0)
    return np.where(strays, anywhere, flat[np.minimum(own, len(flat) - 1)])


def _items(tags: Ints, catalogue: Catalogue, seed: int) -> Ints:
    """Return one item per tag drawn, in proportion to its appeal among those that carry the tag."""
    appeal = np.exp(
        FAME * rng(seed, "past", "fame").standard_normal(len(catalogue))
        + 2.0 * (2.0 * catalogue.quality - 1.0)
    )
    places = rng(seed, "past", "item").random(len(tags))
    items = np.zeros(len(tags), np.int64)
    for tag in range(len(catalogue.tags)):
        weights: Floats = appeal * catalogue.weights[:, tag]
        sums = np.cumsum(weights)
        rows = np.flatnonzero(tags == tag)
        if len(rows):
            items[rows] = np.searchsorted(sums, places[rows] * sums[-1], side="right")
    return np.minimum(items, len(catalogue) - 1)


def _stars(quality: Floats, draw: Generator) -> Ints:
    felt = 1.6 + 3.2 * quality + 0.8 * draw.standard_normal(len(quality))
    given = np.clip(np.round(felt), 1, 5).astype(np.int64)
    return np.where(draw.random(len(quality)) < 0.5, given, 0)
