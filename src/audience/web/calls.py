"""Endpoints of the calls to models: the list, a prompt with its reply, and asking it again."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Path as InPath, Query
from starlette.responses import Response

from audience.llm import FILE as CALLS, Call, CallStore, ChatMessage
from audience.runs import ask_again, stored_call
from audience.scenario import Models, price_of
from audience.web.background import Background
from audience.web.receipts import CallPage
from audience.web.replies import Conflict, Missing, json_reply
from audience.web.reply_types import CallReply, TokenCount
from audience.web.requests import AskAgain, RunId, Whole
from audience.web.run_registry import RunRegistry
from audience.web.scenarios import Offer
from audience.web.voice_types import AgainReply

MOST = 1000
AGAIN = 100
"""How often calls of one run may be asked again while this server runs."""
Key = Annotated[str, InPath(pattern="^[0-9a-f]{32}$")]


class Repetitions:
    """Asks calls again, a limited number of times for each run."""

    def __init__(self, registry: RunRegistry, offer: Offer) -> None:
        self._registry, self._offer = registry, offer
        self._asked: Counter[Path] = Counter()
        self._lock = threading.Lock()

    def ask(self, folder: Path, key: str, messages: list[ChatMessage]) -> AgainReply:
        """Return what the model replies now; nothing is kept of it."""
        call, models = _found(self._registry, folder, key)
        self._offer.check_asked(models)
        with self._lock:
            if self._asked[folder] >= AGAIN:
                raise Conflict(
                    f"calls of this run were asked again {AGAIN} times; start the server anew to "
                    "ask more"
                )
            self._asked[folder] += 1
            nth = self._asked[folder]
        spending = self._registry.spending_left(folder)
        reply = ask_again(folder, call, messages, spending, nth)
        asked = Call(call.request, reply, 1, 1)
        return AgainReply(_call_reply(asked, models, tuple(messages)), AGAIN - nth)


def router(registry: RunRegistry, offer: Offer, background: Background) -> APIRouter:
    """Return the endpoints of calls."""
    api = APIRouter()
    repetitions = Repetitions(registry, offer)

    @api.get("/runs/{run}/calls/{key}", response_class=Response)
    def call(run: RunId, key: Key) -> Response:
        """Return the prompt and the reply of a call."""
        found, models = _found(registry, registry.folders.folder_of(run), key)
        return json_reply(_call_reply(found, models, found.request.messages))

    @api.post("/runs/{run}/calls/{key}/again", response_class=Response)
    async def again(run: RunId, key: Key, body: AskAgain) -> Response:
        """Ask the model of a call again with these messages; the answer changes nothing."""
        folder = await asyncio.to_thread(registry.folders.folder_of, run)
        messages = [ChatMessage(one.role, one.content) for one in body.messages]
        reply = await background.result(lambda: repetitions.ask(folder, key, messages))
        return json_reply(reply)

    @api.get("/runs/{run}/calls", response_class=Response)
    def listed(
        run: RunId,
        purpose: Annotated[str, Query(max_length=60)] = "",
        outcome: Annotated[str, Query(max_length=20)] = "",
        offset: Annotated[Whole, Query()] = 0,
        limit: Annotated[int, Query(ge=1, le=MOST)] = 50,
    ) -> Response:
        """Return model calls, newest first, and how many of each purpose ended in each way."""
        file = registry.folders.folder_of(run) / CALLS
        if not file.is_file():
            return json_reply(CallPage(0, [], {}))
        with closing(CallStore(file, read_only=True)) as calls:
            total, lines = calls.listed(purpose, outcome, offset, limit)
            return json_reply(CallPage(total, lines, calls.outcomes()))

    return api


def _found(registry: RunRegistry, folder: Path, key: str) -> tuple[Call, Models]:
    """Return a call and the table of models of its run."""
    with registry.readers.reading(folder) as reader:
        models = reader.scenario.llm
    call = stored_call(folder, key)
    if call is None:
        raise Missing(f"there is no call {key}")
    return call, models


def _call_reply(call: Call, models: Models, messages: tuple[ChatMessage, ...]) -> CallReply:
    reply = call.reply
    price = price_of(models, reply.endpoint, reply.model)
    return CallReply(
        reply.key,
        call.request.purpose,
        messages,
        call.request.schema,
        reply.texts[0] if reply.texts else "",
        reply.texts,
        reply.outcome,
        reply.why,
        reply.model,
        TokenCount(reply.usage.prompt, reply.usage.completion),
        cost=price.of(reply.usage) if price else None,
        seconds=round(reply.seconds, 3),
        attempts=reply.attempts,
    )
