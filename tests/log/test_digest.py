"""The digest of what was written is the digest of what is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from audience.log import Log
from audience.log.digest import Digest
from audience.testing import tiny_genesis
from audience.world import CLOSING, OPENING, VISITS, Chapter, Entry, events as e


def chapter(round_: int, phase: int, rank: int, agent: int) -> Chapter:
    return Chapter(round_, phase, rank, agent, (Entry(e.Woke(agent, rank)),))


CHAPTERS = [
    chapter(1, OPENING, 0, -1),
    *(chapter(1, VISITS, 10 * agent, agent) for agent in range(6)),
    chapter(1, CLOSING, 0, -1),
    chapter(2, OPENING, 0, -1),
]


def write(log: Log, *commits: list[Chapter]) -> str:
    """Write chapters in some commits and return the digest."""
    for chapters in commits:
        for each in chapters:
            log.append(each)
        log.commit()
    return log.digest()


@pytest.fixture
def read(tmp_path: Path) -> str:
    """The digest as a reader finds it."""
    with Log.create(tmp_path / "read", tiny_genesis(), "", 7) as log:
        write(log, CHAPTERS)
    with Log.open(tmp_path / "read") as log:
        return log.digest()


@pytest.mark.parametrize(
    "commits",
    [
        [CHAPTERS],
        [CHAPTERS[:1], CHAPTERS[4:0:-1], CHAPTERS[5:]],
        [CHAPTERS[:1], CHAPTERS[3:5], CHAPTERS[1:3], CHAPTERS[5:]],
        [CHAPTERS[::-1]],
    ],
)
def test_a_writer_knows_the_digest_that_a_reader_finds(
    commits: list[list[Chapter]], tmp_path: Path, read: str
) -> None:
    with Log.create(tmp_path / "run", tiny_genesis(), "", 7) as log:
        assert write(log, *commits) == read


def test_what_comes_in_order_is_not_read_again(
    tmp_path: Path, read: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Log.create(tmp_path / "run", tiny_genesis(), "", 7) as log:
        monkeypatch.delattr(Log, "_in_order")
        assert write(log, CHAPTERS[2::-1], CHAPTERS[3:]) == read


def test_a_digest_up_to_a_round_leaves_the_others_out(tmp_path: Path) -> None:
    with Log.create(tmp_path / "run", tiny_genesis(), "", 7) as log:
        first = write(log, CHAPTERS[:-1])
        assert write(log, CHAPTERS[-1:]) != first
        assert log.digest(upto_round=1) == first


def test_what_is_not_committed_does_not_count(tmp_path: Path, read: str) -> None:
    with Log.create(tmp_path / "run", tiny_genesis(), "", 7) as log:
        first = write(log, CHAPTERS)
        log.append(chapter(2, VISITS, 1, 1))
        assert log.digest() == first == read


def test_a_run_that_goes_on_is_read_from_its_beginning(tmp_path: Path, read: str) -> None:
    with Log.create(tmp_path / "run", tiny_genesis(), "", 7) as log:
        write(log, CHAPTERS[:4])
    with Log.open(tmp_path / "run", write=True) as log:
        assert write(log, CHAPTERS[4:]) == read
        assert log.digest(upto_round=0) != read


def test_a_chapter_in_the_wrong_place_is_noticed() -> None:
    digest = Digest()
    digest.add([(1, 1, 5, 3, b"[]"), (1, 1, 6, 2, b"[]")])
    assert digest.is_in_order
    digest.add([(1, 1, 6, 2, b"[]")])
    assert not digest.is_in_order
