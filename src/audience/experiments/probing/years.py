"""Stretches of years, and items drawn evenly from them."""

from __future__ import annotations

import numpy as np

from audience.errors import BadInput
from audience.experiments.probing.town import Town
from audience.world.items import Item
from audience.world.rng import keys

EDGES = (1970, 1990, 2000, 2010, 2020)
"""Where one stretch ends and the next begins."""


def bucket(item: Item, cutoff: int | None = None) -> str:
    """Return the stretch of years of an item; those after the cutoff have their own."""
    if item.year is None:
        return "no year"
    if cutoff is not None and item.year > cutoff:
        return f"after {cutoff}"
    edges = [edge for edge in EDGES if cutoff is None or edge <= cutoff]
    start = max((edge for edge in edges if edge <= item.year), default=None)
    if start is None:
        return f"before {EDGES[0]}"
    end = min((edge for edge in edges if edge > item.year), default=None)
    last = end - 1 if end is not None else cutoff
    return f"{start} to {last}" if last is not None else f"since {start}"


def drawn(town: Town, count: int, cutoff: int | None) -> list[Item]:
    """Return items by a named draw, taken in turn from each stretch of years."""
    if count < 1:
        raise BadInput(f"--items {count}: give at least 1")
    everything = town.genesis.catalogue.items
    order = keys(town.seed, "probe", "items", np.arange(len(everything))).argsort(kind="stable")
    heaps: dict[str, list[Item]] = {}
    for place in order.tolist():
        heaps.setdefault(bucket(everything[place], cutoff), []).append(everything[place])
    found: list[Item] = []
    depth = 0
    while len(found) < min(count, len(everything)):
        found += [heap[depth] for heap in heaps.values() if depth < len(heap)]
        depth += 1
    return sorted(found[:count], key=lambda item: item.id)
