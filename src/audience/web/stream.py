"""Endpoint of the event stream: a run's updates are read and framed once for all pages.

The run has priority: with many pages, updates are rarer and shorter, and a page that falls behind
reads the log at its own pace.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Header, Query
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from audience.errors import AudienceError
from audience.web import log_reader
from audience.web.log_reader import LogReader, Update, frame
from audience.web.replies import error_reply, to_json
from audience.web.requests import RunId, Whole
from audience.web.run_registry import RunRegistry
from audience.web.runs import status

TICK = 0.1
"""Seconds between two updates, with few pages."""
A_PAGE = 0.02
"""Seconds between two updates for each page, with many."""
SLOWEST = 1.0
"""Maximum seconds between two updates, and between two looks at a run that goes on elsewhere."""
QUIET = 15.0
"""Seconds after which a silent stream sends a comment, to show that it is alive."""
SHARED = 1_000_000
"""Bytes of chapters that all pages together get in an update while the run goes on here."""
LEAST = 8_000
KEPT = 4_000_000
"""Bytes of updates that are kept for pages that are a little behind."""
BEHIND = 20_000
"""Chapters that a page may be behind before it has to start afresh."""
FRESH = 20
"""Chapters before the newest from which it then continues."""


def cadence(pages: int) -> float:
    """Return the seconds between two updates with so many pages."""
    return min(max(TICK, pages * A_PAGE), SLOWEST)


class Feed:
    """The updates of a run, and the pages that wait for them."""

    def __init__(self, registry: RunRegistry, folder: Path, is_ending: Callable[[], bool]) -> None:
        self.registry, self.folder, self.is_ending = registry, folder, is_ending
        self.pages = 0
        self.life = registry.lives.get(folder, 0)
        self.last = 0
        self.state = b""
        self.states = 0
        self.kept: deque[Update] = deque()
        self._news: asyncio.Event = asyncio.Event()
        self._reader: LogReader | None = None
        self._size = 0
        self._looked = self._sent = 0.0
        self._task: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()

    async def join(self) -> None:
        """Add a page."""
        self.pages += 1
        async with self._lock:
            if self._reader is None:
                await asyncio.to_thread(self._open)
            if self._task is None or self._task.done():
                self._task = asyncio.create_task(self._turn())

    def leave(self) -> None:
        """Remove a page; without pages nothing is read."""
        self.pages -= 1
        if not self.pages:
            if self._task:
                self._task.cancel()
            self.close()

    def close(self) -> None:
        if self._reader:
            self._reader.close()
            self._reader = None

    @property
    def news(self) -> asyncio.Event:
        """Set when there is something new, after a long silence, or at the end."""
        return self._news

    def read(self, after: int, upto: int | None = None, most: int | None = None) -> Update:
        """Return the next chapters after a number, from the log."""
        reader = self._reader
        if reader is None:
            return Update(after, after, b"")
        return reader.update(after, upto, log_reader.BODY if most is None else most, self._numbers)

    def _numbers(self, round_: int) -> bytes:
        live = self.registry.live(self.folder)
        if live:
            rounds = list(live.watch.rounds)
        else:
            with self.registry.readers.reading(self.folder) as reader:
                rounds = reader.metrics()[1].by_round()
        for values in rounds:
            if int(values["round"]) == round_:
                return frame("metrics", to_json({"round": round_, "values": values}))
        return b""

    async def _turn(self) -> None:
        """Look for news again and again; all pages wait for this one task."""
        while self.pages:
            began = time.monotonic()
            try:
                news = await asyncio.to_thread(self._look)
            except AudienceError as error:
                news = self._stated(to_json({"control": {"state": "failed", "error": str(error)}}))
            if news or self.is_ending() or began - self._sent >= QUIET:
                self._sent = began
                self._news.set()
                self._news = asyncio.Event()
            left = cadence(self.pages) - (time.monotonic() - began)
            await asyncio.sleep(max(left, TICK / 5))

    def _look(self) -> bool:
        """Read what is new; return whether anything is."""
        is_reborn = self._reborn()
        self._leap()
        update = self.read(self.last, most=self._most())
        is_news = is_reborn or update.last > self.last
        if update.last > self.last:
            self._keep(update)
        now = time.monotonic()
        if self.registry.live(self.folder) or now - self._looked >= SLOWEST:
            self._looked = now
            return self._stated(to_json(status(self.registry, self.folder))) or is_news
        return is_news

    def _reborn(self) -> bool:
        """Start afresh if the run was reset; return whether it was."""
        life = self.registry.lives.get(self.folder, 0)
        if life == self.life:
            return False
        self.close()
        self.kept.clear()
        self.life, self._size = life, 0
        self._open()
        self.last = 0
        return True

    def _most(self) -> int:
        """Return the maximum bytes of an update: the run has priority, pages catch up later."""
        body = log_reader.BODY
        if not self.registry.live(self.folder):
            return body
        return max(min(body, SHARED // max(self.pages, 1)), min(LEAST, body))

    def _keep(self, update: Update) -> None:
        self.kept.append(update)
        self._size += len(update.body)
        while self._size > KEPT and len(self.kept) > 1:
            self._size -= len(self.kept.popleft().body)
        self.last = update.last

    def _leap(self) -> None:
        """Skip to the newest chapters if the run is faster than pages can follow."""
        newest = self._reader.newest() if self._reader else self.last
        if newest - self.last > BEHIND:
            self.kept.clear()
            self._size, self.last = 0, newest - FRESH

    def _stated(self, state: bytes) -> bool:
        if state == self.state:
            return False
        self.state, self.states = state, self.states + 1
        return True

    def _open(self) -> None:
        self._reader = LogReader(self.folder)
        self.last = self._reader.newest()
        self._stated(to_json(status(self.registry, self.folder)))


STILL_HERE = b": still here\n\n"


class StreamCursor:
    """An open stream and how far it is."""

    def __init__(self, feed: Feed, after: int) -> None:
        self.feed, self.after = feed, after
        self.life = feed.life
        self.states = 0
        self.caught_up = False

    async def updates(self) -> AsyncIterator[bytes]:
        """Yield what is sent, until the page closes or the server stops."""
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
        """Return a reset if the page has to start afresh: from the start, or with the newest."""
        feed = self.feed
        if self.life != feed.life or self.after > feed.last:
            self.life, self.after = feed.life, 0
            return frame("reset", b'{"after":0,"again":true}')
        if self.caught_up and feed.last - self.after > BEHIND:
            self.after = feed.kept[-1].after if feed.kept else feed.last
            return frame("reset", b'{"after":%d,"again":false}' % self.after)
        return b""

    def _next(self) -> Update | None:
        """Return the kept update that begins where this page is; None if there is none."""
        for update in reversed(self.feed.kept):
            if update.after == self.after:
                return update
            if update.after < self.after:
                break
        return None


class Streams:
    """The feeds of all runs that are open in a page."""

    def __init__(self, registry: RunRegistry, most: int) -> None:
        self.registry, self.most = registry, most
        self.open = 0
        self.is_ending: Callable[[], bool] = lambda: False
        """Returns whether the server is stopping."""
        self._feeds: dict[Path, Feed] = {}

    async def updates(self, folder: Path, after: int) -> AsyncGenerator[bytes]:
        """Yield the stream of a page until it is closed."""
        feed = self._feeds.get(folder)
        if feed is None:
            feed = self._feeds[folder] = Feed(self.registry, folder, lambda: self.is_ending())
        try:
            await feed.join()
            async for body in StreamCursor(feed, after).updates():
                yield body
        finally:
            feed.leave()
            if not feed.pages and self._feeds.get(folder) is feed:
                del self._feeds[folder]


class CountedStream(StreamingResponse):
    """A stream that is sent only if no more than the most are open, counted from its beginning."""

    def __init__(self, streams: Streams, content: AsyncGenerator[bytes]) -> None:
        headers = {"x-accel-buffering": "no"}
        super().__init__(content, media_type="text/event-stream", headers=headers)
        self._streams, self._content = streams, content

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        streams = self._streams
        if streams.open >= streams.most:
            await self._content.aclose()
            why = f"{streams.most} streams are open already; close some"
            await error_reply(429, why)(scope, receive, send)
            return
        streams.open += 1
        try:
            await super().__call__(scope, receive, send)
        finally:
            streams.open -= 1


def router(registry: RunRegistry, streams: Streams) -> APIRouter:
    """Return the endpoint of streams."""
    api = APIRouter()

    @api.get("/runs/{run}/stream", response_class=Response)
    async def stream(
        run: RunId,
        after: Annotated[Whole, Query()] = 0,
        last_event_id: Annotated[str | None, Header()] = None,
    ) -> Response:
        """Stream chapters after a number, with states and metrics, as they arrive."""
        folder = await asyncio.to_thread(registry.folders.folder_of, run)
        if last_event_id and last_event_id.isdecimal() and len(last_event_id) < 16:
            after = int(last_event_id)
        return CountedStream(streams, streams.updates(folder, after))

    return api
