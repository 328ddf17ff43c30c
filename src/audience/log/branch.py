"""Branching: copying a run up to the end of a round, to continue differently from there."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from audience.errors import BadInput, Unusable
from audience.log import folder
from audience.log.check import NotWritten, open_to_read, reading, unsettled
from audience.log.checksum import seal
from audience.log.folder import Lock
from audience.log.schema import FILE, SNAPSHOTS, Lineage
from audience.log.store import Log


def fork(source: Path, target: Path, at: int | None = None) -> Log:
    """Return the branch of `source` at the end of round `at`, or of its last complete one.

    The source is only read and may be running.
    """
    with Log.open(source) as parent:
        complete = parent.complete_rounds()
        at = complete if at is None else at
        if not 0 <= at <= complete:
            raise BadInput(_no_such_round(source, at, complete))
        lineage = Lineage(source.resolve().name, parent.digest(upto_round=at), at)
        scenario, seed = parent.scenario, parent.seed
    meta = folder.meta_of(scenario, seed, lineage) | {"state": "stopped"}

    def fill(path: Path) -> None:
        _copy(source, path)
        _cut(path, at, meta)

    with folder.made(target, fill) as lock:
        return Log.over(target, lock)


def _copy(source: Path, path: Path) -> None:
    try:
        lock = Lock(source)
    except (Unusable, NotWritten):
        _back_up(source / FILE, path)
        return
    # While we hold the lock nobody writes, so a file without pending pages can simply be copied.
    try:
        if unsettled(source / FILE):
            _back_up(source / FILE, path)
        else:
            shutil.copyfile(source / FILE, path)
    finally:
        lock.release()


def _back_up(source: Path, path: Path) -> None:
    with (
        reading(source),
        closing(open_to_read(source)) as connection,
        closing(sqlite3.connect(path, isolation_level=None)) as copy,
    ):
        _unprotect(copy)
        connection.backup(copy)


def _cut(path: Path, at: int, meta: dict[str, str]) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as copy:
        _unprotect(copy)
        copy.execute("DELETE FROM chapters WHERE round > ?", (at,))
        copy.execute(SNAPSHOTS)
        copy.execute("DELETE FROM snapshots WHERE round > ?", (at,))
        copy.executemany(
            "UPDATE meta SET value = ? WHERE key = ?", [(v, k) for k, v in meta.items()]
        )
        copy.execute("DELETE FROM meta WHERE key = 'halted'")
        seal(copy)
        copy.execute("PRAGMA journal_mode = WAL")


def _unprotect(copy: sqlite3.Connection) -> None:
    # An unfinished copy is thrown away, so it needs no protection against crashes.
    copy.execute("PRAGMA journal_mode = OFF")
    copy.execute("PRAGMA synchronous = OFF")


def _no_such_round(source: Path, at: int, complete: int) -> str:
    done = f"rounds 1 to {complete} are complete" if complete else "no round is complete yet"
    return f"--at {at}: {source} has no such round to branch from; {done} (0 branches at the start)"
