"""Settings of all tests, and the model server that they ask."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from audience.llm.fake import Fake
from audience.llm.fake_model import Manners

settings.register_profile(
    "audience",
    deadline=None,  # shared machines are slow at times; nothing here is about time
    derandomize=True,
    max_examples=80,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("audience")


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
