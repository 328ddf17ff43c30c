"""Connections that end if a client sends no request, or reads nothing of what it is sent."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

from audience.web.security import Limits


class TimedConnection(H11Protocol):
    """A connection whose requests begin, and whose replies are read, within the limits."""

    limits = Limits()
    _late: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_head()

    def handle_events(self) -> None:
        super().handle_events()
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self._late, self._stalled):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stalled = self.loop.call_later(self.limits.stall_s, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def _expect_head(self) -> None:
        """Wait for the head of a request; a request ends the wait."""
        is_waiting = self.cycle is None or self.cycle.response_complete
        if is_waiting and self._late is None:
            self._late = self.loop.call_later(self.limits.headers_s, self._give_up)
        elif not is_waiting and self._late is not None:
            self._late.cancel()
            self._late = None

    def _give_up(self) -> None:
        if self.cycle is None or self.cycle.response_complete:
            self.transport.abort()


def connection_within(limits: Limits) -> type[TimedConnection]:
    """Return the kind of connection that keeps these limits."""
    return type("LimitedConnection", (TimedConnection,), {"limits": limits})
