"""A process that works for a pool: `python -m audience.runs.worker`.

Each line of standard input is a task as JSON; it answers with lines of JSON. A line `stop`, or the
end of its input, makes it stop at the next commit point.
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

from audience.errors import Interrupted
from audience.runs.task import Attendant, PoolTask, RoundReporter, perform, plain_fault

STOP = "stop"


def serve(lines: TextIO, out: BinaryIO) -> int:
    """Do the tasks that are asked for, one after another; return the exit code."""
    requests: queue.Queue[str] = queue.Queue()
    stop = threading.Event()

    def listen() -> None:
        for line in lines:
            if line.strip() == STOP:
                break
            requests.put(line)
        stop.set()
        requests.put(STOP)

    def tell(**what: object) -> None:
        out.write(msgspec.json.encode(what) + b"\n")
        out.flush()

    threading.Thread(target=listen, daemon=True).start()
    attendant = Attendant(RoundReporter(lambda rounds: tell(rounds=rounds)), stop.is_set)
    while (line := requests.get()) != STOP:
        task = msgspec.json.decode(line, type=PoolTask)
        try:
            result = perform(task, Path(task.root), attendant)
        except Interrupted as error:
            if stop.is_set():
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
