"""How a run file is laid out, and how older layouts are read."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

FILE = "run.db"
APPLICATION = 0x41554449
"""`AUDI`, in the header of every run file."""
VERSION = 2

TABLES: dict[str, frozenset[str]] = {
    "meta": frozenset({"key", "value"}),
    "genesis": frozenset({"body"}),
    "chapters": frozenset({"seq", "round", "phase", "rank", "agent", "body"}),
}
"""What a run cannot be read without. Snapshots are a cache and may be missing."""

KEYS = frozenset({"scenario", "seed", "manifest", "lineage", "state"})
STATES = ("running", "stopped", "finished", "failed")

CREATE = (
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value)",
    "CREATE TABLE genesis(body BLOB NOT NULL)",
    "CREATE TABLE chapters(seq INTEGER PRIMARY KEY, round INTEGER NOT NULL, phase INTEGER NOT NULL,"
    " rank INTEGER NOT NULL, agent INTEGER NOT NULL, body BLOB NOT NULL)",
    "CREATE UNIQUE INDEX chapters_in_order ON chapters(round, phase, rank, agent)",
)

SNAPSHOTS = (
    "CREATE TABLE IF NOT EXISTS snapshots(agent INTEGER NOT NULL, round INTEGER NOT NULL,"
    " body BLOB NOT NULL, PRIMARY KEY(agent, round))"
)

RECORDS = """CREATE VIEW records AS
SELECT chapters.seq, chapters.round, chapters.phase, chapters.rank, chapters.agent,
       entry.key AS step,
       json_extract(entry.value, '$[0][0]') AS kind,
       json_extract(entry.value, '$[0]') AS event,
       coalesce(json_extract(entry.value, '$[1]'), '') AS cause
FROM chapters, json_each(CAST(chapters.body AS TEXT)) AS entry"""
"""One row per fact, for those who ask in SQL: `SELECT kind, count(*) FROM records GROUP BY 1`."""


class Lineage(msgspec.Struct, frozen=True):
    """Where a branch comes from: its parent's folder name and digest up to the round `at`."""

    parent: str
    digest: str
    at: int


def _with_causes(body: bytes) -> bytes:
    """Version 1 kept bare events: no cause, no calls."""
    events = msgspec.json.decode(body, type=list[msgspec.Raw])
    return msgspec.json.encode([(event, "", ()) for event in events])


UPCASTS: dict[int, Callable[[bytes], bytes]] = {1: _with_causes}
"""From a version to the next: what a chapter's body becomes."""


def upcast(body: bytes, version: int) -> bytes:
    """Return a chapter's body as the present version would have written it."""
    for old in range(version, VERSION):
        body = UPCASTS[old](body)
    return body
