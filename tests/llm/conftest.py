"""What the tests of this room share: a fuse, a fake server, requests."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

import pytest

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


async def until(true: Callable[[], bool], seconds: float = 120.0) -> None:
    """Wait until something is so, however slow this machine is."""
    async with asyncio.timeout(seconds):
        while not true():
            await asyncio.sleep(0.01)


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
