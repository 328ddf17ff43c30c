"""The call store: every request and its outcome in SQLite, and a gateway that reuses them."""

from __future__ import annotations

import asyncio
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from time import perf_counter
from typing import Literal, get_args

import msgspec

from audience.errors import AudienceError, Unusable, unknown
from audience.llm.request import MOST_TOKENS, Gateway, Outcome, Reply, Request, Usage

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
            connection.execute("COMMIT")
            _check(path, connection)
        except BaseException:
            connection.close()
            raise
        return connection


def open_readable(path: Path) -> sqlite3.Connection:
    """Open an existing store read-only."""
    with told(path):
        address = path.resolve().as_uri()
        connection = _connected(f"{address}?mode=ro", uri=True)
        try:
            _check(path, connection)
        except sqlite3.OperationalError:
            # In a read-only folder SQLite cannot create the shared memory of the write-ahead log.
            connection.close()
            connection = _connected(f"{address}?immutable=1", uri=True)
            _check(path, connection)
        return connection


def _connected(address: str, *, uri: bool = False) -> sqlite3.Connection:
    # The engine may run its loop in another thread; there is still one user at a time.
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
    """Turn SQLite's errors into messages that say what to do."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "busy" in str(error):
            raise Unusable(f"{path} is busy: another run writes it; wait for its end") from error
        raise NotKept(
            f"{path} could not be used ({error}); check the disk's space and rights, then resume"
        ) from error
    except sqlite3.DatabaseError as error:
        raise Unusable(f"{path} is damaged ({error}); restore it, or move it away") from error
    except OSError as error:
        raise NotKept(f"{path} could not be made: {error.strerror}") from error


FILE = "calls.db"
_BATCH = 256
_INSERT = """INSERT INTO calls (key, nth, take, purpose, outcome, model, endpoint, prompt,
    completion, cached, reasoning, seconds, attempts, request, reply)
    VALUES (?, ?, (SELECT COALESCE(MAX(take), 0) + 1 FROM calls WHERE key = ? AND nth = ?),
    ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_ROW = """SELECT key, nth, take, purpose, outcome, model, endpoint, prompt, completion, cached,
    reasoning, seconds, attempts, request, reply FROM calls"""
_COUNTED = ", ".join(
    f"SUM(MAX(0, MIN({name}, {MOST_TOKENS})))"
    for name in ("prompt", "completion", "cached", "reasoning")
)
"""Older stores may hold counts that no call can have."""
_SUMS = f"SELECT endpoint, model, {_COUNTED} FROM calls GROUP BY endpoint, model"
Row = tuple[bytes, int, int, str, Outcome, str, str, int, int, int, int, float, int, bytes, bytes]


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
                    f"{_ROW}{where} ORDER BY take DESC LIMIT 1", (bytes.fromhex(key), nth)
                ).fetchone()
            if row is not None:
                return _reply_of(row)
        return None

    def of(self, key: str) -> list[Call]:
        """Return every call of one request in order, ancestors first."""
        self.flush()
        sql = f"{_ROW} WHERE key = ? ORDER BY nth, take"
        return [
            _call_of(row)
            for connection in reversed(self._chain)
            for row in connection.execute(sql, (bytes.fromhex(key),))
        ]

    def calls(self, purpose: str | None = None) -> Iterator[Call]:
        """Yield the calls of this store, without those of its ancestors, in order."""
        self.flush()
        if self._own is None:
            return
        last = 0
        while True:
            # Short reads: a lingering reader would make the write-ahead log grow.
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
        """Return the tokens used per endpoint and model."""
        rows = self._own.execute(_SUMS).fetchall() if self._own is not None else []
        return [(endpoint, model, Usage(*tokens)) for endpoint, model, *tokens in rows]

    def failed(self) -> int:
        """Return how many calls ended without a reply."""
        sql = "SELECT COUNT(*) FROM calls WHERE outcome <> 'reply'"
        return int(self._own.execute(sql).fetchone()[0]) if self._own is not None else 0

    def __len__(self) -> int:
        if self._own is None:
            return 0
        stored = int(self._own.execute("SELECT COUNT(*) FROM calls").fetchone()[0])
        return stored + len(self._pending)

    def close(self) -> None:
        """Flush and close the files."""
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


def copy_calls(source: Path, target: Path) -> None:
    """Give a branch the calls of its parent, so that it pays only for what differs."""
    with (
        closing(sqlite3.connect(f"file:{source}?mode=ro", uri=True)) as calls,
        closing(sqlite3.connect(target)) as copy,
    ):
        calls.backup(copy)
