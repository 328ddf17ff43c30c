"""The tables of a run file: schema, transactions, and upgrades from earlier versions."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import msgspec

from audience.log.checksum import add_sums


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Commit everything written inside, or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # After some errors SQLite has already rolled back by itself.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


FILE = "run.db"
APPLICATION = 0x41554449
"""`AUDI`, the application id in the header of every run file."""
VERSION = 3
SUMMED = 3
"""The first version with checksums."""

TABLES: dict[str, frozenset[str]] = {
    "meta": frozenset({"key", "value"}),
    "genesis": frozenset({"body"}),
    "chapters": frozenset({"seq", "round", "phase", "rank", "agent", "body"}),
}
"""The columns without which a run cannot be read; snapshots are a cache and may be missing."""

KEYS = frozenset({"scenario", "seed", "manifest", "lineage", "state"})
STATES = ("running", "stopped", "finished", "failed")

CREATE = (
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value)",
    "CREATE TABLE genesis(body BLOB NOT NULL)",
    "CREATE TABLE chapters(seq INTEGER PRIMARY KEY, round INTEGER NOT NULL, phase INTEGER NOT NULL,"
    " rank INTEGER NOT NULL, agent INTEGER NOT NULL, body BLOB NOT NULL, sum BLOB NOT NULL)",
    "CREATE UNIQUE INDEX chapters_in_order ON chapters(round, phase, rank, agent)",
)

SNAPSHOTS = (
    "CREATE TABLE IF NOT EXISTS snapshots(agent INTEGER NOT NULL, round INTEGER NOT NULL,"
    " body BLOB NOT NULL, sum BLOB NOT NULL, PRIMARY KEY(agent, round))"
)

RECORDS = """CREATE VIEW records AS
SELECT chapters.seq, chapters.round, chapters.phase, chapters.rank, chapters.agent,
       entry.key AS step,
       json_extract(entry.value, '$[0][0]') AS kind,
       json_extract(entry.value, '$[0]') AS event,
       coalesce(json_extract(entry.value, '$[1]'), '') AS cause
FROM chapters, json_each(CAST(chapters.body AS TEXT)) AS entry"""
"""One row per event, for queries in SQL: `SELECT kind, count(*) FROM records GROUP BY 1`."""


def known_layout() -> frozenset[str]:
    """Return the statements that make the tables of a file of this version, as SQLite keeps them.

    A file of an earlier version was given its checksums by an ALTER.
    """
    with closing(sqlite3.connect(":memory:")) as fresh, closing(sqlite3.connect(":memory:")) as old:
        for statement in (*CREATE, SNAPSHOTS):
            fresh.execute(statement)
            old.execute(statement.replace(", sum BLOB NOT NULL", ""))
        add_sums(old)
        fresh.execute(RECORDS)
        texts = [
            row[0] for one in (fresh, old) for row in one.execute("SELECT sql FROM sqlite_master")
        ]
    return frozenset(text for text in texts if text)


class Lineage(msgspec.Struct, frozen=True):
    """The origin of a branch: its parent's folder name, and digest up to the round `at`."""

    parent: str
    digest: str
    at: int


def _with_causes(body: bytes) -> bytes:
    """Return a version 1 body, which had bare events, with empty causes and calls."""
    events = msgspec.json.decode(body, type=list[msgspec.Raw])
    return msgspec.json.encode([(event, "", ()) for event in events])


def _unchanged(body: bytes) -> bytes:
    """Return a version 2 body: version 3 added checksums beside it."""
    return body


UPCASTS: dict[int, Callable[[bytes], bytes]] = {1: _with_causes, 2: _unchanged}
"""For each version, how a chapter's body is converted to the next one."""


def upcast(body: bytes, version: int) -> bytes:
    """Return a chapter's body in the current version."""
    for old in range(version, VERSION):
        body = UPCASTS[old](body)
    return body


_WAL_LIMIT = 64 << 20


def prepare(connection: sqlite3.Connection) -> None:
    """Set up a connection for writing and upgrade its file to the current version."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA journal_size_limit = {_WAL_LIMIT}")
    connection.execute(SNAPSHOTS)
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version < VERSION:
        _migrate(connection, version)


def _migrate(connection: sqlite3.Connection, version: int) -> None:
    connection.create_function("upcast", 1, lambda body: upcast(body, version), deterministic=True)
    with transaction(connection):
        connection.execute("UPDATE chapters SET body = upcast(body)")
        connection.execute("DELETE FROM snapshots")
        add_sums(connection)
        connection.execute("DROP VIEW IF EXISTS records")
        connection.execute(RECORDS)
        connection.execute(f"PRAGMA user_version = {VERSION}")
