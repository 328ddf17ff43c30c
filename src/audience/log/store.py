"""The log of a run: one SQLite file, appended to, read in order and followed live."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from struct import Struct
from typing import Any, Self

import msgspec

from audience.errors import Unusable
from audience.log.check import connected, inspect, open_to_read, reading, writing
from audience.log.folder import Lock, fill_new, made, meta_of
from audience.log.schema import FILE, STATES, VERSION, Lineage, prepare, transaction, upcast
from audience.world import CLOSING, Chapter, Entry, Genesis, Record

_ENTRIES = msgspec.json.Decoder(tuple[Entry, ...])
_ENCODER = msgspec.json.Encoder()
_PLACE = Struct("<qqqqq")
_PAGE = 1024
_CACHED_PAGES = 8192
_NEVER = 1 << 62

Row = tuple[int, int, int, int, bytes]
"""A stored chapter: round, phase, rank, agent, body."""

_INSERT = "INSERT INTO chapters(round, phase, rank, agent, body) VALUES (?, ?, ?, ?, ?)"
_CACHE = "INSERT OR REPLACE INTO snapshots(round, agent, body) VALUES (?, ?, ?)"
# `+phase` keeps SQLite from sorting what the index already returns in order.
_IN_ORDER = (
    "SELECT round, phase, rank, agent, body FROM chapters"
    " WHERE (round, phase, rank, agent) > (?, ?, ?, ?) AND round < ? AND +phase BETWEEN ? AND ?"
    " ORDER BY round, phase, rank, agent LIMIT ?"
)
_ARRIVED = (
    "SELECT seq, round, phase, rank, agent, body FROM chapters WHERE seq > ? ORDER BY seq LIMIT ?"
)
_LAST_CLOSED = "SELECT round FROM chapters WHERE phase = ? ORDER BY round DESC LIMIT 1"


class Log:
    """A genesis and its chapters, with one writer; readers see what is committed."""

    def __init__(
        self, folder: Path, connection: sqlite3.Connection, version: int, lock: Lock | None
    ) -> None:
        self.folder = folder
        self.path = folder / FILE
        self._connection = connection
        self._version = version
        self._lock = lock
        self._rows: list[Row] = []
        self._cached: list[tuple[int, int, bytes]] = []
        with reading(self.path):
            connection.execute(f"PRAGMA cache_size = {_CACHED_PAGES}")
            self._meta: dict[str, str] = dict(connection.execute("SELECT key, value FROM meta"))

    @classmethod
    def create(
        cls,
        folder: Path,
        genesis: Genesis,
        scenario: str,
        seed: int,
        lineage: Lineage | None = None,
    ) -> Log:
        """Create a run in a new or empty folder."""
        meta = meta_of(scenario, seed, lineage)
        with made(folder, lambda path: fill_new(path, genesis, meta)) as lock:
            return cls.over(folder, lock)

    @classmethod
    def open(cls, folder: Path, *, write: bool = False) -> Log:
        """Open a run; a missing, foreign, damaged, newer or busy one is refused untouched."""
        version = inspect(folder)
        if not write:
            with reading(folder / FILE):
                return cls(folder, open_to_read(folder / FILE), version, None)
        lock = Lock(folder)
        try:
            return cls.over(folder, lock)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def over(cls, folder: Path, lock: Lock) -> Log:
        """Return the log of a run whose lock is already held."""
        with writing(folder):
            connection = connected(folder / FILE, "mode=rw")
            try:
                prepare(connection)
                return cls(folder, connection, VERSION, lock)
            except BaseException:
                connection.close()
                raise

    @property
    def scenario(self) -> str:
        return self._meta["scenario"]

    @property
    def seed(self) -> int:
        return int(self._meta["seed"])

    @property
    def manifest(self) -> dict[str, str]:
        """The versions of what produced this run."""
        return msgspec.json.decode(self._meta["manifest"], type=dict[str, str])

    @property
    def lineage(self) -> Lineage | None:
        """Where this run branched off, if it is a branch."""
        stored = self._meta["lineage"]
        return msgspec.json.decode(stored, type=Lineage) if stored else None

    @property
    def state(self) -> str:
        """`running`, `stopped`, `finished` or `failed`, as last written by its writer."""
        return str(self.query("SELECT value FROM meta WHERE key = 'state'")[0][0])

    @property
    def halted(self) -> str:
        """Why it stopped before its end although nobody asked for that; mostly empty."""
        rows = self.query("SELECT value FROM meta WHERE key = 'halted'")
        return str(rows[0][0]) if rows else ""

    def set_state(self, state: str, halted: str = "") -> None:
        """Write the state, and why it halted if it did."""
        if state not in STATES:
            raise ValueError(f"state {state!r} is none of {STATES}")
        self._check_writable()
        with writing(self.folder):
            self._connection.execute("UPDATE meta SET value = ? WHERE key = 'state'", (state,))
            self._connection.execute("DELETE FROM meta WHERE key = 'halted'")
            if halted:
                self._connection.execute("INSERT INTO meta VALUES ('halted', ?)", (halted,))

    def set_scenario(self, scenario: str) -> None:
        """Replace the scenario, for a branch that intervenes or a run that is extended."""
        self._check_writable()
        with writing(self.folder):
            self._connection.execute(
                "UPDATE meta SET value = ? WHERE key = 'scenario'", (scenario,)
            )
        self._meta["scenario"] = scenario

    def genesis(self) -> Genesis:
        """Return what was true before the first event."""
        rows = self.query("SELECT body FROM genesis")
        try:
            return Genesis.unpack(rows[0][0])
        except (IndexError, TypeError, zlib.error, msgspec.DecodeError) as error:
            raise Unusable(
                f"{self.path} is damaged (genesis: {error}); restore it from a copy"
            ) from error

    def append(self, chapter: Chapter) -> None:
        """Add a chapter, to be written by `commit`."""
        body = _ENCODER.encode(chapter.entries)
        self._rows.append((chapter.round, chapter.phase, chapter.rank, chapter.agent, body))

    def cache(self, rows: Iterable[tuple[int, int, bytes]]) -> None:
        """Add snapshot rows (round, agent, body), to be written with the chapters."""
        self._cached.extend(rows)

    def commit(self) -> None:
        """Write everything appended, or nothing: then it is kept for another attempt."""
        self._check_writable()
        if not (self._rows or self._cached):
            return
        with writing(self.folder), transaction(self._connection):
            self._connection.executemany(_INSERT, self._rows)
            self._connection.executemany(_CACHE, self._cached)
        self._rows.clear()
        self._cached.clear()

    def chapters(
        self, *, begin_round: int = 0, end_round: int | None = None, phase: int | None = None
    ) -> Iterator[Chapter]:
        """Yield committed chapters in canonical order, from `begin_round` to before `end_round`."""
        for row in self._in_order(begin_round, end_round, phase):
            yield self._chapter(row)

    def records(self, *, begin_round: int = 0, end_round: int | None = None) -> Iterator[Record]:
        """Yield every event with its place, in canonical order."""
        for chapter in self.chapters(begin_round=begin_round, end_round=end_round):
            place = (chapter.round, chapter.phase, chapter.rank)
            for step, entry in enumerate(chapter.entries):
                yield Record(*place, step, entry.event, entry.cause, entry.calls)

    def follow(self, after_seq: int, *, limit: int = 10_000) -> list[tuple[int, Chapter]]:
        """Return the chapters committed after `after_seq`, in order of arrival."""
        rows = self.arrived(after_seq, limit=limit)
        return [(seq, self._chapter(row)) for seq, row in rows]

    def arrived(self, after_seq: int, *, limit: int) -> list[tuple[int, Row]]:
        """Return the same as rows: round, phase, rank, agent and the entries as JSON."""
        rows = self.query(_ARRIVED, (after_seq, limit))
        return [(seq, (*place, self._upcast(body))) for seq, *place, body in rows]

    def complete_rounds(self) -> int:
        """Return the last complete round, 0 if there is none."""
        rows = self.query(_LAST_CLOSED, (CLOSING,))
        return int(rows[0][0]) if rows else 0

    def partial(self, round_: int) -> list[Chapter]:
        """Return the committed chapters of one round, in canonical order."""
        return list(self.chapters(begin_round=round_, end_round=round_ + 1))

    def digest(self, *, upto_round: int | None = None) -> str:
        """Return the hash of the chapters, to the end of `upto_round` if given."""
        digest = blake2b(digest_size=16)
        end = None if upto_round is None else upto_round + 1
        for round_, phase, rank, agent, body in self._in_order(0, end, None):
            digest.update(_PLACE.pack(round_, phase, rank, agent, len(body)) + body)
        return digest.hexdigest()

    def verify(self) -> list[str]:
        """Return the problems of the file, its pages and its chapters; empty if there are none."""
        problems: list[str] = []
        try:
            lines = (str(row[0]) for row in self.query("PRAGMA integrity_check"))
            problems += (line for line in lines if line != "ok")
            self.genesis()
            for _ in self.chapters():
                pass
        except Unusable as error:
            problems.append(str(error))
        return problems

    def query(self, statement: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of one SELECT, read in a transaction of its own."""
        with reading(self.path):
            return self._connection.execute(statement, values).fetchall()

    def close(self) -> None:
        """Close the file; what was appended but not committed is dropped."""
        self._connection.close()
        if self._lock:
            self._lock.release()
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None and self._lock:
                self.commit()
        finally:
            self.close()

    def _in_order(self, begin: int, end: int | None, phase: int | None) -> Iterator[Row]:
        # Each page is a transaction of its own, so that a slow reader does not grow the WAL.
        after = (begin, -1, 0, 0)
        bounds = (
            _NEVER if end is None else end,
            *((0, CLOSING) if phase is None else (phase, phase)),
        )
        while rows := self.query(_IN_ORDER, (*after, *bounds, _PAGE)):
            if self._version == VERSION:
                yield from rows
            else:
                yield from ((*row[:4], self._upcast(row[4])) for row in rows)
            after = rows[-1][:4]

    def _upcast(self, body: bytes) -> bytes:
        try:
            return upcast(body, self._version)
        except msgspec.DecodeError as error:
            raise Unusable(f"{self.path} is damaged ({error}); restore it from a copy") from error

    def _chapter(self, row: Row) -> Chapter:
        try:
            return Chapter(*row[:4], _ENTRIES.decode(row[4]))
        except msgspec.DecodeError as error:
            place = f"round {row[0]}, phase {row[1]}, agent {row[3]}"
            raise Unusable(
                f"{self.path} is damaged ({place}: {error}); restore it from a copy"
            ) from error

    def _check_writable(self) -> None:
        if self._lock is None:
            raise Unusable(f"{self.path} is open for reading only; open it with write=True")
