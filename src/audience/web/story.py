"""The endpoint of the story, which tells events in words."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Annotated

import msgspec
from fastapi import APIRouter, Query
from starlette.responses import Response

from audience.log import Log, arrivals_in
from audience.runs import Teller
from audience.web.replies import json_reply
from audience.web.reply_types import StoryLine
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
