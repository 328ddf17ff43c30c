"""One stream of events per run: chapters in the order of their arrival, states and numbers.

All pages that look at a run share one reading of its log. A page that is slow, or was away,
reads the log at its own pace until it has caught up; nobody keeps a queue for it.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Annotated

import msgspec
from fastapi import APIRouter, Header, HTTPException, Query
from starlette.responses import Response, StreamingResponse

from audience.errors import AudienceError
from audience.log import Log
from audience.log.store import Row
from audience.web.hall import Hall
from audience.web.kinds import RunId, Whole
from audience.web.replies import encoded
from audience.web.status import stand
from audience.world.events import CLOSING

TICK = 0.1
"""Seconds between two updates, where few look."""
A_PAGE = 0.006
"""Seconds between two updates for each page, where many do: the run comes first."""
SELDOM = 1.0
"""The same for the state of a run that does not go on here."""
QUIET = 15.0
"""Seconds after which a silent stream says that it is there."""
BODY = 128_000
"""Bytes of chapters in one update, at most, unless a single one is longer."""
SHARED = 1_000_000
"""Bytes of chapters that all pages together get in one update while the run goes on here."""
LEAST = 8_000
KEPT = 4_000_000
"""Bytes of updates that are kept for pages that are a little behind."""
BEHIND = 20_000
"""Chapters that a page may be behind before it is told to begin anew."""
ROWS = 500


class Update(msgspec.Struct, frozen=True):
    """Some chapters as they are sent, all after one number up to another."""

    after: int
    last: int
    body: bytes


def frame(event: str, value: bytes, number: int | None = None) -> bytes:
    """Return one event of a stream."""
    id_ = b"" if number is None else b"id: %d\n" % number
    return b"%bevent: %b\ndata: %b\n\n" % (id_, event.encode(), value)


class Tape:
    """A run's log in the order of arrival. Read by several threads, closed by another."""

    def __init__(self, folder: Path) -> None:
        self._lock = threading.Lock()
        self._log: Log | None = Log.open(folder)

    def rows(self, after: int) -> list[tuple[int, Row]]:
        """Return the next chapters after a number; none once it is closed."""
        with self._lock:
            return self._log.arrived(after, limit=ROWS) if self._log else []

    def newest(self) -> int:
        """Return the number of the chapter that arrived last; 0: none."""
        with self._lock:
            found = self._log.query("SELECT max(seq) FROM chapters") if self._log else [(0,)]
            return int(found[0][0] or 0)

    def close(self) -> None:
        with self._lock:
            if self._log:
                self._log.close()
                self._log = None


