"""Pools that do tasks: here one after another, or in worker processes beside each other."""

from __future__ import annotations

import base64
import os
import queue
import subprocess
import sys
import threading
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

import msgspec

from audience.engine import cores
from audience.errors import Interrupted
from audience.llm import Budget, SharedBudget, Spent
from audience.runs.lifecycle import Recruit, Stopping
from audience.runs.task import (
    Attendant,
    Counted,
    PoolTask,
    Purse,
    RoundReporter,
    TaskFault,
    fault_of,
    perform,
)
from audience.runs.worker import LENT, STOP

_ALONE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""Processes beside each other gain nothing from threads of their own."""
ATTEMPTS = 3
"""How often a task may take its process down with it."""


class Pool(Protocol):
    """Does tasks; a context manager that lets go of its processes at the end."""

    is_here: bool
    """Whether it is this process alone."""

    @property
    def recruit(self) -> Recruit | None:
        """Returns a crew for a single run, where there is one to offer."""
        ...

    @property
    def size(self) -> int:
        """How many tasks it does at once."""
        ...

    def work(
        self,
        tasks: Sequence[PoolTask],
        counted: Counted,
        stopping: Stopping,
        budget: Budget | None = None,
    ) -> Iterator[tuple[PoolTask, bytes]]:
        """Yield each task with what it returned, as they end; raise at the first that fails.

        The tasks share the `budget`.
        """
        ...

    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class Here:
    """A pool that is this process: one task after another, in their order."""

    is_here = True
    recruit: Recruit | None = None
    size = 1

    def work(
        self,
        tasks: Sequence[PoolTask],
        counted: Counted,
        stopping: Stopping,
        budget: Budget | None = None,
    ) -> Iterator[tuple[PoolTask, bytes]]:
        """Yield each task with what it returned."""
        progress = RoundReporter(lambda rounds: counted(rounds, 0))
        shared = SharedBudget(budget or Budget(), 1)
        for task in tasks:
            if stopping():
                raise Interrupted("stopped")
            purse = Purse(partial(shared.lend, task.name), partial(shared.settle, task.name))
            result = perform(task, Path(task.root), Attendant(progress, stopping, purse))
            counted(0, task.runs)
            yield task, result

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...


class _Worker:
    """One process and the threads that read its output."""

    def __init__(self, lines: queue.Queue[tuple[_Worker, dict[str, Any]]]) -> None:
        self.task: PoolTask | None = None
        self._faults: deque[str] = deque(maxlen=20)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "audience.runs.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **_ALONE},
            start_new_session=True,  # Ctrl-C is for us to pass on
        )
        self._reader = threading.Thread(target=self._read, args=(lines,), daemon=True)
        self._listener = threading.Thread(target=self._hear_faults, daemon=True)
        self._reader.start()
        self._listener.start()

    def _read(self, lines: queue.Queue[tuple[_Worker, dict[str, Any]]]) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with suppress(msgspec.DecodeError):  # a killed process may end within a line
                lines.put((self, msgspec.json.decode(line)))
        self._process.wait()
        lines.put((self, {"ended": self._process.returncode}))

    def _hear_faults(self) -> None:
        assert self._process.stderr is not None
        self._faults.extend(self._process.stderr)

    def give(self, task: PoolTask) -> None:
        self.task = task
        self._say(msgspec.json.encode(task).decode())

    def lend(self, part: Budget) -> None:
        self._say(LENT + msgspec.json.encode(part).decode())

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
        except (BrokenPipeError, ValueError):
            return  # it has ended, and its reader says so

    def why(self) -> str:
        """Return the last lines that it wrote to standard error."""
        self._listener.join(5.0)
        return "".join(list(self._faults)[-3:]).strip()

    def ask_to_stop(self) -> None:
        self._say(STOP)

    def end(self, *, at_once: bool) -> None:
        """Wait until it has stopped; terminate it if it does not, or `at_once`."""
        try:
            if at_once:
                self._process.terminate()
            self._process.wait(60.0)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            self._process.terminate()
            self._process.wait()
        self._reader.join()
        self._listener.join()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            with suppress(BrokenPipeError):
                if stream is not None:
                    stream.close()


class Processes:
    """A pool of worker processes on this machine, kept until its block ends."""

    is_here = False
    recruit: Recruit | None = None

    def __init__(self, size: int) -> None:
        self.size = size
        self._told: queue.Queue[tuple[_Worker, dict[str, Any]]] = queue.Queue()
        self._team: list[_Worker] = []
        self._deaths: Counter[str] = Counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end(at_once=kind is KeyboardInterrupt)

    def work(
        self,
        tasks: Sequence[PoolTask],
        counted: Counted,
        stopping: Stopping,
        budget: Budget | None = None,
    ) -> Iterator[tuple[PoolTask, bytes]]:
        """Yield each task with what it returned, as they end; a dead process is replaced."""
        shared = SharedBudget(budget or Budget(), self.size)
        left, done = list(tasks), set[str]()
        while len(done) < len(tasks):
            self._hand_out(left, done)
            worker, line = self._next(stopping)
            task = worker.task
            if "ended" in line:
                self._bury(worker, int(line["ended"]), left)
                if task is not None:
                    shared.lose(task.name)
            elif task is None:
                continue
            elif "lend" in line:
                worker.lend(shared.lend(task.name, msgspec.convert(line["lend"], Spent)))
            elif "settle" in line:
                shared.settle(task.name, msgspec.convert(line["settle"], Spent))
            elif "error" in line:
                raise fault_of(task, line)
            elif "result" in line:
                worker.task = None
                done.add(task.name)
                counted(0, task.runs)
                yield task, base64.b64decode(line["result"])
            else:
                counted(int(line["rounds"]), 0)

    def _hand_out(self, left: list[PoolTask], done: set[str]) -> None:
        """Give free workers the first tasks that may begin; start workers where there are few."""
        ready = [task for task in left if done.issuperset(task.after)]
        for task in ready:
            worker = next((each for each in self._team if each.task is None), None)
            if worker is None and len(self._team) >= self.size:
                return
            if worker is None:
                worker = _Worker(self._told)
                self._team.append(worker)
            worker.give(task)
            left.remove(task)

    def _next(self, stopping: Stopping) -> tuple[_Worker, dict[str, Any]]:
        while True:
            if stopping():
                self._end(at_once=False)
                raise Interrupted("stopped")
            with suppress(queue.Empty):
                return self._told.get(timeout=0.2)

    def _bury(self, worker: _Worker, code: int, left: list[PoolTask]) -> None:
        """Let go of a process that has died; its task goes to the next one, which resumes it."""
        self._team.remove(worker)
        why = worker.why()
        worker.end(at_once=False)
        if worker.task is None:
            return
        self._deaths[worker.task.name] += 1
        if self._deaths[worker.task.name] >= ATTEMPTS:
            raise TaskFault(
                f"{worker.task.name}: its process died {ATTEMPTS} times, the last time with exit "
                f"code {code}{f': {why}' if why else ''}; if memory ran out, give --workers 1"
            )
        left.insert(0, worker.task)

    def _end(self, *, at_once: bool) -> None:
        for worker in self._team:
            worker.ask_to_stop()
        while self._team:
            self._team.pop().end(at_once=at_once)


def pool_of(size: int, cluster: str = "") -> Pool:
    """Return a pool of so many processes, of which one is this one, or of a Ray cluster."""
    if cluster:
        from audience.runs.ray_pool import RayPool

        return RayPool(cluster, size)
    return Processes(size) if size > 1 else Here()


def pool_for_pieces(pieces: int, workers: int, cluster: str = "") -> Pool:
    """Return the pool that takes so many pieces of an evaluation; 0 workers: one per core."""
    return pool_of(min(workers or cores(), pieces), cluster)
