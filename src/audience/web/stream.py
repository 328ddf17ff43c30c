"""One stream of events per page: chapters in the order of their arrival, states and numbers.

A page is a number, how far it has come. One that is slow, or was away, reads the log at its own
pace until it has caught up; nobody keeps a queue for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Header, HTTPException, Query
from starlette.responses import Response, StreamingResponse

from audience.web import feed as feeds
from audience.web.feed import TICK, Feed
from audience.web.hall import Hall
from audience.web.kinds import RunId, Whole
from audience.web.tape import Update, frame

STILL_HERE = b": still here\n\n"


class Page:
    """One open stream: how far it has come."""

    def __init__(self, feed: Feed, after: int) -> None:
        self.feed, self.after = feed, after
        self.life = feed.life
        self.states = 0
        self.caught_up = False

    async def updates(self) -> AsyncIterator[bytes]:
        """Yield what is sent, until the page goes or the server stops."""
        feed = self.feed
        yield b"retry: 1000\n\n"
        while not feed.is_ending():
            news = feed.news
            parts = [self._renewed(), self._state()]
            while self.after < feed.last:
                update = self._next()
                if update is None:
                    yield b"".join(parts)
                    update = await asyncio.to_thread(feed.read, self.after, feed.last)
                    parts = [update.body]
                    self.after = max(update.last, self.after)
                    await asyncio.sleep(TICK / 5)
                    if not update.body:
                        break
                else:
                    parts.append(update.body)
                    self.after = update.last
            self.caught_up = True
            yield b"".join(parts) or STILL_HERE
            await news.wait()

    def _state(self) -> bytes:
        if self.states == self.feed.states:
            return b""
        self.states = self.feed.states
        return frame("state", self.feed.state)

    def _renewed(self) -> bytes:
        """Return that the page shall begin anew: at the start, or with what is newest."""
        feed = self.feed
        if self.life != feed.life or self.after > feed.last:
            self.life, self.after = feed.life, 0
            return frame("reset", b'{"after":0,"again":true}')
        if self.caught_up and feed.last - self.after > feeds.BEHIND:
            self.after = feed.kept[-1].after if feed.kept else feed.last
            return frame("reset", b'{"after":%d,"again":false}' % self.after)
        return b""

    def _next(self) -> Update | None:
        """Return the kept update that begins where this page is; None: it must read the log."""
        for update in reversed(self.feed.kept):
            if update.after == self.after:
                return update
            if update.after < self.after:
                break
        return None


class Streams:
    """The feeds of all runs that somebody looks at."""

    def __init__(self, hall: Hall, most: int) -> None:
        self.hall, self.most = hall, most
        self.open = 0
        self.is_ending: Callable[[], bool] = lambda: False
        """Says whether the server stops."""
        self._feeds: dict[Path, Feed] = {}

    async def updates(self, folder: Path, after: int) -> AsyncIterator[bytes]:
        """Yield one page's stream; a page that goes leaves nothing behind."""
        feed = self._feeds.get(folder)
        if feed is None:
            feed = self._feeds[folder] = Feed(self.hall, folder, lambda: self.is_ending())
        self.open += 1
        try:
            await feed.join()
            async for body in Page(feed, after).updates():
                yield body
        finally:
            self.open -= 1
            feed.leave()
            if not feed.pages and self._feeds.get(folder) is feed:
                del self._feeds[folder]


def router(hall: Hall, streams: Streams) -> APIRouter:
    """Return the way to streams."""
    api = APIRouter()

    @api.get("/runs/{run}/stream", response_class=Response)
    async def stream(
        run: RunId,
        after: Annotated[Whole, Query()] = 0,
        last_event_id: Annotated[str | None, Header()] = None,
    ) -> Response:
        """Stream chapters after a number, with states and numbers, as they come."""
        folder = await asyncio.to_thread(hall.shelf.folder_of, run)
        if streams.open >= streams.most:
            raise HTTPException(429, f"{streams.most} streams are open already; close some")
        if last_event_id and last_event_id.isdecimal() and len(last_event_id) < 16:
            after = int(last_event_id)
        return StreamingResponse(
            streams.updates(folder, after),
            media_type="text/event-stream",
            headers={"x-accel-buffering": "no"},
        )

    return api
