"""A worker process that trains with RecBole, asked over its standard input and output."""

from __future__ import annotations

import os
import subprocess
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import msgspec

from audience.errors import AudienceError, BadInput

WORKER = Path(__file__).with_name("recbole_worker.py")
LAST = 8
"""Lines of the worker's standard error that are told when it fails."""
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS")


class WorkerFault(AudienceError):
    """The worker failed; its last words are in the message."""


class Worker:
    """A worker that lives until nobody holds it, or we end. Starting one takes seconds."""

    def __init__(self, python: str) -> None:
        folder = tempfile.TemporaryDirectory(prefix="audience-recbole-")
        self.errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        self.process = subprocess.Popen(  # noqa: S603
            [python, str(WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            cwd=folder.name,
            env=surroundings(),
        )
        self.folder = folder.name
        self.fits = 0
        self.forgotten: list[int] = []
        weakref.finalize(self, stop, self.process, self.errors, folder)

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a question, or say why there is none."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        told = msgspec.json.encode({**question, "forget": self.forgotten}) + b"\n"
        self.forgotten.clear()
        try:
            stdin.write(told)
            stdin.flush()
            line = stdout.readline()
        except BrokenPipeError:
            line = b""
        except BaseException:
            # Whoever asks next must not get the answer to this question.
            self.process.kill()
            raise
        if not line:
            raise self._fault()
        answer: dict[str, Any] = msgspec.json.decode(line)
        if "mistake" in answer:
            raise BadInput(answer["mistake"])
        return answer

    def _fault(self) -> WorkerFault:
        code = self.process.wait()
        self.errors.seek(0)
        lines = self.errors.read().decode("utf-8", "replace").splitlines()
        said = [line.strip() for line in lines if line.strip()[:1] not in ("", "~", "^")]
        told = " | ".join(said[-LAST:]) or "nothing"
        return WorkerFault(f"the RecBole worker ended with exit code {code}; it said last: {told}")


def surroundings() -> dict[str, str]:
    """Return the environment of a worker: one thread, and the same order of sets each time."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return kept | dict.fromkeys(THREADS, "1") | {"PYTHONHASHSEED": "0"}


def stop(
    process: subprocess.Popen[bytes],
    errors: IO[bytes],
    folder: tempfile.TemporaryDirectory[str],
) -> None:
    """End a worker and what we hold of it."""
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, errors):
        with suppress(BrokenPipeError):
            if pipe is not None:
                pipe.close()
    folder.cleanup()
