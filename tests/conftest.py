"""Settings of all tests, and the model server that they ask."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, contextmanager
from ipaddress import ip_address
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from audience.llm.fake import Fake
from audience.llm.fake_model import Manners
from audience.results import figure

settings.register_profile(
    "audience",
    deadline=None,  # shared machines are slow at times; nothing here is about time
    derandomize=True,
    max_examples=80,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("audience")


for _name in [name for name in os.environ if name.endswith(("_API_KEY", "_TOKEN"))]:
    del os.environ[_name]  # no test, and no process that one starts, holds a key of ours


@pytest.fixture(scope="session", autouse=True)
def fuse() -> Iterator[None]:
    """Let no test reach a provider: whoever connects beyond this machine fails at once."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_here(address[0]):
            raise AssertionError(f"a test connects to {address[0]}; all traffic stays on loopback")
        connect(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded)
        yield


def _is_here(host: str) -> bool:
    try:
        return ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return host == "localhost"


@pytest.fixture(scope="session", autouse=True)
def pdf_fonts() -> Iterator[int]:
    """Draw the letters of every PDF, as parts of a font take half the time of a report.

    Gives how they are embedded otherwise.
    """
    with pytest.MonkeyPatch.context() as patch:
        usual = figure._LOOK["pdf.fonttype"]
        patch.setitem(figure._LOOK, "pdf.fonttype", 3)
        yield usual


@pytest.fixture(scope="session")
def serving() -> Callable[..., AbstractContextManager[Fake]]:
    """Return what serves a fake model on this machine, in a thread, while a block lasts."""

    @contextmanager
    def serve(**manners: Any) -> Iterator[Fake]:
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever)
        thread.start()
        fake = Fake(Manners(**manners))

        def wait_for(work: Coroutine[Any, Any, object]) -> None:
            asyncio.run_coroutine_threadsafe(work, loop).result(120.0)

        try:
            wait_for(fake.__aenter__())
            try:
                yield fake
            finally:
                wait_for(fake.__aexit__(None, None, None))
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join(120.0)
            loop.close()

    return serve
