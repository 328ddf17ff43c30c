"""The log of a run: one SQLite file, appended to, read in order and followed live."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self

import msgspec

from audience.errors import Unusable
from audience.log.check import connected, inspect, open_to_read, reading, writing
from audience.log.checksum import GENESIS_SUM, SUM, meta_sum, row_sum, seal, text_sum
from audience.log.digest import Digest
from audience.log.folder import Lock, fill_new, made, meta_of
from audience.log.schema import (
    FILE,
    STATES,
    SUMMED,
    VERSION,
    Lineage,
    known_layout,
    prepare,
    transaction,
    upcast,
)
from audience.world import CLOSING, Chapter, Entry, Genesis, Record

_ENTRIES = msgspec.json.Decoder(tuple[Entry, ...])
_ENCODER = msgspec.json.Encoder()
_PAGE = 1024
_CACHED_PAGES = 8192
_NEVER = 1 << 62

Row = tuple[int, int, int, int, bytes]
"""A stored chapter: round, phase, rank, agent, body."""

SummedRow = tuple[int, int, int, int, bytes, bytes]
"""The same with its checksum."""

_INSERT = "INSERT INTO chapters(round, phase, rank, agent, body, sum) VALUES (?, ?, ?, ?, ?, ?)"
_CACHE = "INSERT OR REPLACE INTO snapshots(agent, round, body, sum) VALUES (?, ?, ?, ?)"
# `+phase` keeps SQLite from sorting what the index already returns in order.
_IN_ORDER = (
    "SELECT round, phase, rank, agent, body, {sum} FROM chapters"
    " WHERE (round, phase, rank, agent) > (?, ?, ?, ?) AND round < ? AND +phase BETWEEN ? AND ?"
    " ORDER BY round, phase, rank, agent LIMIT ?"
)
_ARRIVED = (
    "SELECT round, phase, rank, agent, body, {sum}, seq FROM chapters"
    " WHERE seq > ? ORDER BY seq LIMIT ?"
)
_LAST_CLOSED = "SELECT round FROM chapters WHERE phase = ? ORDER BY round DESC LIMIT 1"


def encoded(entries: tuple[Entry, ...]) -> bytes:
    """Return the body under which a chapter's entries are stored."""
    return _ENCODER.encode(entries)


