"""Concurrency: an adaptive limit per endpoint, queues, and balancing among endpoints."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from hashlib import blake2b
from math import log
from statistics import median

from audience.llm.request import Gateway, Reply, Request, Tried, changed

FIRST = 32
_BLOCK = 16
_RECENT, _ENOUGH = 32, 20
"""The window of recent outcomes, and the fewest of them needed to judge errors."""
_STRAY = 0.125
"""The share of throttled calls below which they do not lower the limit."""
_STEP = 20
"""Successful calls after which the limit grows by one, once it has been found."""
_HOLD, _RISEN = 2.0, 3.0
"""Slowdown at which the limit stops growing, and at which it shrinks."""
_NOTICED = 0.1
"""Seconds; smaller rises are noise of this machine."""
_FORGET = 1.01


class Pace:
    """The latency of calls of one purpose, relative to the best seen."""

    def __init__(self) -> None:
        self.ratio = 1.0
        self._best = float("inf")
        self._recent: list[float] = []

    def note(self, seconds: float) -> None:
        """Add one call; the ratio is updated with every full block."""
        self._recent.append(seconds)
        if len(self._recent) < _BLOCK:
            return
        now = median(self._recent)
        self._recent.clear()
        # The best is forgotten slowly, so that a lasting change becomes the reference.
        self._best = min(self._best * _FORGET, now)
        risen = now - self._best > _NOTICED
        self.ratio = now / self._best if risen else 1.0


class Limit:
    """The number of concurrent calls allowed.

    It grows while more than half of it is used and latency does not rise. Only throttling, rising
    latency or a majority of errors shrinks it; a single error never does.
    """

    def __init__(self, most: int = 256, first: int = FIRST) -> None:
        self.most = most
        self.allowed = max(1, min(first, most))
        self.flying = 0
        self._begun = 0
        self._cut = 0
        self._swelling = True
        self._good = 0
        self._failed: deque[bool] = deque(maxlen=_RECENT)
        self._throttled: deque[bool] = deque(maxlen=_RECENT)
        self._paces: dict[str, Pace] = {}

    def begin(self) -> int:
        """Count a call as started and return its ticket."""
        self.flying += 1
        self._begun += 1
        return self._begun

    def drop(self) -> None:
        """Count a call as ended without learning from it, such as a cancelled one."""
        self.flying -= 1

    def end(self, ticket: int, purpose: str, reply: Reply) -> None:
        """Count a call as ended and learn from it."""
        was_used = self.flying * 2 >= self.allowed
        self.flying -= 1
        # A call that began before the last cut says nothing about the limit since.
        since_cut = ticket > self._cut
        throttled = isinstance(reply, Tried) and reply.throttled
        self._throttled.append(throttled)
        if throttled:
            share = sum(self._throttled) / len(self._throttled)
            if since_cut and share >= _STRAY:
                self._shrink(1.0 - min(0.5, share), swell=False)
        elif reply.outcome in ("timeout", "unreadable") or (
            isinstance(reply, Tried) and reply.outcome == "error" and reply.again
        ):
            self._failed.append(True)
            seen = len(self._failed)
            if since_cut and seen >= _ENOUGH and sum(self._failed) * 2 > seen:
                self._failed.clear()
                self._shrink(0.5, swell=True)
        else:
            self._failed.append(False)
            self._learn(purpose, reply.seconds, since_cut, was_used)

    def _learn(self, purpose: str, seconds: float, since_cut: bool, was_used: bool) -> None:
        pace = self._paces.setdefault(purpose, Pace())
        pace.note(seconds)
        if pace.ratio > _RISEN:
            if since_cut:
                pace.ratio = 1.0
                self._shrink(0.8, swell=False)
        elif was_used and pace.ratio <= _HOLD:
            self._good += 1
            if self._swelling or self._good >= min(self.allowed, _STEP):
                self._good = 0
                self.allowed = min(self.most, self.allowed + 1)

    def _shrink(self, factor: float, *, swell: bool) -> None:
        self.allowed = max(1, int(self.allowed * factor))
        self._cut = self._begun
        self._good = 0
        self._swelling = swell


_LONGEST = 60.0


class Turns:
    """A queue for room, first come first served."""

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def wait(self, has_room: Callable[[], bool]) -> None:
        """Return when there is room; the caller must take it before awaiting anything else."""
        called = False
        while (self._waiting and not called) or not has_room():
            turn = asyncio.get_running_loop().create_future()
            (self._waiting.appendleft if called else self._waiting.append)(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if turn in self._waiting:
                    self._waiting.remove(turn)
                else:
                    self.call()
                raise
            called = True

    def call(self) -> None:
        """Wake the next waiter to check for room."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return


