"""Several servers as one: shares by measured speed, health, failover and homes of prefixes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from hashlib import blake2b
from math import log as ln

from audience.llm.concurrency import Limited, Turns
from audience.llm.request import Reply, Request, Tried, Usage, added, changed, harmless

_PAUSE, _GROWTH, _LONGEST = 0.5, 1.1, 30.0
"""Seconds before a server that was set aside is asked again: at first, times what, and at most."""
_ENOUGH, _STEADY = 5, 100
"""Failures in a row after which a server is set aside, and answers after which that is forgotten:
one that comes and goes stays away longer each time."""
_SURE = (0, 401, 402)
"""No answer, a wrong key, or no money: what does not concern the request alone."""
_LATE = 2
"""Servers that leave a call unanswered, after which it is the call that takes too long."""
_NEWEST = 0.25
"""The weight of the newest call in how long a server's calls take."""
_FORGET = 0.98
"""What an idle server's time is multiplied by at each call, so that it is tried again."""
_STICKY, _FEW = 2.0, 8
"""How many times as loaded as the best one a server may be to which a prefix went before, and how
many calls more or less do not matter."""
_BEGINNING = 48
"""Characters by which the person of a prompt is known."""
_HOMES = 100_000
"""Prefixes whose server is remembered."""
log = logging.getLogger(__name__)


class Lane:
    """One server among several, and what is known of its speed and health."""

    def __init__(
        self, gateway: Limited, *, name: str = "", model: str = "", weight: float = 0.0
    ) -> None:
        """`weight`: its share of the calls; 0 goes by how fast it turns out to be."""
        self.gateway = gateway
        self.name = name
        self.model = model
        self.weight = weight
        self.served = 0.0
        self.outstanding = 0
        """Calls given to it that have not ended, also those that wait for room."""
        self.seconds = 0.0
        """How long its calls take, as a moving average; 0 if that is not known yet."""
        self.is_away = False
        self.failed_at = 0.0
        self._failures = self._answers = 0
        """In a row."""
        self._since = 0.0
        self._pause = _PAUSE
        self._return: asyncio.Task[None] | None = None

    @property
    def is_open(self) -> bool:
        """Whether it may be asked now: it is not set aside, and did not ask us for a pause."""
        return not self.is_away and not self.gateway.is_resting

    def load(self, usual: float, more: int = 1) -> float:
        """Return how long its calls and some more would keep it; `usual` seconds if unknown."""
        return (self.outstanding + more) * (self.seconds or usual)

    async def ask(self, request: Request) -> Reply:
        """Ask this server, once there is room, and note how that went."""
        self.outstanding += 1
        was_away = self.is_away
        try:
            reply = await self.gateway.ask(request)
        finally:
            self.outstanding -= 1
        if has_failed(reply):
            self._note_failure(reply)
        else:
            self._note_answer(reply)
            if was_away:  # what began before it was set aside says nothing about now
                self._return_now()
        return reply

    def watch_return(self, request: Request, returned: Callable[[], None]) -> None:
        """See to it that a server that was set aside is probed, as by `request`, until it answers.

        A probe is a harmless question, which is neither stored nor counted. Then `returned` is
        called.
        """
        if self.is_away and (self._return is None or self._return.done()):
            loop = asyncio.get_running_loop()
            self._return = loop.create_task(self._come_back(request, returned))

    async def close(self) -> None:
        probe, self._return = self._return, None
        if probe is not None and probe.get_loop() is asyncio.get_running_loop():
            probe.cancel()
            await asyncio.gather(probe, return_exceptions=True)
        await self.gateway.close()

    async def _come_back(self, request: Request, returned: Callable[[], None]) -> None:
        attempt = 0
        while self.is_away:
            await asyncio.sleep(self._pause)
            attempt += 1
            # Not through the limit: what counts is whether it answers, not how many it takes.
            if not has_failed(await self.gateway.inner.ask(harmless(request, attempt))):
                self._return_now()
                returned()
            self._pause = min(_LONGEST, _GROWTH * self._pause)

    def _note_failure(self, reply: Reply) -> None:
        self.failed_at = _now()
        self._answers = 0
        tried = reply if isinstance(reply, Tried) else None
        if tried is not None and tried.elsewhere:
            # In doubt it minds this request alone: the second in a row is enough.
            self._failures += _ENOUGH if tried.status in _SURE else (_ENOUGH + 1) // 2
        else:
            self._failures += 1
        if self._failures >= _ENOUGH and not self.is_away:
            self.is_away = True
            self._since = self.failed_at
            log.warning("%s is set aside: %s", self.name, _reason(reply, self.name))

    def _note_answer(self, reply: Reply) -> None:
        self._failures = 0
        self._answers += 1
        if self._answers >= _STEADY:
            self._pause = _PAUSE
        if reply.outcome == "reply":
            before = self.seconds or reply.seconds
            self.seconds = before + _NEWEST * (reply.seconds - before)

    def _return_now(self) -> None:
        if self.is_away:
            self.is_away = False
            self._failures = 0
            log.warning("%s answers again, after %.0f s", self.name, _now() - self._since)


def has_failed(reply: Reply) -> bool:
    """Return True if a reply tells more about the server than about the request."""
    if not isinstance(reply, Tried):
        return False
    broken = reply.again and reply.outcome == "error" and (reply.status == 0 or reply.status >= 500)
    return reply.elsewhere or reply.outcome == "timeout" or broken


