"""Studies and evaluations under way: one at a time, each as the command of a terminal.

A process of its own, as evaluations can neither be cancelled nor share this interpreter with the
page for minutes, and as what a terminal writes is then what the page has written.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import secrets
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from audience.errors import AudienceError
from audience.files import replace_all
from audience.web.lab_types import ArmRuns, JobState, LabJob, LabKind
from audience.web.replies import Conflict, Missing

WAITING = 5
"""How many may wait for their turn."""
KEPT = 20
PATIENCE = 60.0
"""Seconds that a cancelled one has to end at a commit point."""
PRINTED = "printed.txt"
_CALM = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NO_COLOR": "1", "COLUMNS": "110"}


class Job:
    """A command that was asked for, and how far it is."""

    def __init__(self, kind: LabKind, name: str, question: str, options: str, folder: Path) -> None:
        self.id = secrets.token_hex(6)
        self.kind, self.name, self.question, self.options = kind, name, question, options
        self.folder = folder
        self.state: JobState = "waiting"
        self.error = ""
        self.step = ("", 0, 0)
        """What is being done, how much of it, and of how much."""
        self.keeps = False
        """Whether the folder was there before, and stays if this is cancelled."""
        self.began = self.ended = 0.0
        self.process: subprocess.Popen[str] | None = None
        self.is_cancelled = False

    @property
    def is_over(self) -> bool:
        return self.state in ("finished", "failed", "cancelled")

    @property
    def seconds(self) -> int:
        if not self.began:
            return 0
        return round((self.ended or time.monotonic()) - self.began)


class LabJobs:
    """Starts commands one after the other, and ends them."""

    def __init__(self, discard: Callable[[Path], object]) -> None:
        """`discard` is called with the folder of one that was cancelled or failed half-way."""
        self._discard = discard
        self._lock = threading.Lock()
        self._jobs: dict[str, Job] = {}
        self._queue: queue.Queue[tuple[Job, list[str]] | None] = queue.Queue()
        self._thread: threading.Thread | None = None
        self._is_closing = False

    def all(self) -> list[Job]:
        """Return all jobs, the newest first."""
        return list(reversed(self._jobs.values()))

    def add(self, job: Job, command: list[str]) -> Job:
        """Start a command, or let it wait for its turn."""
        with self._lock:
            if sum(one.state == "waiting" for one in self._jobs.values()) >= WAITING:
                raise Conflict(f"{WAITING} are waiting already; let one end, or cancel one")
            if any(one.folder == job.folder and not one.is_over for one in self._jobs.values()):
                raise Conflict(f"{job.folder.name} is going on already")
            over = [one.id for one in self._jobs.values() if one.is_over]
            for id_ in over[: max(0, len(self._jobs) - KEPT)]:
                del self._jobs[id_]
            self._jobs[job.id] = job
            self._queue.put((job, command))
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="lab", daemon=True)
                self._thread.start()
        return job

    def cancel(self, id_: str) -> Job:
        """End one at its next commit point; what it wrote goes into the trash."""
        job = self._jobs.get(id_)
        if job is None:
            raise Missing(f"there is no study or evaluation {id_[:40]!r} under way")
        if job.is_over:
            raise Conflict(f"{job.name} has ended already")
        job.is_cancelled = True
        if job.process is None:
            job.state = "cancelled"
        else:
            interrupt(job.process)
        return job

    def is_busy(self, folder: Path) -> bool:
        """Return whether one under way writes into a folder."""
        return any(job.folder == folder and not job.is_over for job in self._jobs.values())

    def close(self) -> None:
        """End the one that goes on; a study keeps its rounds and can be continued."""
        self._is_closing = True
        self._queue.put(None)
        for job in self._jobs.values():
            if job.process is not None and not job.is_over:
                interrupt(job.process)
        if self._thread:
            self._thread.join(PATIENCE)

    def _work(self) -> None:
        while not self._is_closing:
            item = self._queue.get()
            if item is None:
                return
            job, command = item
            if job.is_cancelled:
                continue
            try:
                self._live(job, command)
            except (AudienceError, OSError) as error:
                job.error = str(error)
                job.state = "failed"

    def _live(self, job: Job, command: list[str]) -> None:
        job.began = time.monotonic()
        process = subprocess.Popen(  # noqa: S603
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            env={**os.environ, **_CALM, "AUDIENCE_PROGRESS": "lines"},
            start_new_session=True,  # Ctrl-C is for the server to pass on
        )
        job.process, job.state = process, "running"
        if job.is_cancelled:
            interrupt(process)
        told: deque[str] = deque(maxlen=30)
        printed: list[str] = []
        reader = threading.Thread(target=_hear, args=(process, job, told), daemon=True)
        reader.start()
        assert process.stdout is not None
        printed.extend(process.stdout)
        process.wait()
        reader.join()
        process.stdout.close()
        job.ended = time.monotonic()
        self._end(job, process.returncode, "".join(printed), "".join(told))

    def _end(self, job: Job, code: int, printed: str, told: str) -> None:
        if job.is_cancelled:
            self._drop(job)
            job.state = "cancelled"
        elif self._is_closing:
            job.state = "cancelled"
        elif code in (0, 1) and printed.strip():  # 1: the verdict is withheld, and says so
            if job.kind == "evaluation":
                replace_all({job.folder / PRINTED: printed.encode()})
            job.state = "finished"
        else:
            said = told.strip() or printed.strip() or f"it ended with exit code {code}"
            job.error = said.removeprefix("audience: ").replace(f"{job.folder.parent}/", "")
            self._drop(job)
            job.state = "failed"

    def _drop(self, job: Job) -> None:
        if job.folder.is_dir() and not job.keeps:
            self._discard(job.folder)


def interrupt(process: subprocess.Popen[str]) -> None:
    """Stop a command as Ctrl-C does; end it if it does not stop."""
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGINT)

    def end() -> None:
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()

    threading.Thread(target=end, name="lab end", daemon=True).start()


def _hear(process: subprocess.Popen[str], job: Job, told: deque[str]) -> None:
    """Read standard error: lines of progress, and what went wrong."""
    assert process.stderr is not None
    for line in process.stderr:
        try:
            step = json.loads(line)
            job.step = (str(step["progress"]), int(step["done"]), int(step["all"]))
        except (ValueError, TypeError, KeyError):
            told.append(line)
    process.stderr.close()


def reply_of(job: Job, arms: list[ArmRuns], result: str) -> LabJob:
    """Return a job as the page shows it; `arms` are its runs by arm, where it has any."""
    now, done, whole = job.step
    if arms:
        done, whole = sum(arm.done for arm in arms), sum(arm.all for arm in arms)
        now = next((arm.arm for arm in arms if arm.done < arm.all), "writing the report")
    return LabJob(
        job.id,
        job.kind,
        job.name,
        job.question,
        job.options,
        job.state,
        done,
        whole,
        now,
        arms,
        job.seconds,
        job.error,
        result,
    )
