"""A gateway that lets through as many calls at once as the endpoint bears."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from audience.llm.kinds import Gateway, Reply, Request
from audience.llm.limits import FIRST, Limit
from audience.llm.tried import Tried

_LONGEST = 60.0


class Turns:
    """Those who wait for room: first come, first served."""

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def wait(self, has_room: Callable[[], bool]) -> None:
        """Return when there is room; the caller takes it before it awaits anything else."""
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
        """Let the next one look whether there is room."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return


class Limited:
    """Keeps the calls at one endpoint within a limit that it finds by itself."""

    def __init__(self, inner: Gateway, *, most: int = 256, first: int = FIRST) -> None:
        self.inner = inner
        self.limit = Limit(most, first)
        self.turns = Turns()
        self.rested: Callable[[], None] = self.turns.call
        """Called when a rest that the server asked for is over."""
        self._resting: asyncio.TimerHandle | None = None

    @property
    def room(self) -> int:
        """How many calls may begin now."""
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
        """Rest as long as the server asks for, so that those in the queue do not run into it."""
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
