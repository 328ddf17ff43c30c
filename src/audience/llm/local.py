"""A gateway to the embedded model: its worker is started by the first question."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from audience.llm.embedded import SLOTS, EmbeddedModel
from audience.llm.endpoint import Endpoint
from audience.llm.kinds import Gateway, Reply, Request
from audience.llm.openai import OpenAI
from audience.llm.retrying import Retrying

NAME = "embedded"


class Embedded:
    """Asks a model on this machine. It belongs to one event loop at a time; `close` ends it."""

    def __init__(
        self,
        file: str = "",
        *,
        slots: int = SLOTS,
        deadline: float = 120.0,
        said: Callable[[str], None] | None = None,
    ) -> None:
        path = Path(file).expanduser() if file else None
        self.model = EmbeddedModel(path, slots=slots, said=said)
        self.deadline = deadline
        self._inner: Gateway | None = None
        self._starting: asyncio.Lock | None = None
        self._room: asyncio.Semaphore | None = None

    async def ask(self, request: Request) -> Reply:
        """Ask the worker; no more at once than it has room for."""
        inner, room = await self._started()
        async with room:
            reply = await inner.ask(request)
        return replace(reply, endpoint=NAME)

    async def _started(self) -> tuple[Gateway, asyncio.Semaphore]:
        self._starting = self._starting or asyncio.Lock()
        async with self._starting:
            if self._inner is None or self._room is None:
                url = await self.model.start()
                endpoint = Endpoint(url=url, price="free")
                provider = OpenAI(endpoint, deadline=self.deadline)
                self._inner = Retrying(provider, tries=3, overall=2 * self.deadline)
                # Requests for several candidates take several slots; a few may wait inside.
                self._room = asyncio.Semaphore(max(1, self.model.slots // 2))
        return self._inner, self._room

    async def close(self) -> None:
        """End the worker; another question starts it again."""
        inner, self._inner = self._inner, None
        self._starting = self._room = None
        if inner is not None:
            await inner.close()
        await self.model.close()
