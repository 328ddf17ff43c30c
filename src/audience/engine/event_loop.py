"""The event loop in which a run, an interview or an evaluation does its asynchronous work."""

from __future__ import annotations

import _thread
import asyncio
import signal
import threading
from collections.abc import Callable
from typing import Any

_PATIENCE = 1.0
"""Seconds until what does not come back to the event loop is interrupted."""


async def _stoppable(work: Callable[[], object]) -> None:
    """Await work; if it is stopped at once, nobody complains about the tasks that were left."""

    def complain(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if not isinstance(context.get("exception"), KeyboardInterrupt):
            loop.default_exception_handler(context)

    asyncio.get_running_loop().set_exception_handler(complain)
    await work()  # type: ignore[misc]


def run_sync(work: Callable[[], object]) -> None:
    """Run an async function to its end, also inside a running event loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        _run(work)
        return
    failure: list[BaseException] = []

    def apart() -> None:
        try:
            _run(work)
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=apart)
    thread.start()
    thread.join()
    if failure:
        raise failure[0]


def _run(work: Callable[[], object]) -> None:
    try:
        asyncio.run(_stoppable(work))
    except asyncio.CancelledError:  # by `stop_at_once`: nobody else holds these tasks
        raise KeyboardInterrupt from None


def stop_at_once(number: int) -> None:
    """Stop what this thread does, from the handler of a signal: `KeyboardInterrupt` comes of it.

    An exception at any line of a running event loop would leave tasks that nobody ends. So all
    tasks are cancelled instead; if something computes on without coming back to the loop, the same
    signal is sent once more, upon which the handler is to raise.
    """
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        raise KeyboardInterrupt from None
    is_heard = threading.Event()
    loop.call_soon_threadsafe(_cancel_all, loop, is_heard)
    # Not a `Thread`: to start one takes a lock, which the code that was interrupted may hold.
    _thread.start_new_thread(_insist, (loop, is_heard, number))


def _cancel_all(loop: asyncio.AbstractEventLoop, is_heard: threading.Event) -> None:
    is_heard.set()
    for task in asyncio.all_tasks(loop):
        task.cancel()


def _insist(loop: asyncio.AbstractEventLoop, is_heard: threading.Event, number: int) -> None:
    if not is_heard.wait(_PATIENCE) and loop.is_running():
        signal.pthread_kill(threading.main_thread().ident or 0, number)
