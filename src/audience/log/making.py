"""Making a run folder, whole or not at all."""

from __future__ import annotations

import platform
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec
import numpy as np

from audience.errors import BadInput
from audience.log import lock
from audience.log.faults import writing
from audience.log.schema import APPLICATION, CREATE, FILE, RECORDS, SNAPSHOTS, VERSION, Lineage
from audience.world.genesis import Genesis

_PARTIAL = f"{FILE}.partial"
_ENDS = ("", "-journal", "-wal", "-shm")
_OURS = frozenset({lock.NAME, *(f"{_PARTIAL}{end}" for end in _ENDS)})
"""What a creation that was killed may have left."""


@contextmanager
def made(folder: Path, fill: Callable[[Path], None]) -> Iterator[lock.Lock]:
    """Make `folder` hold the run file that `fill` writes, and give the lock that is held on it.

    On a failure, also one inside the `with`, nothing is left behind.
    """
    _refuse_occupied(folder)
    new: list[Path] = []
    try:
        with writing(folder):
            _make_folders(folder, new)
        held = lock.Lock(folder)
        try:
            _refuse_occupied(folder)
            with _all_or_nothing(folder):
                with writing(folder):
                    fill(folder / _PARTIAL)
                    (folder / _PARTIAL).replace(folder / FILE)
                yield held
        except BaseException:
            held.release()
            raise
    except BaseException:
        for path in reversed(new):
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
    """Write a run file that holds a genesis and no chapter yet."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("BEGIN")
        for statement in (*CREATE, SNAPSHOTS, RECORDS):
            connection.execute(statement)
        connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
        connection.execute("INSERT INTO genesis VALUES (?)", (genesis.packed,))
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = WAL")


def meta_of(scenario: str, seed: int, lineage: Lineage | None) -> dict[str, str]:
    """Return what a new run says about itself."""
    return {
        "scenario": scenario,
        "seed": str(seed),
        "manifest": msgspec.json.encode(manifest()).decode(),
        "lineage": encoded(lineage),
        "state": "running",
    }


def encoded(lineage: Lineage | None) -> str:
    """Return a lineage as it is stored: empty for a run without a parent."""
    return msgspec.json.encode(lineage).decode() if lineage else ""


def manifest() -> dict[str, str]:
    """Return the versions of what makes a run."""
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
    there = {path.name for path in folder.iterdir()} - _OURS if folder.exists() else set()
    if FILE in there:
        raise BadInput(
            f"--out {folder} already holds a run; continue it with `audience resume {folder}`, "
            "or choose another folder with --out"
        )
    if there:
        shown = ", ".join(sorted(there)[:3]) + (", …" if len(there) > 3 else "")
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
