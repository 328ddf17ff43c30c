"""What happened, in words, with filters."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Path as InPath, Query
from starlette.responses import Response

from audience.llm import FILE as CALLS, Call, CallStore, load_prices
from audience.log import Log
from audience.runs import Teller
from audience.scenario import EMBEDDED, FILE as TYPED, Models, endpoints_of
from audience.web.replies import Missing, told
from audience.web.requests import Agent, Round, RunId, Whole
from audience.web.run_registry import Hall
from audience.world import events as e

MOST = 1000
_PAGE = 500


class Filter(msgspec.Struct, frozen=True):
    """Which lines are wanted; what is empty lets all through."""

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
    """Return whom an event is about."""
    found = {getattr(event, name) for name in ("agent", "who", "author") if hasattr(event, name)}
    to = getattr(event, "to", ())
    return found | (set(to) if isinstance(to, tuple) else {to})


def items_of(event: e.AnyEvent) -> tuple[int, ...]:
    """Return the items that an event names."""
    one = (event.item,) if hasattr(event, "item") else ()
    return (*one, *getattr(event, "items", ()))


def router(hall: Hall) -> APIRouter:
    """Return the way to the story."""
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
        """Return told lines after a number, the first ones or, with `latest`, the last ones."""
        kinds = frozenset(one.strip() for one in kind.split(",") if one.strip())
        wanted = Filter(round, agent, kinds, item, text.lower())
        with hall.readers.reading(hall.shelf.folder_of(run)) as reader:
            lines = _lines(reader.log, reader.teller(), after, wanted)
            if latest:
                return told(list(deque(lines, maxlen=limit)))
            return told([line for line, _ in zip(lines, range(limit), strict=False)])

    return api


def _lines(log: Log, teller: Teller, after: int, wanted: Filter) -> Iterator[dict[str, Any]]:
    while rows := log.follow(after, limit=_PAGE):
        for seq, chapter in rows:
            if wanted.round is None or chapter.round == wanted.round:
                yield from _told(seq, chapter, teller, wanted)
        after = rows[-1][0]


def _told(seq: int, chapter: e.Chapter, teller: Teller, wanted: Filter) -> Iterator[dict[str, Any]]:
    for step, entry in enumerate(chapter.entries):
        if not wanted.takes(entry.event):
            continue
        line = teller.line(entry.event).strip()
        if not line or (wanted.text and wanted.text not in line.lower()):
            continue
        yield {
            "n": seq,
            "step": step,
            "round": chapter.round,
            "phase": chapter.phase,
            "agent": getattr(entry.event, "agent", chapter.agent),
            "kind": type(entry.event).__name__,
            "text": line,
            "cause": entry.cause,
            "items": items_of(entry.event),
            "calls": entry.calls,
        }


Key = Annotated[str, InPath(pattern="^[0-9a-f]{32}$")]


def calls_router(hall: Hall) -> APIRouter:
    """Return the way to calls."""
    api = APIRouter()

    @api.get("/runs/{run}/calls/{key}", response_class=Response)
    def one(run: RunId, key: Key) -> Response:
        """Return what was asked and what came back."""
        folder = hall.shelf.folder_of(run)
        with hall.readers.reading(folder) as reader:
            models = reader.scenario.llm
        for name in (CALLS, TYPED):
            if (folder / name).is_file():
                with closing(CallStore(folder / name, read_only=True)) as calls:
                    if found := calls.of(key):
                        return told(_plain(found[-1], models))
        raise Missing(f"there is no call {key}")

    return api


def _plain(call: Call, models: Models) -> dict[str, Any]:
    reply = call.reply
    prices = load_prices(Path(models.prices) if models.prices else None)
    named = {one.name: one.price for one in endpoints_of(models)} | {EMBEDDED: "free"}
    price = prices.find(named.get(reply.endpoint) or reply.model)
    return {
        "key": reply.key,
        "purpose": call.request.purpose,
        "messages": msgspec.to_builtins(call.request.messages),
        "schema": call.request.schema,
        "reply": reply.texts[0] if reply.texts else "",
        "replies": reply.texts,
        "outcome": reply.outcome,
        "why": reply.why,
        "model": reply.model,
        "tokens": {"prompt": reply.usage.prompt, "completion": reply.usage.completion},
        "cost": price.of(reply.usage) if price else None,
        "seconds": round(reply.seconds, 3),
        "attempts": reply.attempts,
    }
