"""The SQLite file of calls: opening, checking and copying it, with a checksum of each call."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from hashlib import blake2b
from pathlib import Path

import msgspec

from audience.errors import AudienceError, Unusable

_APPLICATION = 0x41554443
_VERSION = 2
SUMMED = 2
"""The first version with a checksum of each call."""
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
        reply BLOB NOT NULL,
        sum BLOB NOT NULL)""",
    "CREATE UNIQUE INDEX calls_by_key ON calls (key, nth, take)",
)


class NotKept(AudienceError):
    """A call could not be stored: the disk is full or not writable."""


def open_writable(path: Path) -> sqlite3.Connection:
    """Open a store for writing, creating it if there is none."""
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
            elif _is(connection, _APPLICATION) and version_of(connection) < SUMMED:
                _add_sums(connection)
            connection.execute("COMMIT")
            _check(path, connection)
        except BaseException:
            connection.close()
            raise
        return connection


def open_readable(path: Path) -> sqlite3.Connection:
    """Open an existing store read-only."""
    with told(path):
        try:
            return _checked(path, "mode=ro")
        except sqlite3.OperationalError:
            # In a read-only folder SQLite cannot create the shared memory of the write-ahead log.
            return _checked(path, "immutable=1")


def _checked(path: Path, mode: str) -> sqlite3.Connection:
    # A path is percent-encoded: `#` and `?` have a meaning in the address of a file.
    connection = _connected(f"{path.resolve().as_uri()}?{mode}", uri=True)
    try:
        _check(path, connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _connected(address: str, *, uri: bool = False) -> sqlite3.Connection:
    # The engine may run its loop in another thread; there is still one user at a time.
    return sqlite3.connect(
        address, uri=uri, isolation_level=None, timeout=10.0, check_same_thread=False
    )


def _check(path: Path, connection: sqlite3.Connection) -> None:
    if not _is(connection, _APPLICATION):
        raise Unusable(f"{path} is not a call store; give another path, or move that file away")
    version = version_of(connection)
    if not 1 <= version <= _VERSION:
        raise Unusable(
            f"{path} has format {version}, this program reads up to {_VERSION}; update audience"
        )


def _is(connection: sqlite3.Connection, application: int) -> bool:
    return bool(connection.execute("PRAGMA application_id").fetchone()[0] == application)


def version_of(connection: sqlite3.Connection) -> int:
    """Return the version of a store."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def call_sum(*row: object) -> bytes:
    """Return the checksum of a call: all columns but its id, its take and the checksum."""
    return blake2b(msgspec.msgpack.encode(row), digest_size=8).digest()


def _add_sums(connection: sqlite3.Connection) -> None:
    """Give a store of version 1 the checksums of what it holds now."""
    connection.create_function("call_sum", -1, call_sum, deterministic=True)
    connection.execute("ALTER TABLE calls ADD COLUMN sum BLOB")
    connection.execute(f"UPDATE calls SET sum = call_sum({', '.join(_SUMMED_COLUMNS)})")
    connection.execute(f"PRAGMA user_version = {_VERSION}")


_SUMMED_COLUMNS = (
    "key nth purpose outcome model endpoint prompt completion cached reasoning seconds attempts"
    " request reply"
).split()
_REFUSED = frozenset(
    {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
    }
)


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into messages that say what to do."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "busy" in str(error):
            raise Unusable(f"{path} is busy: another run writes it; wait for its end") from error
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in _REFUSED:
            raise NotKept(
                f"{path} could not be used ({error}); check the disk's space and rights, then "
                "resume"
            ) from error
        raise _damaged(path, error) from error
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        raise _damaged(path, error) from error
    except OSError as error:
        raise NotKept(f"{path} could not be made: {error.strerror}") from error


def _damaged(path: Path, why: object) -> Unusable:
    return Unusable(f"{path} is damaged ({why}); restore it, or move it away")


def wrong_pages(connection: sqlite3.Connection) -> list[str]:
    """Return what SQLite finds wrong, and tables that are not as this program makes them."""
    found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check")]
    rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    tables = [(str(name), str(sql)) for name, sql in rows]
    if version_of(connection) >= SUMMED:
        known = _known_tables()
        found += [f"{name} is not as written" for name, sql in tables if sql not in known]
    elif any("sum" in sql for _, sql in tables):
        found.append("its header says version 1, but it has checksums")
    return [line for line in found if line != "ok"]


def _known_tables() -> set[str]:
    with closing(sqlite3.connect(":memory:")) as fresh, closing(sqlite3.connect(":memory:")) as old:
        for statement in _CREATE:
            fresh.execute(statement)
            old.execute(statement.replace(",\n        sum BLOB NOT NULL", ""))
        _add_sums(old)
        rows = [row for one in (fresh, old) for row in one.execute("SELECT sql FROM sqlite_master")]
    return {sql for (sql,) in rows}


def copy_calls(source: Path, target: Path) -> None:
    """Give a branch the calls of its parent, so that it pays only for what differs.

    What people were asked in interviews and chats belongs to the parent alone.
    """
    with (
        closing(open_readable(source)) as calls,
        told(target),
        closing(sqlite3.connect(target)) as copy,
    ):
        calls.backup(copy)
        copy.execute("DELETE FROM calls WHERE purpose IN ('interview', 'chat')")
        copy.commit()
