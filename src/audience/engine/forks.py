"""Work shared out among forks of this process, each of which sends back bytes.

A fork sees everything as it is here at the price of a page table: nothing has to be sent to it and
nothing has to be kept in step. One that dies is replaced, and what it had not sent is done again.
"""

from __future__ import annotations

import gc
import os
import pickle
import selectors
import signal
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from struct import Struct
from typing import IO

from audience.errors import AudienceError

Work = Callable[[int], bytes]
"""Does a block of the work, given by its number."""
_NUMBER = Struct("<i")
_SENT = Struct("<i?qq")
"""A block, whether it was done, and where its bytes lie in the file of its fork."""
_ATTEMPTS = 3
"""Forks that may die in a row before the work is given up."""


class ForkFault(AudienceError):
    """The processes that share the work died again and again."""


def is_possible() -> bool:
    """Return True if this system can fork a process."""
    return hasattr(os, "fork")


def cores() -> int:
    """Return how many processor cores this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def shared_out(work: Work, blocks: int, workers: int) -> Iterator[bytes]:
    """Yield the results of all blocks in order, done by so many forks of this process at a time."""
    ready: dict[int, bytes] = {}
    following, attempts = 0, 0
    while following < blocks:
        missing = [block for block in range(following, blocks) if block not in ready]
        crew = _Crew(work, missing, min(workers, len(missing)))
        done = 0
        try:
            for block, result in crew.results():
                ready[block] = result
                done += 1
                while following in ready:
                    yield ready.pop(following)
                    following += 1
        finally:
            crew.end()
        attempts = 0 if done else attempts + 1
        if attempts == _ATTEMPTS:
            raise ForkFault(
                f"worker processes died {attempts} times in a row (is there enough memory?); "
                "continue with `audience resume RUN --workers 1`"
            )


class _Fork:
    """One process, the pipe on which it tells what it has done, and the file that holds it."""

    def __init__(self, pid: int, told: int, file: IO[bytes]) -> None:
        self.pid = pid
        self.told = told
        self.file = file


class _Crew:
    """Forks that take blocks from one queue until it is empty."""

    def __init__(self, work: Work, blocks: list[int], workers: int) -> None:
        self._work = work
        queue, filling = os.pipe()
        self._forks: list[_Fork] = []
        for _ in range(workers):
            self._forks.append(self._forked(queue, filling))
        os.close(queue)
        _fill(filling, blocks)

    def _forked(self, queue: int, filling: int) -> _Fork:
        told, telling = os.pipe()
        file = tempfile.TemporaryFile()  # noqa: SIM115 (closed when the fork ends)
        with warnings.catch_warnings():
            # A fork only computes: it takes no lock that another thread might hold.
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
        if pid:
            os.close(telling)
            return _Fork(pid, told, file)
        status = 1
        try:
            gc.disable()  # a collection would copy all that exists
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            os.close(filling)
            os.close(told)
            self._labour(queue, telling, file)
            status = 0
        finally:
            os._exit(status)

    def _labour(self, queue: int, telling: int, file: IO[bytes]) -> None:
        """Do one block after another, as a fork."""
        place = 0
        while len(taken := os.read(queue, _NUMBER.size)) == _NUMBER.size:
            (block,) = _NUMBER.unpack(taken)
            try:
                result, is_done = self._work(block), True
            except BaseException as error:
                result, is_done = _pickled(error), False
            file.write(result)
            file.flush()
            os.write(telling, _SENT.pack(block, is_done, place, len(result)))
            place += len(result)
            if not is_done:
                return

    def results(self) -> Iterator[tuple[int, bytes]]:
        """Yield each block with its result as it is done; raise what a fork raised."""
        with selectors.DefaultSelector() as selector:
            for fork in self._forks:
                selector.register(fork.told, selectors.EVENT_READ, fork)
            while selector.get_map():
                for ready, _ in selector.select():
                    fork = ready.data
                    sent = os.read(fork.told, _SENT.size)
                    if len(sent) < _SENT.size:  # it has ended, or died
                        selector.unregister(fork.told)
                        continue
                    block, is_done, place, length = _SENT.unpack(sent)
                    result = os.pread(fork.file.fileno(), length, place)
                    if not is_done:
                        raise pickle.loads(result)  # noqa: S301 (from a fork of this process)
                    yield block, result

    def end(self) -> None:
        """Stop what is still at work and forget it."""
        for fork in self._forks:
            with suppress(ProcessLookupError):
                os.kill(fork.pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(fork.pid, 0)
            os.close(fork.told)
            fork.file.close()


def _fill(queue: int, blocks: list[int]) -> None:
    with suppress(BrokenPipeError):  # all forks have died already
        os.write(queue, b"".join(map(_NUMBER.pack, blocks)))
    os.close(queue)


def _pickled(error: BaseException) -> bytes:
    """Return an exception as bytes, with its traceback as a note; a plain one if it has none."""
    error.add_note("".join(traceback.format_exception(error)))
    try:
        found = pickle.dumps(error)
        pickle.loads(found)  # noqa: S301 (made in the line above)
    except Exception:
        return pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))
    return found
