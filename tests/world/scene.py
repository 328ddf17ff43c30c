"""A tiny world, and the same after some events."""

from __future__ import annotations

from audience.testing import tiny_genesis
from audience.world import World, events as e

PEOPLE, ITEMS, TAGS = 4, 6, 5


def tiny_world() -> World:
    return World(tiny_genesis(PEOPLE, ITEMS))


def applied(*events: e.AnyEvent) -> World:
    world = tiny_world()
    for event in events:
        world.apply(event)
    return world
