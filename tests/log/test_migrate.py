from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from audience.errors import Unusable
from audience.log import Log, fork
from audience.log.schema import UPCASTS, VERSION, upcast
from audience.world import Chapter, Entry, events as e

Run = Callable[[int], Path]


def strip_sums(connection: sqlite3.Connection) -> None:
    """Turn a run file into one of version 2, which had no checksums."""
    for table in ("chapters", "snapshots"):
        connection.execute(f"ALTER TABLE {table} DROP COLUMN sum")
    connection.execute("DELETE FROM meta WHERE key IN ('sum', 'genesis_sum')")
    connection.execute("PRAGMA user_version = 2")


def make_old(folder: Path) -> list[Chapter]:
    """Turn a run into one of version 1, which kept bare events, and return what it tells."""
    with Log.open(folder) as log:
        told = list(log.chapters())
    connection = sqlite3.connect(folder / "run.db")
    for chapter in told:
        bare = msgspec.json.encode([entry.event for entry in chapter.entries])
        place = (chapter.round, chapter.phase, chapter.rank, chapter.agent)
        connection.execute(
            "UPDATE chapters SET body = ? WHERE (round, phase, rank, agent) = (?, ?, ?, ?)",
            (bare, *place),
        )
    connection.execute("DROP VIEW records")
    strip_sums(connection)
    connection.execute("INSERT INTO snapshots VALUES (1, 1, 'of another kind')")
    connection.execute("PRAGMA user_version = 1")
    connection.commit()
    connection.close()
    return [
        Chapter(c.round, c.phase, c.rank, c.agent, tuple(Entry(x.event) for x in c.entries))
        for c in told
    ]


def test_a_file_without_checksums_is_read_and_gets_them_when_it_is_written(run: Run) -> None:
    folder = run(3)
    with Log.open(folder) as log:
        digest = log.digest()
        assert log.has_sums
    connection = sqlite3.connect(folder / "run.db")
    strip_sums(connection)
    connection.commit()
    connection.close()
    with Log.open(folder) as log:
        assert (log.has_sums, log.digest(), log.verify()) == (False, digest, [])
    with Log.open(folder, write=True) as log:
        assert (log.has_sums, log.digest(), log.verify()) == (True, digest, [])


def test_there_is_an_upcast_from_every_older_version() -> None:
    assert sorted(UPCASTS) == list(range(1, VERSION))


def test_an_upcast_body_is_what_the_present_version_writes() -> None:
    events = (
        e.Watched(1, 2, 1.0),
        e.Left(1, None, "“done”"),
        e.Posted(1, "p", 'a\n"b"', (3,), 1e-7),
    )
    old = msgspec.json.encode(events)
    assert upcast(old, 1) == msgspec.json.encode(tuple(Entry(event) for event in events))
    assert upcast(old, VERSION) == old


def test_an_old_file_is_read_without_being_rewritten(run: Run) -> None:
    folder = run(3)
    told = make_old(folder)
    before = (folder / "run.db").read_bytes()
    with Log.open(folder) as log:
        assert list(log.chapters()) == told
        assert sorted((c.round, c.rank) for _, c in log.follow(0)) == sorted(
            (c.round, c.rank) for c in told
        )
        assert log.complete_rounds() == 3
    assert (folder / "run.db").read_bytes() == before


def test_an_old_file_is_rewritten_when_opened_to_be_written_and_keeps_its_digest(run: Run) -> None:
    folder = run(3)
    told = make_old(folder)
    with Log.open(folder) as log:
        digest = log.digest()
    with Log.open(folder, write=True) as log:
        assert log.digest() == digest
    with Log.open(folder) as log:
        assert log.query("PRAGMA user_version") == [(VERSION,)]
        assert log.query("SELECT count(*) FROM snapshots") == [(0,)]
        assert log.query("SELECT count(*) FROM records WHERE kind = 'Woke'") == [(20,)]
        assert list(log.chapters()) == told
        assert log.verify() == []


def test_an_old_file_can_be_branched(run: Run, tmp_path: Path) -> None:
    folder = run(3)
    make_old(folder)
    with fork(folder, tmp_path / "branch", 2) as branch, Log.open(folder) as parent:
        assert branch.digest() == parent.digest(upto_round=2)


def test_a_damaged_old_file_is_not_half_rewritten(run: Run) -> None:
    folder = run(3)
    make_old(folder)
    connection = sqlite3.connect(folder / "run.db")
    connection.execute("UPDATE chapters SET body = '[[1' WHERE seq = 5")
    connection.commit()
    before = connection.execute("SELECT * FROM chapters").fetchall()
    with pytest.raises(Unusable, match="is damaged"):
        Log.open(folder, write=True)
    assert connection.execute("SELECT * FROM chapters").fetchall() == before
    assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    connection.close()
    with Log.open(folder) as log, pytest.raises(Unusable, match="is damaged"):
        list(log.chapters())
    assert not (folder / "lock").exists()
