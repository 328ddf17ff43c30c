"""Choosing a way to consolidate, and an embedder, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from audience.errors import BadInput, unknown
from audience.llm.embedding import Embedder, open_embedder
from audience.llm.kinds import Gateway
from audience.memory.kinds import Life
from audience.memory.observing import REACHED
from audience.memory.rule import RuleWay
from audience.memory.ways import Due, Observed, Taken, Way
from audience.world.rng import Dice

ROUTINE = frozenset(("entered", "browsed", "left")) | REACHED
"""What a model is not asked about: coming and going, and what others sent.

A post is taken in by rule by all it reaches alike, awake or not, and so costs nobody a call.
"""
WAYS = ("fused", "faithful", "rule")


def way_of(name: str, gateway: Gateway | None, model: str, prompts: str = "") -> Way:
    """Return the way of a name; all but `rule` ask a model."""
    if name not in WAYS:
        raise unknown("consolidation", name, WAYS)
    if name == "rule":
        return RuleWay()
    if gateway is None:
        raise BadInput(f'consolidation "{name}" asks a model; give [llm], or take "rule"')
    if name == "fused":
        from audience.memory.fused import FusedWay

        return FusedWay(gateway, model=model, prompts=prompts)
    from audience.memory.faithful import FaithfulWay

    return FaithfulWay(gateway, model=model, prompts=prompts)


async def taken_in(way: Way, life: Life, seen: Sequence[Observed], due: Due, dice: Dice) -> Taken:
    """Return what a way made of a round; the routine of it is left to the rule."""
    worth = [one for one in seen if one.kind not in ROUTINE]
    taken = await way.take_in(life, worth, due, dice)
    if len(worth) == len(seen):
        return taken
    rest = await RuleWay().take_in(life, [one for one in seen if one.kind in ROUTINE], Due(), dice)
    place = {id(one): number for number, one in enumerate(seen)}
    both = sorted((*taken.sensed, *rest.sensed), key=lambda one: place[id(one.observed)])
    return replace(taken, sensed=tuple(both))


def embedder_of(embedder: str | Embedder, gateway: Gateway | None, model: str) -> Embedder:
    """Return an embedder by its kind, or the one given."""
    if not isinstance(embedder, str):
        return embedder
    if embedder == "openai":
        return open_embedder(embedder, gateway=gateway, model=model)
    return open_embedder(embedder, model=model)


def needs_gateway(options: Mapping[str, Any], suited: str) -> bool:
    """Say whether a memory with these options asks a model."""
    way = options.get("consolidation") or suited
    return way != "rule" or options.get("embedder") == "openai"