def decoded(body: bytes) -> tuple[Entry, ...]:
    """Return the entries of a stored body."""
    return _ENTRIES.decode(body)


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
        self._rows: list[SummedRow] = []
        self._cached: list[tuple[int, int, bytes, bytes]] = []
        self._written: Digest | None = None
        """What this writer has written since the log was new, if it was."""
        sums = "sum" if version >= SUMMED else "NULL"
        self._in_order_sql, self._arrived_sql = (
            statement.format(sum=sums) for statement in (_IN_ORDER, _ARRIVED)
        )
        with reading(self.path):
            connection.execute(f"PRAGMA cache_size = {_CACHED_PAGES}")
            self._meta: dict[str, str] = dict(connection.execute("SELECT key, value FROM meta"))
        self._check_meta()

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
            log = cls.over(folder, lock)
        log._written = Digest()
        return log

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
        with writing(self.folder), transaction(self._connection):
            self._connection.execute("UPDATE meta SET value = ? WHERE key = 'state'", (state,))
            self._connection.execute("DELETE FROM meta WHERE key = 'halted'")
            if halted:
                self._connection.execute("INSERT INTO meta VALUES ('halted', ?)", (halted,))
            seal(self._connection)

    def set_scenario(self, scenario: str) -> None:
        """Replace the scenario, for a branch that intervenes or a run that is extended."""
        self._set("scenario", scenario)
        self._meta["scenario"] = scenario

    def _set(self, key: str, value: str) -> None:
        self._check_writable()
        with writing(self.folder), transaction(self._connection):
            self._connection.execute("UPDATE meta SET value = ? WHERE key = ?", (value, key))
            seal(self._connection)

    def genesis(self) -> Genesis:
        """Return what was true before the first event."""
        rows = self.query("SELECT body FROM genesis")
        if self.has_sums and text_sum(rows[0][0] if rows else b"") != self._meta[GENESIS_SUM]:
            raise self._damaged("genesis: its checksum differs")
        try:
            return Genesis.unpack(rows[0][0])
        except (IndexError, TypeError, ValueError, zlib.error, msgspec.DecodeError) as error:
            raise self._damaged(f"genesis: {error}") from error

    def append(self, chapter: Chapter, body: bytes = b"") -> None:
        """Add a chapter, to be written by `commit`; `body`: its entries, if encoded already."""
        place = (chapter.round, chapter.phase, chapter.rank, chapter.agent)
        body = body or encoded(chapter.entries)
        self._rows.append((*place, body, row_sum(*place, body)))

    def append_rows(self, rows: Iterable[SummedRow]) -> None:
        """Add chapters that are encoded already, with their checksums."""
        self._rows.extend(rows)

    def cache(self, rows: Iterable[tuple[int, int, bytes]]) -> None:
        """Add snapshot rows (round, agent, body), to be written with the chapters."""
        self._cached.extend(
            (agent, round_, body, row_sum(agent, round_, body)) for round_, agent, body in rows
        )

    def commit(self) -> None:
        """Write everything appended, or nothing: then it is kept for another attempt."""
        self._check_writable()
        if not (self._rows or self._cached):
            return
        try:
            with writing(self.folder), transaction(self._connection):
                self._connection.executemany(_INSERT, self._rows)
                self._connection.executemany(_CACHE, self._cached)
        except sqlite3.IntegrityError as error:
            # Nobody writes a chapter twice: one that is there bears a wrong round, phase or rank.
            raise self._damaged(f"a chapter is there already: {error}") from error
        if self._written:
            self._written.add(sorted(self._rows))
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
        rows = self.query(self._arrived_sql, (after_seq, limit))
        return [(row[-1], self._checked(row[:-1])) for row in rows]

    def complete_rounds(self) -> int:
        """Return the last complete round, 0 if there is none."""
        rows = self.query(_LAST_CLOSED, (CLOSING,))
        return int(rows[0][0]) if rows else 0

    def partial(self, round_: int) -> list[Chapter]:
        """Return the committed chapters of one round, in canonical order."""
        return list(self.chapters(begin_round=round_, end_round=round_ + 1))

    def digest(self, *, upto_round: int | None = None) -> str:
        """Return the hash of the chapters, to the end of `upto_round` if given."""
        if upto_round is None and self._written and self._written.is_in_order:
            return self._written.value()
        digest = Digest()
        digest.add(self._in_order(0, None if upto_round is None else upto_round + 1, None))
        return digest.value()

    def verify(self) -> list[str]:
        """Return the problems of the file, its pages and its chapters; empty if there are none."""
        problems: list[str] = []
        try:
            lines = (str(row[0]) for row in self.query("PRAGMA integrity_check"))
            problems += (line for line in lines if line != "ok")
            problems += self._wrong_layout()
            self.genesis()
            count = int(self.query("SELECT count(*) FROM chapters")[0][0])
            if sum(1 for _ in self.chapters()) < count:
                problems.append("some chapters are of no round or phase there is")
            problems += self._wrong_snapshots() if self.has_sums else ()
        except Unusable as error:
            problems.append(str(error))
        return problems

    @property
    def has_sums(self) -> bool:
        """Whether each chapter and snapshot has a checksum: not in files of earlier versions."""
        return self._version >= SUMMED

    def _wrong_layout(self) -> Iterator[str]:
        known = known_layout()
        rows = self.query("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        if self.has_sums:
            yield from (f"{name} is not as written" for name, sql in rows if sql not in known)
        elif any("sum" in str(sql) for _, sql in rows):
            yield f"its header says version {self._version}, but it has checksums"
        count, first, last = self.query("SELECT count(*), min(seq), max(seq) FROM chapters")[0]
        if count and (first, last) != (1, count):
            yield f"{count} chapters are numbered {first} to {last}: some are missing"

    def _wrong_snapshots(self) -> Iterator[str]:
        for agent, round_, body, sum_ in self.query(
            "SELECT agent, round, body, sum FROM snapshots"
        ):
            if row_sum(agent, round_, body) != sum_:
                yield f"the snapshot of round {round_} is damaged; it is not used"
                return

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
        while rows := self.query(self._in_order_sql, (*after, *bounds, _PAGE)):
            yield from map(self._checked, rows)
            after = rows[-1][:4]

    def _checked(self, row: tuple[Any, ...]) -> Row:
        """Return a row that is as it was written; raise if its checksum differs."""
        *place, body, sum_ = row
        if self.has_sums:
            if row_sum(*place, body) != sum_:
                raise self._damaged(f"{_place(row)}: its checksum differs")
        elif not isinstance(body, bytes):
            raise self._damaged(f"{_place(row)}: it holds no events")
        return (*place, body if self._version == VERSION else self._upcast(body))

    def _upcast(self, body: bytes) -> bytes:
        try:
            return upcast(body, self._version)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self._damaged(str(error)) from error

    def _chapter(self, row: Row) -> Chapter:
        try:
            return Chapter(*row[:4], _ENTRIES.decode(row[4]))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self._damaged(f"{_place(row)}: {error}") from error

    def _check_meta(self) -> None:
        """Raise unless the metadata is as written and can be read."""
        if self.has_sums and self._meta.get(SUM) != meta_sum(self._meta):
            raise self._damaged("the checksum of its metadata differs")
        try:
            int(self._meta["seed"])
            for read in (self.manifest, self.lineage, self._meta["scenario"].splitlines()):
                del read
        except (ValueError, TypeError, AttributeError, msgspec.DecodeError) as error:
            raise self._damaged(f"metadata: {error}") from error

    def _damaged(self, what: str) -> Unusable:
        return Unusable(f"{self.path} is damaged ({what}); restore it from a copy")

    def _check_writable(self) -> None:
        if self._lock is None:
            raise Unusable(f"{self.path} is open for reading only; open it with write=True")


def _place(row: Sequence[object]) -> str:
    return f"round {row[0]}, phase {row[1]}, agent {row[3]}"
