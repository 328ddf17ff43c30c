"""A process that works for a pool: `python -m audience.runs.worker`.

Each line of standard input is a task as JSON; it answers with lines of JSON. Where it asks for a
part of a shared budget, a line `lent` tells how much it may have spent in all. A line `stop`, or
the end of its input, makes it stop at the next commit point.
"""

from __future__ import annotations

import base64
import gc
import os
import queue
import sys
import threading
from pathlib import Path
from typing import BinaryIO, TextIO

import msgspec

from audience.errors import Halt, Interrupted
from audience.llm import Budget, Spent
from audience.runs.task import Attendant, PoolTask, Purse, RoundReporter, perform, plain_fault

STOP = "stop"
LENT = "lent "
"""How a line begins that lends a part of a shared budget."""


class Inbox:
    """What standard input says, heard by a thread while this one works."""

    def __init__(self, lines: TextIO) -> None:
        self.tasks: queue.Queue[str] = queue.Queue()
        self._parts: queue.Queue[Budget | None] = queue.Queue()
        self.is_stopped = False
        threading.Thread(target=self._listen, args=(lines,), daemon=True).start()

    def _listen(self, lines: TextIO) -> None:
        for line in lines:
            if line.strip() == STOP:
                break
            if line.startswith(LENT):
                self._parts.put(msgspec.json.decode(line.removeprefix(LENT), type=Budget))
            else:
                self.tasks.put(line)
        self.is_stopped = True
        self.tasks.put(STOP)
        self._parts.put(None)

    def part(self) -> Budget:
        """Return the next part of a shared budget that is lent; raise if there will be none."""
        part = None if self.is_stopped else self._parts.get()
        if part is None:
            raise Halt("stopped")
        return part


def serve(lines: TextIO, out: BinaryIO) -> int:
    """Do the tasks that are asked for, one after another; return the exit code."""
    inbox = Inbox(lines)

    def tell(**what: object) -> None:
        out.write(msgspec.json.encode(what) + b"\n")
        out.flush()

    def lend(spent: Spent) -> Budget:
        tell(lend=spent)
        return inbox.part()

    attendant = Attendant(
        RoundReporter(lambda rounds: tell(rounds=rounds)),
        lambda: inbox.is_stopped,
        Purse(lend, lambda spent: tell(settle=spent)),
    )
    while (line := inbox.tasks.get()) != STOP:
        task = msgspec.json.decode(line, type=PoolTask)
        try:
            result = perform(task, Path(task.root), attendant)
        except Interrupted as error:
            if inbox.is_stopped:
                break
            tell(**plain_fault(error))
        except Exception as error:
            tell(**plain_fault(error))
        else:
            tell(result=base64.b64encode(result).decode())
    return 0


def main() -> int:
    """Serve standard input; what parts of the user's print goes to standard error."""
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    gc.freeze()  # what was imported stays
    return serve(sys.stdin, out)


if __name__ == "__main__":
    code = main()
    os._exit(code)  # a thread may still wait for input
