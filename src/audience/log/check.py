"""Opening and checking run files, with errors that say what to do."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from audience.errors import AudienceError, BadInput, Unusable
from audience.log.schema import APPLICATION, FILE, KEYS, TABLES, VERSION


class NotWritten(AudienceError):
    """The disk is full or not writable; everything committed before is intact."""


_FORBIDDEN = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM})
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_OURS = (sqlite3.ProgrammingError, sqlite3.IntegrityError)
"""Errors of the caller, not of the file."""


def code(error: sqlite3.Error) -> int:
    """Return SQLite's primary error code, 0 if there is none."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn errors while reading a run file into `Unusable`."""
    try:
        yield
    except _OURS:
        raise
    except sqlite3.DatabaseError as error:
        raise _unreadable(path, error) from error
    except UnicodeDecodeError as error:  # of SQLite's own words about a damaged file
        raise Unusable(f"{path} is damaged ({error}); restore it from a copy") from error


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Turn errors while writing a run into `NotWritten`."""
    try:
        yield
    except _OURS:
        raise
    except sqlite3.DatabaseError as error:
        full, forbidden = code(error) == sqlite3.SQLITE_FULL, code(error) in _FORBIDDEN
        if not (full or forbidden or code(error) == sqlite3.SQLITE_IOERR):
            raise _unreadable(folder, error) from error
        raise _not_written(folder, error, full, forbidden) from error
    except UnicodeDecodeError as error:
        raise Unusable(f"{folder} is damaged ({error}); restore it from a copy") from error
    except OSError as error:
        full = error.errno in _NO_ROOM
        forbidden = error.errno in {errno.EROFS, errno.EACCES, errno.EPERM}
        raise _not_written(folder, error, full, forbidden) from error


def _unreadable(path: Path, error: sqlite3.Error) -> Unusable:
    if code(error) in _BUSY:
        return Unusable(f"{path} is busy ({error}); wait for its user, then try again")
    return Unusable(f"{path} is damaged ({error}); restore it from a copy")


def _not_written(folder: Path, error: Exception, full: bool, forbidden: bool) -> NotWritten:
    if full:
        what, remedy = "the disk is full", "free some space"
    elif forbidden:
        what, remedy = "writing there is not allowed", "make it writable or choose another folder"
    else:
        what, remedy = "the disk refused", "check its free space, quota and health"
    return NotWritten(
        f"{folder} could not be written: {what} ({error}); {remedy}, then try again. "
        "Everything committed before is safe"
    )


_MAGIC = b"SQLite format 3\x00"
_HEADER = 100
_WAIT = 30.0
"""Seconds to wait for another process's transaction."""


def inspect(folder: Path) -> int:
    """Return the schema version of the run in a folder, after checking it. Read-only."""
    path = folder / FILE
    if not path.is_file():
        raise BadInput(f"{folder} holds no run ({FILE} is missing); give the folder of a run")
    _check_header(path)
    mode = "mode=ro" if unsettled(path) else "immutable=1"
    with reading(path), closing(connected(path, mode)) as connection:
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        _check_version(path, version)
        _check_tables(path, connection)
    return version


def open_to_read(path: Path) -> sqlite3.Connection:
    """Return a read-only connection that sees what a writer commits."""
    connection = connected(path, "mode=ro")
    try:
        connection.execute("SELECT 1 FROM meta").fetchone()
    except sqlite3.OperationalError as error:
        connection.close()
        if code(error) not in {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}:
            raise
        return _open_settled(path, error)
    except BaseException:
        connection.close()
        raise
    return connection


def _open_settled(path: Path, error: sqlite3.Error) -> sqlite3.Connection:
    # In a read-only folder SQLite cannot create the index of the write-ahead log.
    if unsettled(path):
        raise Unusable(
            f"{path} was not closed by its writer, and its folder is not writable to recover it "
            f"({error}); copy the whole folder to a writable place"
        ) from error
    return connected(path, "immutable=1")


def connected(path: Path, mode: str) -> sqlite3.Connection:
    """Return a connection without implicit transactions."""
    return sqlite3.connect(
        f"{path.resolve().as_uri()}?{mode}",
        uri=True,
        timeout=_WAIT,
        isolation_level=None,
        check_same_thread=False,
    )


def unsettled(path: Path) -> bool:
    """Return True if part of a run file is still in its write-ahead log."""
    wal = path.with_name(f"{path.name}-wal")
    return wal.is_file() and wal.stat().st_size > 0


def _check_header(path: Path) -> None:
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER)
    except OSError as error:
        raise BadInput(
            f"{path} cannot be read ({error.strerror}); check its permissions"
        ) from error
    if not header:
        raise Unusable(f"{path} is empty; restore it from a copy")
    if not header.startswith(_MAGIC[: len(header)]):
        raise Unusable(f"{path} is not the file of a run; give a folder that `audience run` made")
    if len(header) < _HEADER:
        raise Unusable(f"{path} is cut off after {len(header)} bytes; restore it from a copy")
    if int.from_bytes(header[68:72], "big") != APPLICATION:
        raise Unusable(
            f"{path} is a database of another program; give a folder that `audience run` made"
        )
    _check_length(path, header)


def _check_length(path: Path, header: bytes) -> None:
    page = int.from_bytes(header[16:18], "big")
    expected = (65536 if page == 1 else page) * int.from_bytes(header[28:32], "big")
    size = path.stat().st_size
    # With a write-ahead log the rest may be there: SQLite completes the file from it.
    if size < expected and not unsettled(path):
        raise Unusable(
            f"{path} is cut off: {size} of {expected} bytes are there; restore it from a copy"
        )


def _check_version(path: Path, version: int) -> None:
    if version > VERSION:
        raise Unusable(
            f"{path} was written by a newer Audience (schema {version}; this one reads up to "
            f"{VERSION}); upgrade: pip install --upgrade audience"
        )
    if version < 1:
        raise Unusable(f"{path} is damaged (schema version {version}); restore it from a copy")


def _check_tables(path: Path, connection: sqlite3.Connection) -> None:
    for table, required in TABLES.items():
        rows = connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
        columns = {name for (name,) in rows}
        if not columns:
            raise Unusable(f"{path} is damaged (no table {table!r}); restore it from a copy")
        if missing := ", ".join(sorted(required - columns)):
            raise Unusable(
                f"{path} is damaged (table {table!r} lacks {missing}); restore it from a copy"
            )
    keys = {key for (key,) in connection.execute("SELECT key FROM meta")}
    if missing := ", ".join(sorted(KEYS - keys)):
        raise Unusable(f"{path} is damaged (nothing says its {missing}); restore it from a copy")
