"""Work that takes long: done in threads that keep the server from neither answering nor ending."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from audience.web.replies import Conflict

T = TypeVar("T")
AT_ONCE = 8


class Background:
    """Does a few things at a time for those who wait for them."""

    def __init__(self, at_once: int = AT_ONCE) -> None:
        self._left = threading.Semaphore(at_once)

    async def result(self, work: Callable[[], T]) -> T:
        """Return what work returns, once it is done; it goes on if nobody waits any more."""
        if not self._left.acquire(blocking=False):
            raise Conflict("many questions are being asked at once; try again in a moment")
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()

        def tell(result: T | None, error: BaseException | None) -> None:
            if done.done():
                return
            if error is not None:
                done.set_exception(error)
            else:
                done.set_result(result)  # type: ignore[arg-type]

        def target() -> None:
            result, error = None, None
            try:
                result = work()
            except Exception as failure:
                error = failure
            finally:
                self._left.release()
            with suppress(RuntimeError):  # the server has ended meanwhile
                loop.call_soon_threadsafe(tell, result, error)

        # A daemon, so that a model that is slow to answer does not keep the server from ending.
        threading.Thread(target=target, name="background", daemon=True).start()
        return await done
