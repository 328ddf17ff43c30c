"""What the tests of this room share: a fuse, a fake server, requests."""

from __future__ import annotations

import asyncio
import selectors
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Protocol, TypeVar

import pytest
from aiohttp import web

from audience.llm import ChatMessage, Request
from audience.llm.fake import Fake
from audience.llm.fake_model import Manners

T = TypeVar("T")


@pytest.fixture(autouse=True)
def fuse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no test reach anything but this machine."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family != socket.AF_UNIX and address[0] != "127.0.0.1":
            raise AssertionError(f"a test tried to reach {address}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


@contextmanager
def nobody() -> Iterator[str]:
    """Give an address at which nobody answers while the block lasts: its port is taken."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}/v1"


@asynccontextmanager
async def served(serve: Callable[[web.Request], Awaitable[web.Response]]) -> AsyncIterator[str]:
    """Give the address of a server that answers chats in its own way."""
    app = web.Application()
    app.router.add_post("/v1/chat/completions", serve)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


async def until(true: Callable[[], bool], seconds: float = 120.0) -> None:
    """Wait until something is so, however slow this machine is."""
    async with asyncio.timeout(seconds):
        while not true():
            await asyncio.sleep(0.01)


class VirtualTime(asyncio.SelectorEventLoop):
    """An event loop in which waiting takes no time: its clock goes on when nothing else does."""

    def __init__(self) -> None:
        selector = selectors.DefaultSelector()
        super().__init__(selector)
        self._passed = 0.0
        really = selector.select

        def select(timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
            ready = really(0.0)
            if ready or timeout == 0.0:
                return ready
            if timeout is None:
                return really(None)
            # What was sent on this machine may still be on its way.
            ready = really(0.0005)
            if not ready:
                self._passed += timeout
            return ready

        selector.select = select  # type: ignore[method-assign]

    def time(self) -> float:
        return self._passed


def in_virtual_time(test: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine whose seconds do not pass."""
    with asyncio.Runner(loop_factory=VirtualTime) as runner:
        return runner.run(test)


class Wish(Protocol):
    """Makes requests that differ by their number."""

    def __call__(self, number: int = 0, **fields: Any) -> Request: ...


@pytest.fixture
def wish() -> Wish:
    def make(number: int = 0, **fields: Any) -> Request:
        messages = (
            ChatMessage("system", "You are a person who watches films. " * 4),
            ChatMessage("user", f"What do you feel about film {number}?"),
        )
        return Request(
            **{"purpose": "feeling", "messages": messages, "salt": f"1/{number}", **fields}
        )

    return make


class WithFake(Protocol):
    """Runs an async test against a fake server."""

    def __call__(self, test: Callable[[Fake], Awaitable[T]], **manners: Any) -> T: ...


@pytest.fixture
def with_fake() -> WithFake:
    def run(test: Callable[[Fake], Awaitable[T]], **manners: Any) -> T:
        async def whole() -> T:
            async with Fake(Manners(**manners)) as fake:
                return await asyncio.wait_for(test(fake), 120.0)

        return asyncio.run(whole())

    return run
