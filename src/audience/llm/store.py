"""The call store `calls.db`: every call with its request and what came of it."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from audience.llm.kinds import Outcome, Reply, Request, Usage
from audience.llm.store_opening import open_readable, open_writable, told

FILE = "calls.db"
_BATCH = 256
_INSERT = """INSERT INTO calls (key, nth, take, purpose, outcome, model, endpoint, prompt,
    completion, cached, reasoning, seconds, attempts, request, reply)
    VALUES (?, ?, (SELECT COALESCE(MAX(take), 0) + 1 FROM calls WHERE key = ? AND nth = ?),
    ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_ROW = """SELECT key, nth, take, purpose, outcome, model, endpoint, prompt, completion, cached,
    reasoning, seconds, attempts, request, reply FROM calls"""
_SUMS = """SELECT endpoint, model, SUM(prompt), SUM(completion), SUM(cached), SUM(reasoning)
    FROM calls GROUP BY endpoint, model"""
Row = tuple[bytes, int, int, str, Outcome, str, str, int, int, int, int, float, int, bytes, bytes]


class _Said(msgspec.Struct, frozen=True, array_like=True):
    texts: tuple[str, ...]
    why: str
    scores: tuple[float, ...]


class Call(msgspec.Struct, frozen=True):
    """One stored request and what came of it."""

    request: Request
    reply: Reply
    nth: int
    """1 for the first time a run asked exactly this."""
    take: int
    """1 for the first answer; more when a failed call was made again later."""


class CallStore:
    """Calls by the hash of what was asked. One writer; any number may read meanwhile.

    Ancestors are read where this store holds nothing, and never written: a branch pays only for
    what differs.
    """

    def __init__(
        self,
        path: Path,
        ancestors: Sequence[Path] = (),
        *,
        read_only: bool = False,
        at_once: bool = False,
    ) -> None:
        """Open or make a store. Ancestors that do not exist held no calls and are left out.

        `at_once` makes each call last as it is added: for what a person typed.
        """
        self.path = path
        self._batch = 1 if at_once else _BATCH
        self._pending: list[tuple[Request, Reply, int]] = []
        self._fresh: set[str] = set()
        self._own: sqlite3.Connection | None = None
        if not read_only:
            self._own = open_writable(path)
        elif path.exists():
            self._own = open_readable(path)
        self._chain = [self._own] if self._own is not None else []
        self._chain += [open_readable(one) for one in ancestors if one.exists()]

    def add(self, request: Request, reply: Reply, nth: int = 1) -> None:
        """Keep one call; it lasts from the next `flush` on."""
        self._pending.append((request, reply, nth))
        self._fresh.add(request.key)
        if len(self._pending) >= self._batch:
            self.flush()

    def flush(self) -> None:
        """Make everything added so far last, also through a crash of the machine."""
        if not self._pending or self._own is None:
            return
        rows = [_row_of(*one) for one in self._pending]
        with told(self.path):
            self._own.execute("BEGIN IMMEDIATE")
            try:
                self._own.executemany(_INSERT, rows)
                self._own.execute("COMMIT")
            except BaseException:
                if self._own.in_transaction:
                    self._own.execute("ROLLBACK")
                raise
        self._pending.clear()
        self._fresh.clear()

    def find(self, key: str, nth: int = 1, *, only_replies: bool = True) -> Reply | None:
        """Return the last outcome of the nth asking of a request, nearest store first."""
        if key in self._fresh:
            self.flush()
        where = " WHERE key = ? AND nth = ?" + (" AND outcome = 'reply'" if only_replies else "")
        for connection in self._chain:
            with told(self.path):
                row = connection.execute(
                    f"{_ROW}{where} ORDER BY take DESC LIMIT 1", (bytes.fromhex(key), nth)
                ).fetchone()
            if row is not None:
                return _reply_of(row)
        return None

    def of(self, key: str) -> list[Call]:
        """Return every call of one request in the order made, ancestors first."""
        self.flush()
        sql = f"{_ROW} WHERE key = ? ORDER BY nth, take"
        return [
            _call_of(row)
            for connection in reversed(self._chain)
            for row in connection.execute(sql, (bytes.fromhex(key),))
        ]

    def calls(self, purpose: str | None = None) -> Iterator[Call]:
        """Yield the calls of this store, without its ancestors', in the order made."""
        self.flush()
        if self._own is None:
            return
        last = 0
        while True:
            # Short reads: a reader that lingers would make the write-ahead log grow.
            rows = self._own.execute(
                f"{_ROW.replace('SELECT', 'SELECT id,')} "
                "WHERE id > ? AND (? IS NULL OR purpose = ?) ORDER BY id LIMIT 500",
                (last, purpose, purpose),
            ).fetchall()
            if not rows:
                return
            last = rows[-1][0]
            yield from (_call_of(row[1:]) for row in rows)

    def sums(self) -> list[tuple[str, str, Usage]]:
        """Return endpoint, model and the tokens of all its calls."""
        rows = self._own.execute(_SUMS).fetchall() if self._own is not None else []
        return [(endpoint, model, Usage(*tokens)) for endpoint, model, *tokens in rows]

    def __len__(self) -> int:
        if self._own is None:
            return 0
        return int(self._own.execute("SELECT COUNT(*) FROM calls").fetchone()[0]) + len(
            self._pending
        )

    def close(self) -> None:
        """Flush and let go of the files."""
        try:
            self.flush()
        finally:
            for connection in self._chain:
                connection.close()
            self._chain, self._own = [], None


def _row_of(request: Request, reply: Reply, nth: int) -> tuple[object, ...]:
    said = _Said(reply.texts, reply.why, reply.scores)
    usage, short = reply.usage, bytes.fromhex(request.key)
    return (
        short,
        nth,
        short,  # for the number of its take
        nth,
        request.purpose,
        reply.outcome,
        reply.model,
        reply.endpoint,
        usage.prompt,
        usage.completion,
        usage.cached,
        usage.reasoning,
        reply.seconds,
        reply.attempts,
        zlib.compress(msgspec.json.encode(request), 1),
        msgspec.json.encode(said),
    )


def _reply_of(row: Row) -> Reply:
    said = msgspec.json.decode(row[14], type=_Said)
    return Reply(
        key=row[0].hex(),
        outcome=row[4],
        texts=said.texts,
        why=said.why,
        model=row[5],
        endpoint=row[6],
        usage=Usage(row[7], row[8], row[9], row[10]),
        seconds=row[11],
        attempts=row[12],
        scores=said.scores,
        reused=True,
    )


def _call_of(row: Row) -> Call:
    request = msgspec.json.decode(zlib.decompress(row[13]), type=Request)
    return Call(request, _reply_of(row), row[1], row[2])
