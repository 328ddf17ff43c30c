"""A process that runs parts of a study: `python -m audience.lab.studies.worker FOLDER`.

Each line of standard input is the number of a batch; it answers with lines of JSON. A line `stop`,
or the end of its input, makes it stop at the next commit point.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from audience.errors import AudienceError, Interrupted
from audience.lab.studies.jobs import batches_of, live
from audience.lab.studies.recipe import STUDY_FILE, read
from audience.llm import Meter

Tell = Callable[..., None]
STOP = "stop"


class RoundReporter:
    """Reports the progress of a run: each round once."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._round = 0

    def begin(self, name: str, rounds: int, agents: int) -> None:
        self._round = 0

    def advance(self, round_: int, done: int, total: int) -> None:
        if round_ > self._round + 1:
            self._tell(rounds=round_ - 1 - self._round)
            self._round = round_ - 1

    def spend(self, meter: Meter) -> None: ...
    def end(self) -> None: ...


def serve(folder: Path, lines: TextIO, out: TextIO) -> int:
    """Run the requested batches, one after another."""
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
        print(json.dumps(what), file=out, flush=True)

    threading.Thread(target=listen, daemon=True).start()
    recipe = read((folder / STUDY_FILE).read_text("utf-8"), str(folder / STUDY_FILE))
    batches = batches_of(recipe)
    while (line := requests.get()) != STOP:
        try:
            for job in batches[int(line)]:
                live(recipe, job, folder, RoundReporter(tell), stop.is_set)
                tell(run=f"{job.arm}, seed {job.seed}")
        except Interrupted:
            break
        except (AudienceError, OSError) as error:
            tell(error=str(error))
            return 1
        tell(batch=int(line))
    return 0


if __name__ == "__main__":
    code = serve(Path(sys.argv[1]), sys.stdin, sys.stdout)
    sys.stdout.flush()
    os._exit(code)  # a thread may still wait for input
