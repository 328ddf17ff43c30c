"""A piece of work that depends on no other: what a process is asked to do, and what it tells."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import msgspec

from audience.errors import AudienceError, BadInput, Halt, Interrupted, Unusable
from audience.llm import Meter, Renew, Spent
from audience.runs.lifecycle import Progress, Stopping

Counted = Callable[[int, int], None]
"""Called with how many more rounds and how many more runs are done."""
_KINDS: dict[str, type[AudienceError]] = {
    kind.__name__: kind for kind in (BadInput, Interrupted, Unusable)
}


class PoolTask(msgspec.Struct, frozen=True):
    """A function by its name, what it is given, and the folders that it fills."""

    name: str
    """What it is to a user, as in `ease, seed 3`."""
    call: str
    """`package.module:function`; it takes a root folder, what is given, and an `Attendant`."""
    given: dict[str, Any]
    root: str
    places: tuple[str, ...] = ()
    """Folders below the root that it fills; on a cluster, these are sent."""
    runs: int = 1
    after: tuple[str, ...] = ()
    """Names of tasks whose folders it reads; such a task is done where the root is."""


class TaskFault(AudienceError):
    """A task failed; the message begins with its name."""


class Purse(msgspec.Struct, frozen=True):
    """The budget that the tasks of a pool share, as one of them sees it."""

    lend: Renew
    settle: Callable[[Spent], None]
    """Called with what the task has spent in all, when it ends."""


class Attendant(msgspec.Struct, frozen=True):
    """Who is told how a task comes along, and may stop it."""

    progress: Progress | None
    stopping: Stopping
    purse: Purse | None = None


class Work(Protocol):
    """What the function of a task looks like; what it returns is sent back."""

    def __call__(self, root: Path, given: dict[str, Any], attendant: Attendant) -> bytes: ...


class RoundReporter:
    """A progress that tells each complete round of a run once."""

    def __init__(self, tell: Callable[[int], None]) -> None:
        self._tell = tell
        self._round = 0

    def begin(self, name: str, rounds: int, agents: int) -> None:
        self._round = 0

    def advance(self, round_: int, done: int, total: int) -> None:
        if round_ > self._round + 1:
            self._tell(round_ - 1 - self._round)
            self._round = round_ - 1

    def spend(self, meter: Meter) -> None: ...
    def end(self) -> None: ...


def perform(task: PoolTask, root: Path, attendant: Attendant) -> bytes:
    """Do a task in this process and return what it returns."""
    module, _, name = task.call.partition(":")
    work: Work = getattr(import_module(module), name)
    return work(root, task.given, attendant)


def plain_fault(error: BaseException) -> dict[str, str]:
    """Return an error as plain text that another process can raise again."""
    if isinstance(error, Interrupted) and error.__cause__:
        return {"kind": Interrupted.__name__, "error": str(error.__cause__)}
    if isinstance(error, (AudienceError, OSError)):
        return {"kind": type(error).__name__, "error": f"{error}{line_of(error)}"}
    trace = "".join(traceback.format_exception(error)[-2:]).strip()
    return {"kind": "", "error": f"{type(error).__name__}: {error}\n{trace}"}


def fault_of(task: PoolTask, plain: dict[str, Any]) -> AudienceError:
    """Return the error that a process told, with the name of its task."""
    message = f"{task.name}: {plain['error']}"
    error = _KINDS.get(str(plain["kind"]), TaskFault)(message)
    if isinstance(error, Interrupted):
        error.__cause__ = Halt(message)  # why it stopped by itself
    return error


def line_of(error: BaseException) -> str:
    """Return the line on which the user's own code raised, where it did."""
    trace = traceback.extract_tb(error.__cause__.__traceback__ if error.__cause__ else None)
    return f" ({trace[-1].filename}, line {trace[-1].lineno})" if len(trace) > 1 else ""
