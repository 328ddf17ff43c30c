"""Run folders: the lock of their one writer, and making a new run file or nothing at all."""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec
import numpy as np
from filelock import lock_descriptor

from audience.errors import BadInput, Unusable, shell_command
from audience.log.check import writing
from audience.log.checksum import GENESIS_SUM, seal, text_sum
from audience.log.schema import APPLICATION, CREATE, FILE, RECORDS, SNAPSHOTS, VERSION, Lineage
from audience.world import Genesis

NAME = "lock"
_HOLDER = 1
"""Where the lock file names its holder: Windows locks byte 0, which others cannot read."""


class Lock:
    """The right to write into a run folder, until released or until its holder dies."""

    def __init__(self, folder: Path) -> None:
        with writing(folder):
            self._path = folder / NAME
            self._file = _locked(self._path)
            self._held = True
            try:
                os.ftruncate(self._file, 0)
                os.lseek(self._file, _HOLDER, os.SEEK_SET)
                os.write(self._file, str(os.getpid()).encode())
            except OSError:
                self.release()
                raise

    def release(self) -> None:
        """Let others write; releasing twice is harmless."""
        if self._held:
            self._held = False
            # Removed while still held: whoever waits on the old file sees that its name is gone.
            # Windows does not remove an open file; there the file stays, unlocked.
            with suppress(OSError):
                self._path.unlink()
            os.close(self._file)


def _locked(path: Path) -> int:
    """Return a descriptor of the lock file, locked; the system drops the lock with its holder."""
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            if not lock_descriptor(file, blocking=False):
                os.lseek(file, _HOLDER, os.SEEK_SET)
                raise Unusable(_busy(path.parent, os.read(file, 32).decode(errors="replace")))
            if _still_named(path, file):
                return file
        except BaseException:
            os.close(file)
            raise
        os.close(file)


def _still_named(path: Path, file: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(file))
    except FileNotFoundError:
        return False


def _busy(folder: Path, writer: str) -> str:
    who = f"the process with id {writer}" if writer else "another program"
    return f"{folder} is being written by {who}; wait until it ends, or stop it, then try again"


def is_held(folder: Path) -> bool:
    """Return True if a process is writing into a run folder now."""
    try:
        file = os.open(folder / NAME, os.O_RDONLY)
    except OSError:
        return False
    try:
        return not lock_descriptor(file, blocking=False)
    finally:
        os.close(file)


_PARTIAL = f"{FILE}.partial"
_ENDS = ("", "-journal", "-wal", "-shm")
_OURS = frozenset({NAME, *(f"{_PARTIAL}{end}" for end in _ENDS)})
"""What an interrupted creation may have left."""


@contextmanager
def made(folder: Path, fill: Callable[[Path], None]) -> Iterator[Lock]:
    """Create a run file with `fill` and yield the lock held on its folder.

    On a failure, also inside the `with`, nothing is left behind.
    """
    _refuse_occupied(folder)
    new_folders: list[Path] = []
    try:
        with writing(folder):
            _make_folders(folder, new_folders)
        lock = Lock(folder)
        try:
            _refuse_occupied(folder)
            with _all_or_nothing(folder):
                with writing(folder):
                    fill(folder / _PARTIAL)
                    (folder / _PARTIAL).replace(folder / FILE)
                yield lock
        except BaseException:
            lock.release()
            raise
    except BaseException:
        for path in reversed(new_folders):
            path.rmdir()
        raise


@contextmanager
def _all_or_nothing(folder: Path) -> Iterator[None]:
    _clear(folder, _PARTIAL)
    try:
        yield
    except BaseException:
        _clear(folder, _PARTIAL)
        _clear(folder, FILE)
        raise


def fill_new(path: Path, genesis: Genesis, meta: dict[str, str]) -> None:
    """Write a run file with a genesis and no chapters."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("BEGIN")
        for statement in (*CREATE, SNAPSHOTS, RECORDS):
            connection.execute(statement)
        packed = genesis.packed
        whole = meta | {GENESIS_SUM: text_sum(packed)}
        connection.executemany("INSERT INTO meta VALUES (?, ?)", whole.items())
        seal(connection)
        connection.execute("INSERT INTO genesis VALUES (?)", (packed,))
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = WAL")


def meta_of(scenario: str, seed: int, lineage: Lineage | None) -> dict[str, str]:
    """Return the metadata of a new run."""
    return {
        "scenario": scenario,
        "seed": str(seed),
        "manifest": msgspec.json.encode(manifest()).decode(),
        "lineage": msgspec.json.encode(lineage).decode() if lineage else "",
        "state": "running",
    }


def manifest() -> dict[str, str]:
    """Return the versions of what produces a run."""
    try:
        audience = version("audience")
    except PackageNotFoundError:
        audience = "not installed"
    return {
        "audience": audience,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
    }


def _refuse_occupied(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"--out {folder} is a file; choose another folder with --out")
    names = {path.name for path in folder.iterdir()} - _OURS if folder.exists() else set()
    if FILE in names:
        raise BadInput(
            f"--out {folder} already holds a run; continue it with "
            f"`{shell_command('resume', folder)}`, "
            "or choose another folder with --out"
        )
    if names:
        shown = ", ".join(sorted(names)[:3]) + (", …" if len(names) > 3 else "")
        raise BadInput(
            f"--out {folder} is not empty ({shown}); empty it, or choose another folder with --out"
        )


def _make_folders(folder: Path, made: list[Path]) -> None:
    for path in reversed((folder, *folder.parents)):
        if not path.exists():
            path.mkdir()
            made.append(path)


def _clear(folder: Path, name: str) -> None:
    for end in _ENDS:
        (folder / f"{name}{end}").unlink(missing_ok=True)
