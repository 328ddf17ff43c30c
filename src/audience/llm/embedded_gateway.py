"""A gateway to the embedded model, as it comes or with the adapter that makes `audience-135m`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from audience.llm.adapter import TUNED, tuned_model, tuned_terms
from audience.llm.embedded import SLOTS, SLOWEST, EmbeddedModel
from audience.llm.endpoint import Endpoint
from audience.llm.openai import OpenAI
from audience.llm.request import Gateway, Reply, Request, Retrying

EMBEDDED_NAME = "embedded"
log = logging.getLogger(__name__)


class EmbeddedGateway:
    """A gateway to embedded models, for one event loop at a time; `close` stops their workers.

    `model` is a GGUF file, `audience-135m`, or empty: then it is the embedded model, and requests
    for `audience-135m` get that one. Each is loaded when it is first asked.
    """

    def __init__(
        self,
        model: str = "",
        *,
        slots: int = SLOTS,
        deadline: float = SLOWEST,
        said: Callable[[str], None] | None = None,
    ) -> None:
        self.named = model
        self.slots = slots
        self.deadline = deadline
        self._said = said
        self._workers: dict[str, _Worker] = {}

    @property
    def pids(self) -> tuple[int, ...]:
        """The process ids of the workers that run."""
        return tuple(worker.pid for worker in self._workers.values() if worker.pid)

    async def ask(self, request: Request) -> Reply:
        """Ask the worker of the model that a request names, within its number of slots."""
        name = self.named or (TUNED if request.model == TUNED else "")
        if name not in self._workers:
            self._workers[name] = _Worker(lambda: self._model(name), self.deadline)
        return await self._workers[name].ask(request)

    def _model(self, name: str) -> EmbeddedModel:
        """Return a model that is not started yet; `audience-135m` is made if it is not there."""
        path = Path(name).expanduser() if name else None
        if name == TUNED:
            path = tuned_model(self._said or (lambda text: None))
            log.warning("%s", tuned_terms())
        return EmbeddedModel(path, slots=self.slots, said=self._said)

    async def close(self) -> None:
        """Stop the workers; another request starts one again."""
        workers, self._workers = self._workers, {}
        for worker in workers.values():
            await worker.close()


class _Worker:
    """One model, started when it is first asked."""

    def __init__(self, make: Callable[[], EmbeddedModel], deadline: float) -> None:
        self._make, self._deadline = make, deadline
        self._model: EmbeddedModel | None = None
        self._inner: Gateway | None = None
        self._starting = asyncio.Lock()
        # Requests for several candidates take several slots; a few may wait in the worker.
        self._room = asyncio.Semaphore(1)

    @property
    def pid(self) -> int | None:
        return self._model.pid if self._model else None

    async def ask(self, request: Request) -> Reply:
        inner = await self._started()
        async with self._room:
            reply = await inner.ask(request)
        return replace(reply, endpoint=EMBEDDED_NAME)

    async def _started(self) -> Gateway:
        async with self._starting:
            if self._inner is None:
                self._model = await asyncio.to_thread(self._make)
                endpoint = Endpoint(url=await self._model.start(), price="free")
                provider = OpenAI(endpoint, deadline=self._deadline)
                self._inner = Retrying(provider, tries=3, overall=2 * self._deadline)
                self._room = asyncio.Semaphore(max(1, self._model.slots // 2))
        return self._inner

    async def close(self) -> None:
        if self._inner is not None:
            await self._inner.close()
        if self._model is not None:
            await self._model.close()
