"""A hostile model server over plain sockets: a share of its answers misbehaves.

What it does is a function of the request's seed and of how often that was asked, so that order,
concurrency and the form of a request change nothing, and a fresh server does the same again.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Self

import orjson
from tests.chaos.kinds import KINDS, Act, Kind, honest

from audience.llm.fake_answers import draw
from audience.llm.fake_model import Manners, chat, embed

_PAUSE = 0.05
"""Seconds between the bytes of a drip."""


class Hostile:
    """The server: `async with Hostile(share=0.2) as server:` serves at `server.url`."""

    def __init__(
        self,
        share: float = 1.0,
        kinds: Mapping[str, Kind] = KINDS,
        *,
        latency: tuple[float, float] = (0.0, 0.0),
        manners: Manners | None = None,
        port: int = 0,
    ) -> None:
        """`share` of the answers are of one of `kinds`, each as likely as the others."""
        self.port = port
        self.share = share
        self.kinds = dict(kinds)
        self.latency = latency
        self.manners = manners or Manners()
        self.sent: Counter[str] = Counter()
        """How often each kind was sent; `honest` is one of them."""
        self.headers: list[dict[str, str]] = []
        """The headers of the last few requests."""
        self.url = ""
        self._asked: Counter[str] = Counter()
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port, backlog=4096)
        self.port = self._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in list(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            while await self._answer(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        except asyncio.CancelledError:
            writer.transport.abort()
        finally:
            self._open.discard(task)
            with suppress(OSError):
                writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; return True if the connection stays open for another."""
        path, headers, raw = await _request(reader)
        self.headers = [*self.headers[-7:], headers]
        name, act = self._act(path, raw)
        least, most = self.latency
        if most:
            await asyncio.sleep(least + draw(name, self.sent[name], "latency") * (most - least))
        writer.write(act.sent)
        await writer.drain()
        return await _after(act, reader, writer)

    def _act(self, path: str, raw: bytes) -> tuple[str, Act]:
        if path.endswith("/models"):
            listed = {"data": [{"id": "hostile"}]}
            return "honest", honest(listed)
        body = orjson.loads(raw)
        key = str(body.get("seed", hash_of(body)))
        self._asked[key] += 1
        good = embed if path.endswith("/embeddings") else chat
        answer = good(body, f"{key}/answer", self.manners)
        name = self._kind(key, self._asked[key]) if good is chat else "honest"
        self.sent[name] += 1
        return name, self.kinds[name](answer) if name != "honest" else honest(answer)

    def _kind(self, key: str, attempt: int) -> str:
        if draw(key, attempt, "hostile") >= self.share:
            return "honest"
        names = sorted(self.kinds)
        return names[int(draw(key, attempt, "kind") * len(names))]


def hash_of(body: dict[str, Any]) -> str:
    """Return what tells a request without a seed from others."""
    return str(body.get("messages", body.get("input", "")))


async def _request(reader: asyncio.StreamReader) -> tuple[str, dict[str, str], bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.strip().split("\r\n")
    pairs = (line.partition(":") for line in lines)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    raw = await reader.readexactly(int(headers.get("content-length", 0)))
    return first.split(" ")[1].partition("?")[0], headers, raw


async def _after(act: Act, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    match act.then:
        case "keep":
            return True
        case "abort":
            writer.transport.abort()
        case "hang":
            await reader.read()
        case "drip" | "endless":
            while not writer.is_closing() and not reader.at_eof():
                writer.write(act.more)
                await writer.drain()
                await asyncio.sleep(_PAUSE if act.then == "drip" else 0)
    return False


@contextmanager
def hostile(
    share: float = 1.0, kinds: Mapping[str, Kind] = KINDS, **more: Any
) -> Iterator[Hostile]:
    """Serve in a thread of its own while the block lasts."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    server = Hostile(share, kinds, **more)

    def wait_for(work: Any) -> None:
        asyncio.run_coroutine_threadsafe(work, loop).result(120.0)

    try:
        wait_for(server.__aenter__())
        try:
            yield server
        finally:
            wait_for(server.__aexit__(None, None, None))
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(120.0)
        loop.close()
