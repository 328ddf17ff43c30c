"""The call store: every request and its outcome in SQLite, and a gateway that reuses them."""

from __future__ import annotations

import asyncio
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from time import perf_counter
from typing import Literal, get_args

import msgspec

from audience.errors import AudienceError, unknown
from audience.llm.call_file import (
    SUMMED,
    call_sum,
    open_readable,
    open_writable,
    told,
    version_of,
    wrong_pages,
)
from audience.llm.request import MOST_TOKENS, Gateway, Outcome, Reply, Request, Usage

FILE = "calls.db"
_BATCH = 256
_INSERT = """INSERT INTO calls (key, nth, take, purpose, outcome, model, endpoint, prompt,
    completion, cached, reasoning, seconds, attempts, request, reply, sum)
    VALUES (?, ?, (SELECT COALESCE(MAX(take), 0) + 1 FROM calls WHERE key = ? AND nth = ?),
    ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_ROW = """SELECT key, nth, take, purpose, outcome, model, endpoint, prompt, completion, cached,
    reasoning, seconds, attempts, request, reply, {sum} FROM calls"""
_COUNTED = ", ".join(
    f"SUM(MAX(0, MIN({name}, {MOST_TOKENS})))"
    for name in ("prompt", "completion", "cached", "reasoning")
)
"""Older stores may hold counts that no call can have."""
_SUMS = f"SELECT endpoint, model, {_COUNTED} FROM calls GROUP BY endpoint, model"
Row = tuple[
    bytes, int, int, str, Outcome, str, str, int, int, int, int, float, int, bytes, bytes, bytes
]


class _Said(msgspec.Struct, frozen=True, array_like=True):
    texts: tuple[str, ...]
    why: str
    scores: tuple[float, ...]


class Call(msgspec.Struct, frozen=True):
    """One stored request and its outcome."""

    request: Request
    reply: Reply
    nth: int
    """1 for the first time a run made this request."""
    take: int
    """1 for the first answer; more if a failed call was repeated later."""


class CallStore:
    """Calls by the hash of their request; one writer, any number of readers.

    Ancestors are read where this store has no answer, and never written: a branch pays only for
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
        """Open or create a store; ancestors that do not exist are ignored.

        `at_once` writes each call as it is added, for what a person typed.
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
        self._chain += [open_readable(ancestor) for ancestor in ancestors if ancestor.exists()]

    def add(self, request: Request, reply: Reply, nth: int = 1) -> None:
        """Add one call, to be written by the next `flush`."""
        self._pending.append((request, reply, nth))
        self._fresh.add(request.key)
        if len(self._pending) >= self._batch:
            self.flush()

    def flush(self) -> None:
        """Write everything added so far, safe against a crash of the machine."""
        if not self._pending or self._own is None:
            return
        rows = [_row_of(*call) for call in self._pending]
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
        """Return the last outcome of the nth occurrence of a request, nearest store first."""
        if key in self._fresh:
            self.flush()
        where = " WHERE key = ? AND nth = ?" + (" AND outcome = 'reply'" if only_replies else "")
        for connection in self._chain:
            with told(self.path):
                row = connection.execute(
                    f"{_row(connection)}{where} ORDER BY take DESC LIMIT 1",
                    (bytes.fromhex(key), nth),
                ).fetchone()
                if row is not None:
                    return _reply_of(row)
        return None

    def of(self, key: str) -> list[Call]:
        """Return every call of one request in order, ancestors first."""
        self.flush()
        where = "WHERE key = ? ORDER BY nth, take"
        with told(self.path):
            return [
                _call_of(row)
                for connection in reversed(self._chain)
                for row in connection.execute(f"{_row(connection)} {where}", (bytes.fromhex(key),))
            ]

    def calls(self, purpose: str | None = None) -> Iterator[Call]:
        """Yield the calls of this store, without those of its ancestors, in order."""
        self.flush()
        if self._own is None:
            return
        last = 0
        while True:
            # Short reads: a lingering reader would make the write-ahead log grow.
            with told(self.path):
                rows = self._own.execute(
                    f"{_row(self._own).replace('SELECT', 'SELECT id,')} "
                    "WHERE id > ? AND (? IS NULL OR purpose = ?) ORDER BY id LIMIT 500",
                    (last, purpose, purpose),
                ).fetchall()
                found = [_call_of(row[1:]) for row in rows]
            if not rows:
                return
            last = rows[-1][0]
            yield from found

    def sums(self) -> list[tuple[str, str, Usage]]:
        """Return the tokens used per endpoint and model."""
        with told(self.path):
            rows = self._own.execute(_SUMS).fetchall() if self._own is not None else []
        return [(endpoint, model, Usage(*tokens)) for endpoint, model, *tokens in rows]

    def failed(self) -> int:
        """Return how many calls ended without a reply."""
        sql = "SELECT COUNT(*) FROM calls WHERE outcome <> 'reply'"
        with told(self.path):
            return int(self._own.execute(sql).fetchone()[0]) if self._own is not None else 0

    def __len__(self) -> int:
        if self._own is None:
            return 0
        with told(self.path):
            stored = int(self._own.execute("SELECT COUNT(*) FROM calls").fetchone()[0])
        return stored + len(self._pending)

    @property
    def has_sums(self) -> bool:
        """Whether each call has a checksum: not in stores of the first version."""
        with told(self.path):
            return self._own is None or version_of(self._own) >= SUMMED

    def page_problems(self) -> list[str]:
        """Return what is wrong with the pages and tables of the file."""
        return wrong_pages(self._own) if self._own is not None else []

    def close(self) -> None:
        """Flush and close the files."""
        try:
            self.flush()
        finally:
            for connection in self._chain:
                connection.close()
            self._chain, self._own = [], None


def _row(connection: sqlite3.Connection) -> str:
    return _ROW.format(sum="sum" if version_of(connection) >= SUMMED else "NULL")


def _row_of(request: Request, reply: Reply, nth: int) -> tuple[object, ...]:
    said = _Said(reply.texts, reply.why, reply.scores)
    usage, short = reply.usage, bytes.fromhex(request.key)
    call = (
        request.purpose,
        reply.outcome,
        reply.model,
        reply.endpoint,
        usage.prompt,
        usage.completion,
        usage.cached,
        usage.reasoning,
        float(reply.seconds),
        reply.attempts,
        zlib.compress(msgspec.json.encode(request), 1),
        msgspec.json.encode(said),
    )
    # Key and nth twice: the second pair finds the number of its take.
    return (short, nth, short, nth, *call, call_sum(short, nth, *call))


def _reply_of(row: Row) -> Reply:
    """Return the reply of a row; raise DatabaseError if it is not as it was written."""
    if row[15] is not None and call_sum(*row[:2], *row[3:15]) != row[15]:
        raise sqlite3.DatabaseError(f"call {row[:1]!r}: its checksum differs")
    try:
        return _plain_reply(row)
    except (msgspec.DecodeError, AttributeError, TypeError, ValueError) as error:
        raise sqlite3.DatabaseError(f"call {row[:1]!r}: {error}") from error


def _plain_reply(row: Row) -> Reply:
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
    reply = _reply_of(row)
    try:
        request = msgspec.json.decode(zlib.decompress(row[13]), type=Request)
    except (msgspec.DecodeError, zlib.error, TypeError, ValueError) as error:
        raise sqlite3.DatabaseError(f"call {reply.key}: {error}") from error
    return Call(request, reply, row[1], row[2])


Mode = Literal["fresh", "reuse", "stored"]
"""Always ask; ask only what has no reply yet; never ask."""
SOON = 0.2
"""Seconds after which an answer is flushed, which bounds what a killed process pays for again."""
GIVEN_UP = "given up by the asker"
"""How the reason of a cancelled call begins."""


class Cached:
    """Stores every outcome and, depending on the mode, reuses stored ones.

    `fresh` always asks. `reuse` returns stored replies and asks for the rest. `stored` never asks:
    it returns every outcome, failures included, in order.
    """

    def __init__(self, inner: Gateway | None, store: CallStore, mode: Mode = "reuse") -> None:
        """`inner` may be None in mode `stored`, where nothing is asked."""
        if mode not in get_args(Mode):
            raise unknown("calls", mode, get_args(Mode))
        self.inner = inner
        self.store = store
        self.mode = mode
        self._asked: dict[bytes, int] = {}
        self._waits_in: asyncio.AbstractEventLoop | None = None

    async def ask(self, request: Request) -> Reply:
        """Return the stored outcome if the mode allows, else ask and store the outcome."""
        short = bytes.fromhex(request.key)
        nth = self._asked[short] = self._asked.get(short, 0) + 1
        if self.mode != "fresh":
            kept = self.store.find(request.key, nth, only_replies=self.mode == "reuse")
            if kept is not None:
                return kept
        if self.mode == "stored" or self.inner is None:
            return _missing(request, self.store)
        reply = await self._ask(self.inner, request, nth)
        self._keep(request, reply, nth)
        return reply

    async def close(self) -> None:
        try:
            if self.inner is not None:
                await self.inner.close()
        finally:
            self.store.close()

    async def _ask(self, inner: Gateway, request: Request, nth: int) -> Reply:
        began = perf_counter()
        try:
            return await inner.ask(request)
        except asyncio.CancelledError:
            seconds = perf_counter() - began
            why = f"{GIVEN_UP} after {seconds:.1f} s"
            given_up = Reply(request.key, "timeout", why=why, seconds=seconds)
            self._keep(request, given_up, nth)
            raise

    def _keep(self, request: Request, reply: Reply, nth: int) -> None:
        """Add a call and have it flushed soon, even if nobody commits anything."""
        self.store.add(request, reply, nth)
        loop = asyncio.get_running_loop()
        if self._waits_in is not loop:
            self._waits_in = loop
            loop.call_later(SOON, self._flush)

    def _flush(self) -> None:
        self._waits_in = None
        # What cannot be written now is kept; the next awaited flush reports the error.
        with suppress(AudienceError):
            self.store.flush()


def _missing(request: Request, store: CallStore) -> Reply:
    why = (
        f"not in the call store {store.path}: {request.purpose} {request.key}; ask for it with "
        "--calls reuse"
    )
    return Reply(request.key, "error", why=why, reused=True)


def verify_calls(path: Path) -> list[str]:
    """Return the problems of a store, its pages and its calls; empty if there are none."""
    problems: list[str] = []
    try:
        with closing(CallStore(path, read_only=True)) as store, told(path):
            problems += store.page_problems()
            for _ in store.calls():
                pass
    except AudienceError as error:
        problems.append(str(error))
    return problems
