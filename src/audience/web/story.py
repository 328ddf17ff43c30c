"""What happened, in words, with filters."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Query
from starlette.responses import Response

from audience.experiments.story import Teller
from audience.log import Log
from audience.web.hall import Hall
from audience.web.kinds import Agent, Round, RunId, Whole
from audience.web.replies import told
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