class Feed:
    """What one run sends to all pages that look at it."""

    def __init__(self, hall: Hall, folder: Path) -> None:
        self.hall, self.folder = hall, folder
        self.pages = 0
        self.life = hall.lives.get(folder, 0)
        self.last = 0
        self.state = b""
        self.states = 0
        self.kept: deque[Update] = deque()
        self.news = asyncio.Event()
        self._tape: Tape | None = None
        self._size = 0
        self._looked = 0.0
        self._task: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()

    async def join(self) -> None:
        """Take in one more page."""
        self.pages += 1
        async with self._lock:
            if self._tape is None:
                await asyncio.to_thread(self._open)
            if self._task is None or self._task.done():
                self._task = asyncio.create_task(self._turn())

    def leave(self) -> None:
        """Let a page go; without pages nothing is read."""
        self.pages -= 1
        if not self.pages:
            if self._task:
                self._task.cancel()
            self.close()

    def close(self) -> None:
        if self._tape:
            self._tape.close()
            self._tape = None

    def read(self, after: int, upto: int | None = None, most: int | None = None) -> Update:
        """Return the next chapters after a number, straight from the log."""
        most = BODY if most is None else most
        tape = self._tape
        parts: list[bytes] = []
        size, last = 0, after
        for seq, (round_, phase, rank, agent, body) in tape.rows(after) if tape else ():
            if upto is not None and seq > upto:
                break
            value = b'{"n":%d,"round":%d,"phase":%d,"rank":%d,"agent":%d,"entries":%b}' % (
                seq, round_, phase, rank, agent, body,
            )  # fmt: skip
            parts.append(frame("chapter", value, seq))
            last, size = seq, size + len(value)
            if phase == CLOSING:
                parts.append(self._numbers(round_))
            if size >= most:
                break
        return Update(after, last, b"".join(parts))

    def _numbers(self, round_: int) -> bytes:
        here = self.hall.live(self.folder)
        if here:
            rounds = list(here.watch.rounds)
        else:
            with self.hall.readers.reading(self.folder) as reader:
                rounds = reader.metrics()[1].by_round()
        for values in rounds:
            if int(values["round"]) == round_:
                return frame("metrics", encoded({"round": round_, "values": values}))
        return b""

    async def _turn(self) -> None:
        while self.pages:
            began = time.monotonic()
            try:
                news = await asyncio.to_thread(self._look)
            except AudienceError as error:
                news = self._stated(encoded({"control": {"state": "failed", "error": str(error)}}))
            if news:
                self.news.set()
                self.news = asyncio.Event()
            tick = max(TICK, self.pages * A_PAGE)
            await asyncio.sleep(max(tick - (time.monotonic() - began), TICK / 5))

    def _look(self) -> bool:
        """Read what is new; say whether anything is."""
        life = self.hall.lives.get(self.folder, 0)
        is_new = life != self.life
        if is_new:
            self.close()
            self.kept.clear()
            self.life, self._size = life, 0
            self._open()
            self.last = 0
        update = self.read(self.last, most=self._most())
        if update.last > self.last:
            self._keep(update)
        now = time.monotonic()
        if self.hall.live(self.folder) or now - self._looked >= SELDOM:
            self._looked = now
            return (
                self._stated(encoded(stand(self.hall, self.folder))) or update.last > update.after
            )
        return update.last > update.after

    def _most(self) -> int:
        """Return how much may be told at once: the run comes first, pages catch up later."""
        if not self.hall.live(self.folder):
            return BODY
        return max(min(BODY, SHARED // max(self.pages, 1)), min(LEAST, BODY))

    def _keep(self, update: Update) -> None:
        self.kept.append(update)
        self._size += len(update.body)
        while self._size > KEPT and len(self.kept) > 1:
            self._size -= len(self.kept.popleft().body)
        self.last = update.last
        newest = self._tape.newest() if self._tape else self.last
        if newest - self.last > BEHIND:  # it goes on faster than pages can be told
            self.kept.clear()
            self._size, self.last = 0, newest

    def _stated(self, state: bytes) -> bool:
        if state == self.state:
            return False
        self.state, self.states = state, self.states + 1
        return True

    def _open(self) -> None:
        self._tape = Tape(self.folder)
        self.last = self._tape.newest()
        self._stated(encoded(stand(self.hall, self.folder)))


class Page:
    """One open stream: how far it has come."""

    def __init__(self, feed: Feed, after: int) -> None:
        self.feed, self.after = feed, after
        self.life = feed.life
        self.states = 0
        self.caught_up = False

    async def updates(self, is_ending: Callable[[], bool]) -> AsyncIterator[bytes]:
        """Yield what is sent, until the page goes or the server stops."""
        feed = self.feed
        yield b"retry: 1000\n\n"
        while not is_ending():
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
            if body := b"".join(parts):
                yield body
            yield await _quiet(news, is_ending)

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
        if self.caught_up and feed.last - self.after > BEHIND:
            self.after = feed.last
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


async def _quiet(news: asyncio.Event, is_ending: Callable[[], bool]) -> bytes:
    """Wait for news; return what a stream says that was silent for long."""
    end = time.monotonic() + QUIET
    while time.monotonic() < end and not is_ending():
        try:
            async with asyncio.timeout(SELDOM):
                await news.wait()
                return b""
        except TimeoutError:
            continue
    return b": still here\n\n"


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
        feed = self._feeds.setdefault(folder, Feed(self.hall, folder))
        self.open += 1
        try:
            await feed.join()
            async for body in Page(feed, after).updates(self.is_ending):
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