class Limited:
    """Limits concurrent calls to one endpoint adaptively."""

    def __init__(self, inner: Gateway, *, most: int = 256, first: int = FIRST) -> None:
        self.inner = inner
        self.limit = Limit(most, first)
        self.turns = Turns()
        self.rested: Callable[[], None] = self.turns.call
        """Called when a pause requested by the server is over."""
        self._resting: asyncio.TimerHandle | None = None

    @property
    def room(self) -> int:
        """How many calls may start now."""
        return 0 if self._resting else max(0, self.limit.allowed - self.limit.flying)

    @property
    def has_room(self) -> bool:
        return self.room > 0

    async def ask(self, request: Request) -> Reply:
        """Wait for a turn, then ask."""
        await self.turns.wait(lambda: self.has_room)
        ticket = self.limit.begin()
        if self.has_room:
            self.turns.call()
        reply: Reply | None = None
        try:
            reply = await self.inner.ask(request)
            return reply
        finally:
            if reply is None:
                self.limit.drop()
            else:
                self.limit.end(ticket, request.purpose, reply)
                self._heed(reply)
            self.turns.call()

    async def close(self) -> None:
        if self._resting is not None:
            self._resting.cancel()
            self._resting = None
        await self.inner.close()

    def _heed(self, reply: Reply) -> None:
        """Pause for as long as the server asks, so that queued calls are not refused too."""
        if not isinstance(reply, Tried) or reply.after <= 0.0:
            return
        loop = asyncio.get_running_loop()
        until = loop.time() + min(reply.after, _LONGEST)
        if self._resting is not None:
            if self._resting.when() >= until:
                return
            self._resting.cancel()
        self._resting = loop.call_at(until, self._wake)

    def _wake(self) -> None:
        self._resting = None
        self.rested()


_COOL, _COOLEST = 5.0, 60.0
"""Seconds for which a failing endpoint is avoided, at first and at most."""


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
        """Avoid it for a while, longer each time."""
        if now >= self.cool_until:
            self.cool_until = now + min(_COOLEST, _COOL * 2**self._strikes)
            self._strikes += 1

    def forgive(self) -> None:
        self._strikes = 0
        self.cool_until = 0.0


class _Group:
    """Lanes to the same model: any free one may answer."""

    def __init__(self, model: str, lanes: list[Lane], clock: Callable[[], float]) -> None:
        self.model = model
        self.lanes = lanes
        self.weight = sum(lane.weight for lane in lanes)
        self.turns = Turns()
        self._clock = clock
        for lane in lanes:
            lane.gateway.rested = self.turns.call

    def usable(self) -> list[Lane]:
        """Return the lanes that are not cooling down, or all if all are."""
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
        chosen = min(free, key=lambda lane: (lane.served + 1.0) / lane.weight)
        # A lane that was away must not be flooded to catch up.
        level = min(lane.served / lane.weight for lane in free)
        for lane in self.lanes:
            lane.served = max(lane.served, (level - 1.0) * lane.weight)
        chosen.served += 1.0
        return chosen


class Balanced:
    """Shares calls among endpoints by weight; the request alone decides which model answers."""

    def __init__(self, lanes: Sequence[Lane]) -> None:
        models = dict.fromkeys(lane.model for lane in lanes)
        self.groups = [
            _Group(model, [lane for lane in lanes if lane.model == model], _now) for model in models
        ]

    async def ask(self, request: Request) -> Reply:
        """Ask a free endpoint; one that fails is avoided for a while."""
        group = self._group_of(request)
        await group.turns.wait(group.has_room)
        lane = group.choose()
        if group.room() > 1:
            group.turns.call()
        # The lane's own queue is empty, so the call starts at once and takes its room.
        try:
            reply = await lane.gateway.ask(request)
        finally:
            group.turns.call()
        if not isinstance(reply, Tried) or not reply.elsewhere:
            lane.forgive()
            return reply
        lane.strike(_now())
        if all(other.is_lost for other in self.groups):
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
    """Return an exponential draw by (request, model): the least over weight wins fairly."""
    digest = blake2b(f"{key}/{group.model}".encode(), digest_size=8).digest()
    return -log((int.from_bytes(digest, "big") + 1) / (2**64 + 1))


def _now() -> float:
    return asyncio.get_running_loop().time()
