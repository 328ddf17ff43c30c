"""Checksums of a run file: of each chapter and snapshot, of the genesis, and of the metadata."""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Mapping
from hashlib import blake2b

SUM, GENESIS_SUM = "sum", "genesis_sum"
"""The keys of the metadata that hold its own checksum and that of the genesis."""
_SIZE = 8
_PLACES = {count: struct.Struct(f"<{count}q") for count in (2, 4)}


def row_sum(*row: object) -> bytes:
    """Return the checksum of a row: numbers, then a body; empty if it is of another form."""
    *place, body = row
    if not isinstance(body, bytes):
        return b""
    try:
        packed = _PLACES[len(place)].pack(*place)
    except struct.error:
        return b""
    return blake2b(packed + body, digest_size=_SIZE).digest()


def text_sum(body: object) -> str:
    """Return the checksum of a body as text; empty if it is none."""
    return blake2b(body, digest_size=_SIZE).hexdigest() if isinstance(body, bytes) else ""


def meta_sum(meta: Mapping[str, object]) -> str:
    """Return the checksum of all metadata but the checksum itself."""
    rows = sorted((key, str(value)) for key, value in meta.items() if key != SUM)
    return text_sum(repr(rows).encode(errors="surrogatepass"))


def seal(connection: sqlite3.Connection) -> None:
    """Write the checksum of the metadata; to be called in the transaction that changed it."""
    meta: dict[str, object] = dict(connection.execute("SELECT key, value FROM meta"))
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (SUM, meta_sum(meta)))


def add_sums(connection: sqlite3.Connection) -> None:
    """Give a file of an earlier version the checksums of what it holds now."""
    connection.create_function("row_sum", -1, row_sum, deterministic=True)
    for table, columns in (
        ("chapters", "round, phase, rank, agent, body"),
        ("snapshots", "agent, round, body"),
    ):
        names = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
        if "sum" not in names:
            connection.execute(f"ALTER TABLE {table} ADD COLUMN sum BLOB")
        connection.execute(f"UPDATE {table} SET sum = row_sum({columns})")
    row = connection.execute("SELECT body FROM genesis").fetchone()
    genesis = text_sum(row[0] if row else b"")
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (GENESIS_SUM, genesis))
    seal(connection)
