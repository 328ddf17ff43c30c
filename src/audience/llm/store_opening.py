"""Opening a call store: its tables, its marks, and what is wrong with a file in words."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from audience.errors import AudienceError, Unusable

_APPLICATION = 0x41554443
_VERSION = 1
_CREATE = (
    """CREATE TABLE calls (
        id INTEGER PRIMARY KEY,
        key BLOB NOT NULL,
        nth INTEGER NOT NULL,
        take INTEGER NOT NULL,
        purpose TEXT NOT NULL,
        outcome TEXT NOT NULL,
        model TEXT NOT NULL,
        endpoint TEXT NOT NULL,
        prompt INTEGER NOT NULL,
        completion INTEGER NOT NULL,
        cached INTEGER NOT NULL,
        reasoning INTEGER NOT NULL,
        seconds REAL NOT NULL,
        attempts INTEGER NOT NULL,
        request BLOB NOT NULL,
        reply BLOB NOT NULL)""",
    "CREATE UNIQUE INDEX calls_by_key ON calls (key, nth, take)",
)


class NotKept(AudienceError):
    """A call could not be written down: the disk is full or forbids it."""


def open_writable(path: Path) -> sqlite3.Connection:
    """Open a store to add to it, made where there is none."""
    with told(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = _connected(str(path))
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("BEGIN IMMEDIATE")
            if connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0] == 0:
                for statement in _CREATE:
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {_APPLICATION}")
                connection.execute(f"PRAGMA user_version = {_VERSION}")
            connection.execute("COMMIT")
            _check(path, connection)
        except BaseException:
            connection.close()
            raise
        return connection


def open_readable(path: Path) -> sqlite3.Connection:
    """Open a store that is there already, never to change it."""
    with told(path):
        address = path.resolve().as_uri()
        connection = _connected(f"{address}?mode=ro", uri=True)
        try:
            _check(path, connection)
        except sqlite3.OperationalError:
            # A folder that may not be written cannot hold the shared memory of the log.
            connection.close()
            connection = _connected(f"{address}?immutable=1", uri=True)
            _check(path, connection)
        return connection


def _connected(address: str, *, uri: bool = False) -> sqlite3.Connection:
    # The engine may run its loop in a thread of its own; there is still one user at a time.
    return sqlite3.connect(
        address, uri=uri, isolation_level=None, timeout=10.0, check_same_thread=False
    )


def _check(path: Path, connection: sqlite3.Connection) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application == _APPLICATION and version == _VERSION:
        return
    connection.close()
    if application != _APPLICATION:
        raise Unusable(f"{path} is not a call store; give another path, or move that file away")
    raise Unusable(f"{path} has format {version}, this program reads {_VERSION}; update audience")


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Turn what SQLite says into words that tell what to do."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "busy" in str(error):
            raise Unusable(f"{path} is busy: another run writes it; wait for its end") from error
        raise NotKept(
            f"{path} could not be used ({error}); look at the disk's space and rights, then resume"
        ) from error
    except sqlite3.DatabaseError as error:
        raise Unusable(f"{path} is damaged ({error}); restore it, or move it away") from error
    except OSError as error:
        raise NotKept(f"{path} could not be made: {error.strerror}") from error
