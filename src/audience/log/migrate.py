"""Making a run file ready to be written: its settings, and the present layout for an older one."""

from __future__ import annotations

import sqlite3

from audience.log.schema import RECORDS, SNAPSHOTS, VERSION, upcast
from audience.log.transaction import transaction

_WAL_LIMIT = 64 << 20


def prepare(connection: sqlite3.Connection) -> None:
    """Set up a connection that writes, and bring its file up to the present version."""
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
        connection.execute("DROP VIEW IF EXISTS records")
        connection.execute(RECORDS)
        connection.execute(f"PRAGMA user_version = {VERSION}")
