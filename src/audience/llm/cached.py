"""A gateway that keeps every call, and answers from what was kept."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from time import perf_counter
from typing import Literal, get_args

from audience.errors import AudienceError, unknown
from audience.llm.kinds import Gateway, Reply, Request
from audience.llm.store import CallStore

Mode = Literal["fresh", "reuse", "stored"]
"""Ask anew always; only what was not replied before; never."""
SOON = 0.2
"""Seconds after which an answer lasts: what a killed process has to pay for again is less."""
GIVEN_UP = "given up by the asker"
"""How the outcome of a call begins that was cancelled while it waited."""


class Cached:
    """Keeps every outcome; what it gives back of them depends on the mode.

    `fresh` asks always. `reuse` gives back replies and asks for the rest. `stored` never asks: it
    gives back every outcome, failures too, each in its turn.
    """

    def __init__(self, inner: Gateway | None, store: CallStore, mode: Mode = "reuse") -> None:
        """`inner` may be None where nothing is ever asked: in mode `stored`."""
        if mode not in get_args(Mode):
            raise unknown("calls", mode, get_args(Mode))
        self.inner = inner
        self.store = store
        self.mode = mode
        self._asked: dict[bytes, int] = {}
        self._waits_in: asyncio.AbstractEventLoop | None = None

    async def ask(self, request: Request) -> Reply:
        """Return the kept outcome where the mode allows, else ask and keep what comes."""
        short = bytes.fromhex(request.key)
        nth = self._asked[short] = self._asked.get(short, 0) + 1
        if self.mode != "fresh":
            kept = self.store.find(request.key, nth, only_replies=self.mode == "reuse")
            if kept is not None:
                return kept
        if self.mode == "stored" or self.inner is None:
            return _missing(request, self.store)
        reply = await self._ask(self.inner, request, nth)
        self._keep(request, reply, nth)
        return reply

    async def close(self) -> None:
        try:
            if self.inner is not None:
                await self.inner.close()
        finally:
            self.store.close()

    async def _ask(self, inner: Gateway, request: Request, nth: int) -> Reply:
        began = perf_counter()
        try:
            return await inner.ask(request)
        except asyncio.CancelledError:
            seconds = perf_counter() - began
            why = f"{GIVEN_UP} after {seconds:.1f} s"
            given_up = Reply(request.key, "timeout", why=why, seconds=seconds)
            self._keep(request, given_up, nth)
            raise

    def _keep(self, request: Request, reply: Reply, nth: int) -> None:
        """Add a call, and see to it that it lasts soon, also where nobody commits anything."""
        self.store.add(request, reply, nth)
        loop = asyncio.get_running_loop()
        if self._waits_in is not loop:
            self._waits_in = loop
            loop.call_later(SOON, self._flush)

    def _flush(self) -> None:
        self._waits_in = None
        # What cannot be written now stays, and is told by the next flush that somebody waits for.
        with suppress(AudienceError):
            self.store.flush()


def _missing(request: Request, store: CallStore) -> Reply:
    why = (
        f"not in the call store {store.path}: {request.purpose} {request.key}; ask for it with "
        "--calls reuse"
    )
    return Reply(request.key, "error", why=why, reused=True)
