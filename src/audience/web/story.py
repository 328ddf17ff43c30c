"""Endpoints of the story, which tells events in words, and of the model calls behind it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Annotated

import msgspec
from fastapi import APIRouter, Path as InPath, Query
from starlette.responses import Response

from audience.llm import FILE as CALLS, Call, CallStore, load_prices
from audience.log import Log, arrivals_in
from audience.runs import Teller
from audience.scenario import EMBEDDED, FILE as TYPED, Models, endpoints_of
from audience.web.receipts import CallPage
from audience.web.replies import Missing, json_reply
from audience.web.reply_types import CallReply, StoryLine, TokenCount
from audience.web.requests import Agent, Round, RunId, Whole
from audience.web.run_registry import RunRegistry
from audience.world import events as e

MOST = 1000
_PAGE = 500


class Filter(msgspec.Struct, frozen=True):
    """Which lines to return; an empty field lets all through."""

    round: int | None = None
    agent: int | None = None
    kinds: frozenset[str] = frozenset()
    item: int | None = None
    text: str = ""

    def takes(self, event: e.AnyEvent) -> bool:
        if self.kinds and type(event).__name__ not in self.kinds:
            return False
        if self.item is not None and self.item not in items_of(event):
            return False
        return self.agent is None or self.agent in people_of(event)


def people_of(event: e.AnyEvent) -> set[int]:
    """Return the people an event is about."""
    people = {getattr(event, name) for name in ("agent", "who", "author") if hasattr(event, name)}
    to = getattr(event, "to", ())
    return people | (set(to) if isinstance(to, tuple) else {to})


def items_of(event: e.AnyEvent) -> tuple[int, ...]:
    """Return the items that an event names."""
    item = (event.item,) if hasattr(event, "item") else ()
    return (*item, *getattr(event, "items", ()))


def router(registry: RunRegistry) -> APIRouter:
    """Return the endpoint of the story."""
    api = APIRouter()

    @api.get("/runs/{run}/story", response_class=Response)
    def story(
        run: RunId,
        after: Annotated[Whole, Query()] = 0,
        round: Annotated[Round | None, Query()] = None,  # noqa: A002
        agent: Annotated[Agent | None, Query()] = None,
        kind: Annotated[str, Query(max_length=500)] = "",
        item: Annotated[Agent | None, Query()] = None,
        text: Annotated[str, Query(max_length=200)] = "",
        limit: Annotated[int, Query(ge=1, le=MOST)] = 200,
        latest: Annotated[bool, Query()] = False,
    ) -> Response:
        """Return lines after a chapter number: the first ones or, with `latest`, the last ones."""
        kinds = frozenset(name.strip() for name in kind.split(",") if name.strip())
        chosen = Filter(round, agent, kinds, item, text.lower())
        with registry.readers.reading(registry.folders.folder_of(run)) as reader:
            lines = _lines(reader.log, reader.teller(), after, chosen)
            if latest:
                return json_reply(list(deque(lines, maxlen=limit)))
            return json_reply([line for line, _ in zip(lines, range(limit), strict=False)])

    return api


def _lines(log: Log, teller: Teller, after: int, chosen: Filter) -> Iterator[StoryLine]:
    first, last = (0, None) if chosen.round is None else arrivals_in(log, chosen.round)
    after = max(after, first - 1)
    while (last is None or after < last) and (rows := log.follow(after, limit=_PAGE)):
        for seq, chapter in rows:
            if chosen.round is None or chapter.round == chosen.round:
                yield from _chapter_lines(seq, chapter, teller, chosen)
        after = rows[-1][0]


def _chapter_lines(
    seq: int, chapter: e.Chapter, teller: Teller, chosen: Filter
) -> Iterator[StoryLine]:
    for step, entry in enumerate(chapter.entries):
        event = entry.event
        if not chosen.takes(event):
            continue
        line = teller.line(event).strip()
        if not line or (chosen.text and chosen.text not in line.lower()):
            continue
        yield StoryLine(
            seq,
            step,
            chapter.round,
            chapter.phase,
            getattr(event, "agent", chapter.agent),
            type(event).__name__,
            line,
            entry.cause,
            items_of(event),
            entry.calls,
        )


Key = Annotated[str, InPath(pattern="^[0-9a-f]{32}$")]


def calls_router(registry: RunRegistry) -> APIRouter:
    """Return the endpoint of model calls."""
    api = APIRouter()

    @api.get("/runs/{run}/calls/{key}", response_class=Response)
    def call(run: RunId, key: Key) -> Response:
        """Return the prompt and the reply of a call."""
        folder = registry.folders.folder_of(run)
        with registry.readers.reading(folder) as reader:
            models = reader.scenario.llm
        for name in (CALLS, TYPED):
            if (folder / name).is_file():
                with closing(CallStore(folder / name, read_only=True)) as calls:
                    if takes := calls.of(key):
                        return json_reply(_call_reply(takes[-1], models))
        raise Missing(f"there is no call {key}")

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


def _call_reply(call: Call, models: Models) -> CallReply:
    reply = call.reply
    prices = load_prices(Path(models.prices) if models.prices else None)
    named = {endpoint.name: endpoint.price for endpoint in endpoints_of(models)}
    named[EMBEDDED] = "free"
    price = prices.find(named.get(reply.endpoint) or reply.model)
    return CallReply(
        reply.key,
        call.request.purpose,
        call.request.messages,
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
