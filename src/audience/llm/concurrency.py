"""Concurrency: an adaptive limit of calls per endpoint, and the queue before it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Collection
from contextlib import suppress
from itertools import islice

from audience.llm.request import Gateway, Reply, Request, Tried, changed

FIRST, MOST = 64, 1024
"""Concurrent calls to an endpoint at the start, and at most where no number is given."""
_RECENT, _ENOUGH = 32, 20
"""The window of recent outcomes, and the fewest of them needed to judge errors."""
_STRAY = 0.125
"""The share of throttled calls below which they do not lower the limit."""
_STEP = 20
"""Successful calls after which a lowered limit recovers by a step."""
_FULL = 0.75
"""The share of the limit that must be in use for a call to tell something about it."""
_LEAST = 64
"""The fewest calls by which a limit is judged."""
_RISE = 1.15
"""The gain in throughput for which a doubled limit is kept."""
_OTHER_FILES = 64
"""Open files besides connections."""
_PATIENCE, _LONGEST_PATIENCE = 2, 16
"""How often a limit is measured before a larger one is tried again, at first and at most."""


class Throughput:
    """The work done per second at one limit: tokens, or replies where tokens are not told.

    By Little's law it is the number in flight times work over the seconds that calls took, so that
    a pause between rounds does not count.
    """

    def __init__(self, in_flight: int) -> None:
        self.calls = 0
        self._in_flight = in_flight
        self._work = 0
        self._seconds = 0.0

    def add(self, reply: Reply) -> None:
        self.calls += 1
        self._work += reply.usage.completion or 1
        self._seconds += reply.seconds

    @property
    def rate(self) -> float:
        return self._in_flight * self._work / max(self._seconds, 1e-9)


class Limit:
    """The number of concurrent calls allowed.

    A number that was given is kept. Otherwise the limit doubles while throughput rises; slower
    calls alone never lower it. In both cases throttling, timeouts or a majority of errors lower
    it for a while; a single error never does.
    """

    def __init__(self, given: int = 0, *, first: int = FIRST, most: int = MOST) -> None:
        """`given`: the number a user asked for; 0 seeks the best one up to `most`."""
        self.most = given or most
        self.allowed = given or max(1, min(first, most))
        self.flying = 0
        self._seeks = not given
        self._begun = 0
        self._cut = 0
        self._failed: deque[bool] = deque(maxlen=_RECENT)
        self._throttled: deque[bool] = deque(maxlen=_RECENT)
        self._waits: deque[bool] = deque(maxlen=_RECENT)
        self._goal = self.allowed
        """Where recovery from a cut ends."""
        self._quickly = True
        self._good = 0
        self._kept = self.allowed
        """The limit that proved best so far; a larger one is on trial."""
        self._rate = 0.0
        self._since = 0
        self._seen = Throughput(self.allowed)
        self._patience = _PATIENCE
        self._wait = 0

    def begin(self) -> int:
        """Count a call as started and return its ticket."""
        self.flying += 1
        self._begun += 1
        return self._begun

    def drop(self) -> None:
        """Count a call as ended without learning from it, such as a cancelled one."""
        self.flying -= 1

    def end(self, ticket: int, reply: Reply) -> None:
        """Count a call as ended and learn from it."""
        flying = self.flying
        self.flying -= 1
        # A call that began before the last cut says nothing about the limit since.
        since_cut = ticket > self._cut
        tried = reply if isinstance(reply, Tried) else None
        throttled = tried is not None and tried.throttled
        self._throttled.append(throttled)
        self._waits.append(tried is not None and tried.after > 0.0)
        if throttled:
            if since_cut and _is_more_than_stray(self._throttled):
                share = sum(self._throttled) / len(self._throttled)
                self._shrink(1.0 - min(0.5, share), quickly=False)
        elif reply.outcome in ("timeout", "unreadable") or (
            tried is not None and tried.outcome == "error" and tried.again
        ):
            self._failed.append(True)
            seen = len(self._failed)
            if since_cut and seen >= _ENOUGH and sum(self._failed) * 2 > seen:
                self._failed.clear()
                self._shrink(0.5, quickly=reply.outcome != "timeout")
        else:
            self._failed.append(False)
            self._learn(ticket, reply, flying)

    @property
    def is_told_to_wait(self) -> bool:
        """Whether more than a stray call was told to wait lately."""
        return _is_more_than_stray(self._waits)

    def _learn(self, ticket: int, reply: Reply, flying: int) -> None:
        if self.allowed < self._goal:
            self._recover(flying)
        elif self._seeks and ticket > self._since and flying >= _FULL * self.allowed:
            self._seen.add(reply)
            if self._seen.calls >= min(self.allowed, max(_LEAST, self.allowed // 2)):
                self._judge(self._seen.rate)

    def _recover(self, flying: int) -> None:
        if flying * 2 < self.allowed:
            return
        self._good += 1
        if self._quickly or self._good >= min(self.allowed, _STEP):
            self._good = 0
            step = 1 if self._quickly else max(1, self.allowed // 32)
            self._measure(min(self._goal, self.allowed + step))

    def _judge(self, rate: float) -> None:
        """Double the limit while that pays; else return to the last that did, and try later."""
        on_trial = self.allowed > self._kept
        if on_trial and rate < self._rate * _RISE:
            self._wait = self._patience
            self._patience = min(_LONGEST_PATIENCE, 2 * self._patience)
            self._go(self._kept)
            return
        if on_trial:
            self._patience, self._wait = _PATIENCE, 0
        self._kept, self._rate = self.allowed, rate
        if self._wait:
            self._wait -= 1
            self._go(self.allowed)
        else:
            self._go(min(self.most, 2 * self.allowed))

    def _go(self, allowed: int) -> None:
        self._goal = allowed
        self._measure(allowed)

    def _measure(self, allowed: int) -> None:
        """Set the limit; its throughput is told by calls that begin once it is filled."""
        self.allowed = allowed
        self._since = self._begun + max(0, allowed - self.flying)
        self._seen = Throughput(allowed)

    def _shrink(self, factor: float, *, quickly: bool) -> None:
        self._measure(max(1, int(self.allowed * factor)))
        self._goal = max(self._kept, self.allowed)
        self._wait = self._patience
        self._cut = self._begun
        self._good = 0
        self._quickly = quickly


def _is_more_than_stray(recent: deque[bool]) -> bool:
    """Return True if half of a few calls, or an eighth of many, are marked."""
    seen, marked = len(recent), sum(recent)
    return marked >= max(_STRAY * seen, min(_STRAY * _RECENT, seen / 2))


def open_files(wanted: int) -> int:
    """Return how many connections this process may open, up to `wanted`.

    The soft limit of open files is raised where the system allows that.
    """
    try:
        import resource
    except ImportError:  # Windows
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return wanted
    needed = wanted + _OTHER_FILES
    if soft < needed:
        raised = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (raised, hard))
            soft = raised
    return max(1, min(wanted, soft - _OTHER_FILES))


_AHEAD = 64
"""How far back in a queue somebody is looked for who wants what is free, and how often in a row."""
_LONGEST, _LONGEST_STRAY = 60.0, 3.0
"""Seconds of a pause at most, and of one that a single call is told to make."""


class Turns:
    """A queue for room, first come first served unless somebody waits for just that room."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[asyncio.Future[None], object]] = deque()
        self._passed = 0
        """How often the first one was passed over."""

    async def wait(self, has_room: Callable[[], bool], wanted: object = None) -> None:
        """Return when there is room; the caller must take it before awaiting anything else.

        `wanted`: the room that suits best.
        """
        called = False
        while (self._waiting and not called) or not has_room():
            turn = asyncio.get_running_loop().create_future()
            place = (turn, wanted)
            (self._waiting.appendleft if called else self._waiting.append)(place)
            try:
                await turn
            except asyncio.CancelledError:
                if place in self._waiting:
                    self._waiting.remove(place)
                else:
                    self.call()
                raise
            called = True

    def call(self, free: Collection[object] = ()) -> None:
        """Wake the first waiter, or one of the first who wants what is free, to check for room."""
        while self._waiting:
            place = self._first_for(free)
            turn, _ = self._waiting[place]
            del self._waiting[place]
            self._passed = self._passed + 1 if place else 0
            if not turn.done():
                turn.set_result(None)
                return

    def _first_for(self, free: Collection[object]) -> int:
        if not free or self._passed >= _AHEAD:
            return 0
        some = islice(self._waiting, _AHEAD)
        return next((place for place, (_, wanted) in enumerate(some) if wanted in free), 0)


