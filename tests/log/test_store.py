from __future__ import annotations

import sqlite3
import subprocess
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from struct import pack

import msgspec
import pytest

from audience.errors import BadInput, Unusable
from audience.log import Lineage, Log
from audience.log.schema import APPLICATION, VERSION
from audience.world import Chapter, Entry, Genesis, Record, events as e

Story = Callable[[int], list[Chapter]]
Run = Callable[[int], Path]
Start = Callable[[str, Path], subprocess.Popen[str]]


def in_order(chapters: list[Chapter]) -> list[Chapter]:
    return sorted(chapters, key=lambda c: (c.round, c.phase, c.rank, c.agent))


def test_what_was_created_is_what_is_opened(tmp_path: Path, genesis: Genesis) -> None:
    lineage = Lineage("parent", "abc", 3)
    with Log.create(tmp_path / "deep" / "run", genesis, "seed = 7\n", 2**70, lineage) as log:
        assert log.state == "running"
    with Log.open(tmp_path / "deep" / "run") as log:
        assert log.genesis().digest == genesis.digest
        assert (log.scenario, log.seed, log.lineage) == ("seed = 7\n", 2**70, lineage)
        assert set(log.manifest) == {"audience", "numpy", "python", "platform"}
        assert log.complete_rounds() == 0
        assert list(log.chapters()) == []
        assert log.verify() == []


def test_the_file_says_what_it_is(run: Run) -> None:
    folder = run(1)
    with sqlite3.connect(folder / "run.db") as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION,)
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def test_chapters_come_back_equal_and_in_canonical_order(run: Run, story: Story) -> None:
    with Log.open(run(5)) as log:
        assert list(log.chapters()) == in_order(story(5))
        middle = [c for c in in_order(story(5)) if 2 <= c.round < 4]
        assert list(log.chapters(begin_round=2, end_round=4)) == middle
        visits = [c for c in middle if c.phase == e.VISITS]
        assert list(log.chapters(begin_round=2, end_round=4, phase=e.VISITS)) == visits
        assert len(visits) == 12


def test_reading_pages_through_more_chapters_than_fit_a_page(
    tmp_path: Path, genesis: Genesis
) -> None:
    told = [Chapter(1, e.VISITS, n * 7919 % 3001, n, (Entry(e.Woke(n, 1)),)) for n in range(3000)]
    with Log.create(tmp_path / "run", genesis, "", 1) as log:
        for chapter in told:
            log.append(chapter)
        log.commit()
        assert list(log.chapters()) == in_order(told)
        assert list(log.chapters(phase=e.VISITS)) == in_order(told)
        assert list(log.chapters(phase=e.MEMORY)) == []


def test_records_number_the_steps_of_a_chapter(run: Run, story: Story) -> None:
    with Log.open(run(2)) as log:
        found = list(log.records(begin_round=2))
    wanted = [
        Record(c.round, c.phase, c.rank, step, entry.event, entry.cause, entry.calls)
        for c in in_order(story(2))
        if c.round == 2
        for step, entry in enumerate(c.entries)
    ]
    assert found == wanted
    assert max(record.step for record in found) == 6


def test_the_view_gives_one_row_per_fact(run: Run) -> None:
    with Log.open(run(2)) as log:
        kinds = dict(log.query("SELECT kind, count(*) FROM records GROUP BY kind"))
        row = log.query(
            "SELECT round, phase, agent, step, event, cause FROM records"
            " WHERE kind = 'Left' AND agent = 4 AND round = 2"
        )
        records = list(log.records())
    assert kinds["Woke"] == kinds["Left"] == 12
    assert kinds["RunStarted"] == 1
    assert sum(kinds.values()) == len(records)
    assert row == [(2, e.VISITS, 4, 6, '["Left",4,0.5,"enough “films”"]', "why not")]


def test_only_what_is_committed_is_seen_and_a_reader_follows_in_order_of_arrival(
    tmp_path: Path, genesis: Genesis, story: Story
) -> None:
    told = story(2)
    with Log.create(tmp_path / "run", genesis, "", 7) as writer, Log.open(tmp_path / "run") as live:
        for chapter in told[:4]:
            writer.append(chapter)
        assert live.follow(0) == []
        writer.commit()
        seen = live.follow(0)
        assert [chapter for _, chapter in seen] == told[:4]
        for chapter in told[4:]:
            writer.append(chapter)
        writer.commit()
        rest = live.follow(seen[-1][0])
        assert [chapter for _, chapter in rest] == told[4:]
        assert live.follow(rest[-1][0]) == []
        assert len(live.follow(0, limit=3)) == 3
        writer.set_state("stopped")
        assert live.state == "stopped"


def test_a_second_reading_program_sees_the_run_live(
    tmp_path: Path, genesis: Genesis, story: Story, start: Start
) -> None:
    script = (
        "from pathlib import Path; from audience.log import Log\n"
        "with Log.open(Path('run')) as log: print(len(log.follow(0)), log.digest())"
    )
    with Log.create(tmp_path / "run", genesis, "", 7) as writer:
        for chapter in story(1):
            writer.append(chapter)
        writer.commit()
        out, err = start(script, tmp_path).communicate(timeout=150)
        assert out.split() == ["10", writer.digest()], err