def _reason(reply: Reply, name: str) -> str:
    return " ".join(reply.why.removeprefix(f"{name}: ").split())[:200]


class _Group:
    """Lanes to the same model: any free one may answer."""

    def __init__(self, model: str, lanes: list[Lane]) -> None:
        self.model = model
        self.lanes = lanes
        self.weight = sum(lane.weight or 1.0 for lane in lanes)
        self.turns = Turns()
        self._by_weight = any(lane.weight for lane in lanes)
        self._homes: dict[str, Lane] = {}
        for lane in lanes:
            lane.gateway.rested = self.call

    @property
    def is_lost(self) -> bool:
        return all(lane.is_away for lane in self.lanes)

    async def ask(self, request: Request) -> Reply:
        """Ask a free lane; where it fails, ask each of the others once."""
        for lane in self.lanes:
            lane.watch_return(request, self.call)
        await self.turns.wait(self.has_room, self._homes.get(_prefix(request)))
        lane = self._choose(request)
        if self.room() > 1:
            self.call()
        tried: set[Lane] = set()
        seconds, usage, late = 0.0, Usage(), 0
        while True:
            try:
                # The lane's own queue holds calls of failed lanes only, which go first.
                reply = await lane.ask(request)
            finally:
                self.call()
            seconds += reply.seconds
            usage = added(usage, reply.usage)
            tried.add(lane)
            lane.watch_return(request, self.call)
            late += reply.outcome == "timeout"
            left = [other for other in self.lanes if other.is_open and other not in tried]
            if not has_failed(reply) or not left or late >= _LATE:
                return _summed(reply, seconds, usage)
            lane = self._least_loaded(left)

    def call(self) -> None:
        """Wake somebody who waits, best of all one whose prefix is where room is."""
        self.turns.call([lane for lane in self._usable() if lane.gateway.has_room])

    def room(self) -> int:
        return sum(lane.gateway.room for lane in self._usable())

    def has_room(self) -> bool:
        return self.room() > 0

    def _usable(self) -> list[Lane]:
        """Return the lanes that are not set aside, or all if all are."""
        return [lane for lane in self.lanes if not lane.is_away] or self.lanes

    def _choose(self, request: Request) -> Lane:
        if self.is_lost:
            return min(self.lanes, key=lambda lane: lane.failed_at)
        usable = self._usable()
        free = [lane for lane in usable if lane.gateway.has_room] or usable
        return self._furthest_behind(free) if self._by_weight else self._at_home(request, free)

    def _furthest_behind(self, free: Sequence[Lane]) -> Lane:
        """Return the lane that is furthest behind its share."""

        def share(lane: Lane) -> float:
            return lane.weight or 1.0

        chosen = min(free, key=lambda lane: (lane.served + 1.0) / share(lane))
        # A lane that was away must not be flooded to catch up.
        level = min(lane.served / share(lane) for lane in free)
        for lane in self.lanes:
            lane.served = max(lane.served, (level - 1.0) * share(lane))
        chosen.served += 1.0
        return chosen

    def _at_home(self, request: Request, free: Sequence[Lane]) -> Lane:
        """Return the lane that holds a request's prefix, or the least loaded if it is busier."""
        best = self._least_loaded(free)
        prefix = _prefix(request)
        home = self._homes.get(prefix)
        if home is not None and home in free and self._is_as_good(home, best):
            best = home
        elif len(self._homes) < _HOMES or prefix in self._homes:
            self._homes[prefix] = best
        for lane in self.lanes:
            if not (lane is best or lane.outstanding or lane.is_away):
                lane.seconds *= _FORGET
        return best

    def _is_as_good(self, home: Lane, best: Lane) -> bool:
        usual = self._usual_seconds()
        return home.load(usual, _FEW) <= _STICKY * best.load(usual, _FEW)

    def _least_loaded(self, lanes: Sequence[Lane]) -> Lane:
        usual = self._usual_seconds()
        return min(lanes, key=lambda lane: lane.load(usual))

    def _usual_seconds(self) -> float:
        """Return what is assumed of a lane that was never asked, so that it soon is."""
        return min((lane.seconds for lane in self.lanes if lane.seconds), default=1.0) / 2.0


def _prefix(request: Request) -> str:
    """Return how the part of a prompt begins that is about one person; instructions come first."""
    spoken = [message.content for message in request.messages if message.role != "system"]
    return (spoken or [""])[0][:_BEGINNING].partition("\n")[0]


def _summed(reply: Reply, seconds: float, usage: Usage) -> Reply:
    return changed(reply, seconds=seconds, usage=usage) if isinstance(reply, Tried) else reply


class Balanced:
    """Shares calls among servers; the request alone decides which model answers."""

    def __init__(self, lanes: Sequence[Lane]) -> None:
        models = dict.fromkeys(lane.model for lane in lanes)
        self.groups = [
            _Group(model, [lane for lane in lanes if lane.model == model]) for model in models
        ]

    async def ask(self, request: Request) -> Reply:
        """Return the outcome of a request at a server that can answer it now."""
        reply = await self._group_of(request).ask(request)
        if not isinstance(reply, Tried) or not reply.elsewhere:
            return reply
        if all(group.is_lost for group in self.groups):
            return reply
        return changed(reply, again=True, elsewhere=False)

    async def close(self) -> None:
        for group in self.groups:
            for lane in group.lanes:
                await lane.close()

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
    return -ln((int.from_bytes(digest, "big") + 1) / (2**64 + 1))


def _now() -> float:
    return asyncio.get_running_loop().time()