class Limited:
    """Limits concurrent calls to one endpoint, to a given number or adaptively."""

    def __init__(
        self, inner: Gateway, *, given: int = 0, first: int = FIRST, most: int = MOST
    ) -> None:
        self.inner = inner
        self.limit = Limit(given, first=first, most=most)
        self.turns = Turns()
        self.rested: Callable[[], None] = self.turns.call
        """Called when a pause requested by the server is over."""
        self._resting: asyncio.TimerHandle | None = None

    @property
    def is_resting(self) -> bool:
        """Whether the server asked for a pause that is not over."""
        return self._resting is not None

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
        finally:
            if reply is None:
                self.limit.drop()
            else:
                self.limit.end(ticket, reply)
                self._heed(reply)
            self.turns.call()
        if (
            isinstance(reply, Tried)
            and reply.after > _LONGEST_STRAY
            and not self.limit.is_told_to_wait
        ):
            return changed(reply, after=_LONGEST_STRAY)
        return reply

    async def close(self) -> None:
        if self._resting is not None:
            self._resting.cancel()
            self._resting = None
        await self.inner.close()

    def _heed(self, reply: Reply) -> None:
        """Pause for as long as the server asks, so that queued calls are not refused too.

        A stray call that is told to wait does so alone.
        """
        if not isinstance(reply, Tried) or reply.after <= 0.0 or not self.limit.is_told_to_wait:
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
