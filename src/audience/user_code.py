"""Code of the user's: what it raised and where in words, and a deadline for what never returns."""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
import threading
import time
from collections.abc import Awaitable, Generator
from pathlib import Path
from traceback import extract_tb
from types import FrameType, coroutine
from typing import Any, TypeVar

T = TypeVar("T")
PASSING = (KeyboardInterrupt,)
"""What passes through user code: somebody stopped the program."""
LONGEST = 600.0
"""Seconds that a call of a user's part may take if a scenario says nothing else."""
_OURS = str(Path(__file__).parent)
_OFTEN = 0.25
_SIGNAL: int = getattr(signal, "SIGUSR2", 0)
"""Interrupts the main thread, also while it waits in C; 0 on Windows."""


class Late(BaseException):
    """Raised inside user code whose deadline has passed; no `except Exception` swallows it."""


def is_stopped(error: BaseException) -> bool:
    """Return whether a coroutine ended because it was stopped from outside."""
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        return task is None or task.cancelling() > 0
    return isinstance(error, (KeyboardInterrupt, GeneratorExit))


def said(error: BaseException) -> str:
    """Return what user code did and where: `raised KeyError('x') in mine.py, line 7`."""
    what = f"took longer than {error.args[0]:g} s" if isinstance(error, Late) else None
    frames = [one for one in extract_tb(error.__traceback__) if not _is_ours(one.filename)]
    where = f" in {frames[-1].filename}, line {frames[-1].lineno}" if frames else ""
    return f"{what or f'raised {error!r}'}{where}"


def _is_ours(filename: str) -> bool:
    return filename.startswith((_OURS, "<"))


class _Call:
    """A call of user code under way in a thread."""

    def __init__(self, seconds: float, outer: _Call | None) -> None:
        self.seconds = seconds
        self.outer = outer
        self.end = time.monotonic() + seconds
        self.is_interrupted = False


class within:  # noqa: N801 (read as a word: `with within(seconds):`)
    """Raise `Late` inside the block after some seconds, even if it never yields; 0: never.

    Python code is interrupted in any thread. What waits in C is interrupted in the main thread.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def __enter__(self) -> None:
        if self._seconds:
            _watch.begin(self._seconds)

    def __exit__(self, *_: object) -> None:
        if self._seconds:
            _watch.end()


class _Watch:
    """A thread that looks at all calls under way and interrupts those that are late."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: dict[int, _Call] = {}
        self._thread: threading.Thread | None = None
        self._has_signal = False

    def begin(self, seconds: float) -> None:
        me = threading.get_ident()
        self._calls[me] = _Call(seconds, self._calls.get(me))
        if self._thread is None or not self._thread.is_alive():
            self._start()

    def end(self) -> None:
        me = threading.get_ident()
        with self._lock:
            call = self._calls.pop(me)
            if call.outer:
                self._calls[me] = call.outer
            if call.is_interrupted:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(me), None)

    def _start(self) -> None:
        with self._lock:
            if _SIGNAL and threading.current_thread() is threading.main_thread():
                signal.signal(_SIGNAL, self._interrupt)
                self._has_signal = True
            self._thread = threading.Thread(target=self._look, name="deadlines", daemon=True)
            self._thread.start()

    def _look(self) -> None:
        main = threading.main_thread().ident
        while True:
            time.sleep(_OFTEN)
            now = time.monotonic()
            with self._lock:
                late = [pair for pair in self._calls.items() if pair[1].end < now]
                for thread, call in late:
                    if thread == main and self._has_signal:
                        signal.pthread_kill(thread, _SIGNAL)
                    else:
                        call.is_interrupted = True
                        _raise_in(thread)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        call = self._calls.get(threading.get_ident())
        if call and call.end < time.monotonic():
            raise Late(call.seconds)

    def seconds_of(self, thread: int) -> float:
        call = self._calls.get(thread)
        return call.seconds if call else 0.0


_watch = _Watch()
if hasattr(os, "register_at_fork"):  # the thread that watches does not live on in a fork
    os.register_at_fork(after_in_child=_watch.__init__)  # type: ignore[misc]


class _LateHere(Late):
    """`Late`, made where it is raised: an exception for another thread takes no arguments."""

    def __init__(self) -> None:
        super().__init__(_watch.seconds_of(threading.get_ident()))


def _raise_in(thread: int) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(_LateHere))


@coroutine
def stepped(work: Awaitable[T], seconds: float) -> Generator[Any, Any, T]:
    """Await user code with a deadline for each of its steps, not for what it awaits."""
    steps = work.__await__()
    step, value = steps.send, None
    while True:
        try:
            with within(seconds):
                waits_for = step(value)
        except StopIteration as done:
            result: T = done.value
            return result
        try:
            step, value = steps.send, (yield waits_for)
        except BaseException as error:
            step, value = steps.throw, error