def test_complete_rounds_and_what_is_there_of_the_next(
    tmp_path: Path, genesis: Genesis, story: Story
) -> None:
    told = story(3)
    with Log.create(tmp_path / "run", genesis, "", 7) as log:
        for chapter in told[:-3]:
            log.append(chapter)
        log.commit()
        assert log.complete_rounds() == 2
        assert log.partial(3) == in_order([c for c in told[:-3] if c.round == 3])
        assert log.partial(4) == []


def test_the_digest_is_over_places_and_bodies_in_canonical_order(
    tmp_path: Path, genesis: Genesis, run: Run, story: Story
) -> None:
    wanted = blake2b(digest_size=16)
    upto = ""
    for c in in_order(story(3)):
        body = msgspec.json.encode(c.entries)
        wanted.update(pack("<qqqqq", c.round, c.phase, c.rank, c.agent, len(body)) + body)
        upto = wanted.hexdigest() if c.round == 2 else upto
    with Log.open(run(3)) as log:
        assert log.digest() == wanted.hexdigest()
        assert log.digest(upto_round=2) == upto
        assert log.digest(upto_round=3) == log.digest()
    with Log.create(tmp_path / "other", genesis, "", 7) as backwards:
        for chapter in reversed(story(3)):
            backwards.append(chapter)
            backwards.commit()
        assert backwards.digest() == wanted.hexdigest()


def test_leaving_the_with_commits_unless_something_went_wrong(
    tmp_path: Path, genesis: Genesis, story: Story
) -> None:
    with Log.create(tmp_path / "run", genesis, "", 7) as log:
        log.append(story(1)[0])

    def fail() -> None:
        with Log.open(tmp_path / "run", write=True) as log:
            log.append(story(1)[1])
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    with Log.open(tmp_path / "run") as log:
        assert list(log.chapters()) == story(1)[:1]


def test_a_chapter_twice_is_refused_and_the_rest_of_the_log_stays(run: Run, story: Story) -> None:
    with Log.open(run(1), write=True) as log:
        log.append(story(2)[-1])
        log.append(story(1)[0])
        with pytest.raises(Unusable, match="a chapter is there already"):
            log.commit()
        assert list(log.chapters()) == in_order(story(1))
        log.close()
    with pytest.raises(sqlite3.ProgrammingError):
        log.digest()


def test_a_reader_cannot_write(run: Run, story: Story) -> None:
    with Log.open(run(1)) as log:
        log.append(story(2)[-1])
        with pytest.raises(Unusable, match="open it with write=True"):
            log.commit()
        with pytest.raises(Unusable, match="open it with write=True"):
            log.set_state("failed")


def test_an_unknown_state_is_a_mistake(run: Run) -> None:
    with Log.open(run(1), write=True) as log, pytest.raises(ValueError, match="none of"):
        log.set_state("tired")


def test_a_damaged_chapter_is_named(run: Run) -> None:
    folder = run(2)
    with sqlite3.connect(folder / "run.db") as connection:
        connection.execute("UPDATE chapters SET body = '[[7]]' WHERE round = 2 AND phase = 0")
    connection.close()
    with Log.open(folder) as log:
        with pytest.raises(Unusable, match="round 2, phase 0, agent -1"):
            list(log.chapters())
        assert len(log.verify()) == 1


def test_a_missing_folder_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"nowhere holds no run"):
        Log.open(tmp_path / "nowhere")


KILLED = """
import sys
from pathlib import Path
from audience.log import Log
from audience.world.events import Chapter, Entry, Woke
log = Log.open(Path("run"), write=True)
number = log.follow(0, limit=10**9)[-1][0]
while True:
    for _ in range(50):
        number += 1
        log.append(Chapter(9, 1, number, number, (Entry(Woke(number, 1), "x" * 300),)))
    log.commit()
    print(number, flush=True)
"""


def test_what_was_committed_outlives_kill_9(run: Run, start: Start) -> None:
    folder = run(1)
    for _ in range(3):
        writer = start(KILLED, folder.parent)
        assert writer.stdout
        said = [int(writer.stdout.readline()) for _ in range(40)]
        writer.kill()
        out, err = writer.communicate(timeout=150)
        assert writer.returncode == -9, err
        said += [int(line) for line in out.split("\n")[:-1]]
        with Log.open(folder) as log:
            there = [seq for seq, _ in log.follow(0, limit=10**9)]
            assert there == list(range(1, len(there) + 1))
            assert len(there) >= said[-1]
            assert (len(there) - 10) % 50 == 0
            assert log.query("PRAGMA integrity_check") == [("ok",)]
            assert log.verify() == []
    with Log.open(folder, write=True) as log:
        assert len(log.follow(0, limit=10**9)) == len(there)


FULL = """
import resource
from pathlib import Path
from audience.log import Log, NotWritten
from audience.world.events import Chapter, Entry, Woke
log = Log.open(Path("run"), write=True)
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
for number in range(2000):
    log.append(Chapter(9, 1, number, number, (Entry(Woke(number, 1), "x" * 300),)))
try:
    log.commit()
except NotWritten as error:
    print("said", error)
print(len(log.follow(0, limit=10**9)), log.verify())
resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
log.commit()
print(len(log.follow(0, limit=10**9)), log.verify())
log.close()
"""


def test_a_full_disk_is_said_and_loses_nothing(run: Run, start: Start) -> None:
    folder = run(1)
    out, err = start(FULL, folder.parent).communicate(timeout=150)
    said, before, after = out.splitlines()
    assert said.startswith("said run could not be written: the disk")
    assert "then try again" in said
    assert before == "10 []", err
    assert after == "2010 []"
