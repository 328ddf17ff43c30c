"""Several endpoints behind one door, each with its share of the calls."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from hashlib import blake2b
from math import log

from audience.llm.kinds import Reply, Request
from audience.llm.limited import Limited, Turns
from audience.llm.tried import Tried, changed

_COOL, _COOLEST = 5.0, 60.0
"""Seconds that an endpoint which is of no use is left alone, first and at most."""


class Lane:
    """One endpoint among several."""

    def __init__(self, gateway: Limited, *, model: str = "", weight: float = 1.0) -> None:
        self.gateway = gateway
        self.model = model
        self.weight = weight
        self.served = 0.0
        self.cool_until = 0.0
        self._strikes = 0

    def strike(self, now: float) -> None:
        """Leave it alone for a while, longer each time."""
        if now >= self.cool_until:
            self.cool_until = now + min(_COOLEST, _COOL * 2**self._strikes)
            self._strikes += 1

    def forgive(self) -> None:
        self._strikes = 0
        self.cool_until = 0.0


class _Group:
    """Lanes to the same model: whichever is free may answer."""

    def __init__(self, model: str, lanes: list[Lane], clock: Callable[[], float]) -> None:
        self.model = model
        self.lanes = lanes
        self.weight = sum(lane.weight for lane in lanes)
        self.turns = Turns()
        self._clock = clock
        for lane in lanes:
            lane.gateway.rested = self.turns.call

    def usable(self) -> list[Lane]:
        """Return the lanes worth trying: those not cooling, or all when all are."""
        return [lane for lane in self.lanes if not self.is_cooling(lane)] or self.lanes

    def is_cooling(self, lane: Lane) -> bool:
        return lane.cool_until > self._clock()

    @property
    def is_lost(self) -> bool:
        return all(self.is_cooling(lane) for lane in self.lanes)

    def room(self) -> int:
        return sum(lane.gateway.room for lane in self.usable())

    def has_room(self) -> bool:
        return self.room() > 0

    def choose(self) -> Lane:
        """Return the free lane that is furthest behind its share."""
        free = [lane for lane in self.usable() if lane.gateway.has_room] or self.usable()
        lane = min(free, key=lambda one: (one.served + 1.0) / one.weight)
        # A lane that was away must not be flooded to make up for it.
        level = min(one.served / one.weight for one in free)
        for one in self.lanes:
            one.served = max(one.served, (level - 1.0) * one.weight)
        lane.served += 1.0
        return lane


class Balanced:
    """Shares calls by weight. Which model answers depends on the request alone, not on timing."""

    def __init__(self, lanes: Sequence[Lane]) -> None:
        models = dict.fromkeys(lane.model for lane in lanes)
        self.groups = [
            _Group(model, [lane for lane in lanes if lane.model == model], _now) for model in models
        ]

    async def ask(self, request: Request) -> Reply:
        """Ask an endpoint that is free; one that is of no use is left alone for a while."""
        group = self._group_of(request)
        await group.turns.wait(group.has_room)
        lane = group.choose()
        if group.room() > 1:
            group.turns.call()
        # The lane's own queue is empty, so that it begins at once and its room is taken.
        try:
            reply = await lane.gateway.ask(request)
        finally:
            group.turns.call()
        if not isinstance(reply, Tried) or not reply.elsewhere:
            lane.forgive()
            return reply
        lane.strike(_now())
        if all(one.cool_until > _now() for each in self.groups for one in each.lanes):
            return reply
        return changed(reply, again=True, elsewhere=False)

    async def close(self) -> None:
        for group in self.groups:
            for lane in group.lanes:
                await lane.gateway.close()

    def _group_of(self, request: Request) -> _Group:
        named = [group for group in self.groups if group.model == request.model]
        groups = named or self.groups
        usable = [group for group in groups if not group.is_lost] or groups
        if len(usable) == 1:
            return usable[0]
        return min(usable, key=lambda group: _distance(request.key, group) / group.weight)


def _distance(key: str, group: _Group) -> float:
    """Return a draw from an exponential by (request, model): the least over weight wins fairly."""
    digest = blake2b(f"{key}/{group.model}".encode(), digest_size=8).digest()
    return -log((int.from_bytes(digest, "big") + 1) / (2**64 + 1))


def _now() -> float:
    return asyncio.get_running_loop().time()
