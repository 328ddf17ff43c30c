"""What SQLite and the file system say, in words that tell what to do."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from audience.errors import AudienceError, Unusable


class NotWritten(AudienceError):
    """The disk is full or forbids writing. What was committed before is whole."""


_FORBIDDEN = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM})
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_OURS = (sqlite3.ProgrammingError, sqlite3.IntegrityError)
"""Mistakes of the caller, not of the file."""


def code(error: sqlite3.Error) -> int:
    """Return SQLite's primary code of an error, 0 when it has none."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn what goes wrong while a run file is read into `Unusable`."""
    try:
        yield
    except _OURS:
        raise
    except sqlite3.DatabaseError as error:
        raise _unreadable(path, error) from error


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Turn what goes wrong while a run is written into `NotWritten`."""
    try:
        yield
    except _OURS:
        raise
    except sqlite3.DatabaseError as error:
        full, forbidden = code(error) == sqlite3.SQLITE_FULL, code(error) in _FORBIDDEN
        if not (full or forbidden or code(error) == sqlite3.SQLITE_IOERR):
            raise _unreadable(folder, error) from error
        raise _not_written(folder, error, full, forbidden) from error
    except OSError as error:
        full = error.errno in _NO_ROOM
        forbidden = error.errno in {errno.EROFS, errno.EACCES, errno.EPERM}
        raise _not_written(folder, error, full, forbidden) from error


def _unreadable(path: Path, error: sqlite3.Error) -> Unusable:
    if code(error) in _BUSY:
        return Unusable(f"{path} is busy ({error}); wait for the one who uses it, then try again")
    return Unusable(f"{path} is damaged ({error}); restore it from a copy")


def _not_written(folder: Path, error: Exception, full: bool, forbidden: bool) -> NotWritten:
    if full:
        what, remedy = "the disk is full", "free some space"
    elif forbidden:
        what, remedy = "writing there is not allowed", "make it writable or choose another folder"
    else:
        what, remedy = "the disk refused", "look at its free space, quota and health"
    return NotWritten(
        f"{folder} could not be written: {what} ({error}); {remedy}, then try again. "
        "Everything committed before is safe"
    )
