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
from collections.abc import Iterator
from contextlib import contextmanager
from struct import Struct
from time import perf_counter
from typing import IO, Generic, Protocol, TypeVar

from audience.errors import AudienceError

T = TypeVar("T")


class SharedWork(Protocol[T]):
    """Blocks of work, done by their numbers, whose results can be sent as bytes."""

    def do(self, block: int) -> T: ...
    def pack(self, block: int, result: T) -> bytes: ...
    def unpack(self, sent: bytes) -> T: ...


_NUMBER = Struct("<i")
_SENT = Struct("<i?qq")
"""A block, whether it was done, and where its bytes lie in the file of its fork."""
_DEATHS = 5
"""How often forks may die before the work is given up."""


class ForkFault(AudienceError):
    """The processes that share the work died again and again."""


def is_possible() -> bool:
    """Return True if this system can fork a process."""
    return hasattr(os, "fork")


def cores() -> int:
    """Return how many processor cores this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def shared_out(work: SharedWork[T], blocks: int, workers: int) -> Iterator[T]:
    """Yield the results of all blocks in order, done by this process and forks of it.

    This process takes a block only when no result waits, so that who applies them comes first.
    """
    ready: dict[int, T] = {}
    following = 0
    while following < blocks:
        missing = [block for block in range(following, blocks) if block not in ready]
        crew = _Crew(work, missing, min(workers, len(missing)) - 1)
        try:
            for block, result in crew.results():
                ready[block] = result
                while following in ready:
                    yield ready.pop(following)
                    following += 1
        finally:
            crew.end()


class _Fork:
    """One process, the pipe on which it tells what it has done, and the file that holds it."""

    def __init__(self, pid: int, told: int, file: IO[bytes]) -> None:
        self.pid = pid
        self.told = told
        self.file = file
        self.is_over = False
        """Whether it has ended and was waited for: its number may be another process's now."""


class _Share:
    """The share of the first process, which has to apply all results too.

    It takes a block if it would have done that and applied all that is left before the forks have
    done the rest. Only the time that something takes depends on this, not what comes of it.
    """

    def __init__(self, blocks: int) -> None:
        self._left = blocks
        """Blocks that are not applied yet."""
        self._work = self._apply = 0.0
        self._worked = self._applied = 0

    def is_mine(self, forks: int) -> bool:
        """Return True if the process should do the next block beside so many forks."""
        if not (self._worked and self._applied and forks):
            return True
        work, apply = self._work / self._worked, self._apply / self._applied
        return work + apply * self._left < work * (self._left - forks) / forks

    @contextmanager
    def working(self) -> Iterator[None]:
        began = perf_counter()
        yield
        self._work += perf_counter() - began
        self._worked += 1

    @contextmanager
    def applying(self) -> Iterator[None]:
        began = perf_counter()
        yield
        self._apply += perf_counter() - began
        self._applied += 1
        self._left -= 1


class _Crew(Generic[T]):
    """A process and forks of it, which take blocks from one queue until it is empty."""

    def __init__(self, work: SharedWork[T], blocks: list[int], forks: int) -> None:
        self._work = work
        self._queue, filling = os.pipe()
        self._forks: list[_Fork] = []
        self._deaths = 0
        self._share = _Share(len(blocks))
        for _ in range(forks):
            self._fork(filling)
        os.write(filling, b"".join(map(_NUMBER.pack, blocks)))
        os.close(filling)

    def _fork(self, filling: int = -1) -> _Fork:
        told, telling = os.pipe()
        file = tempfile.TemporaryFile()  # noqa: SIM115 (closed when the fork ends)
        with warnings.catch_warnings():
            # A fork only computes: it takes no lock that another thread might hold.
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
        if pid:
            os.close(telling)
            self._forks.append(_Fork(pid, told, file))
            return self._forks[-1]
        status = 1
        try:
            gc.disable()  # a collection would copy all that exists
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            if filling >= 0:
                os.close(filling)
            os.close(told)
            self._labour(telling, file)
            status = 0
        finally:
            os._exit(status)

    def _taken(self) -> int:
        """Return the next block of the queue; -1: there is none."""
        taken = os.read(self._queue, _NUMBER.size)
        return int(_NUMBER.unpack(taken)[0]) if taken else -1

    def _labour(self, telling: int, file: IO[bytes]) -> None:
        """Do one block after another, as a fork."""
        place = 0
        while (block := self._taken()) >= 0:
            try:
                result, is_done = self._work.pack(block, self._work.do(block)), True
            except BaseException as error:
                result, is_done = pickled(error), False
            file.write(result)
            file.flush()
            os.write(telling, _SENT.pack(block, is_done, place, len(result)))
            place += len(result)
            if not is_done:
                return

    def results(self) -> Iterator[tuple[int, T]]:
        """Yield each block with its result as it is done; raise what a fork raised."""
        is_left = True
        with selectors.DefaultSelector() as selector:
            for fork in self._forks:
                selector.register(fork.told, selectors.EVENT_READ, fork)
            while is_left or selector.get_map():
                is_mine = is_left and self._share.is_mine(len(selector.get_map()))
                told = selector.select(0 if is_mine else None)
                for ready, _ in told:
                    sent = os.read(ready.data.told, _SENT.size)
                    if sent:
                        with self._share.applying():
                            block, result = _result(ready.data, sent)
                            yield block, self._work.unpack(result)
                    else:
                        selector.unregister(ready.data.told)
                        if self._is_dead(ready.data) and is_left:
                            fork = self._fork()
                            selector.register(fork.told, selectors.EVENT_READ, fork)
                if is_mine and not told:
                    block = self._taken()
                    is_left = block >= 0
                    if is_left:
                        with self._share.working():
                            done = self._work.do(block)
                        with self._share.applying():
                            yield block, done

    def _is_dead(self, fork: _Fork) -> bool:
        """Return True if a fork that says nothing more did not come to its end."""
        is_dead = os.waitpid(fork.pid, 0)[1] != 0
        fork.is_over = True
        self._deaths += is_dead
        if self._deaths == _DEATHS:
            raise ForkFault(
                f"worker processes died {_DEATHS} times in one phase (is there enough memory?); "
                "continue with `audience resume RUN --workers 1`"
            )
        return is_dead

    def end(self) -> None:
        """Stop what is still at work and forget it."""
        os.close(self._queue)
        for fork in self._forks:
            if not fork.is_over:
                os.kill(fork.pid, signal.SIGKILL)
                os.waitpid(fork.pid, 0)
            os.close(fork.told)
            fork.file.close()


def _result(fork: _Fork, sent: bytes) -> tuple[int, bytes]:
    """Return the block and the result that a fork told of; raise what it raised."""
    block, is_done, place, length = _SENT.unpack(sent)
    result = os.pread(fork.file.fileno(), length, place)
    if not is_done:
        raise pickle.loads(result)  # noqa: S301 (from a fork of this process)
    return block, result


def pickled(error: BaseException) -> bytes:
    """Return an exception as bytes, with its traceback as a note; a plain one if it has none."""
    error.add_note("".join(traceback.format_exception(error)))
    try:
        found = pickle.dumps(error)
        pickle.loads(found)  # noqa: S301 (made in the line above)
    except Exception:
        return pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))
    return found
