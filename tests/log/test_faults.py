from __future__ import annotations

import errno
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from audience.errors import Unusable
from audience.log import NotWritten
from audience.log.check import reading, writing


def test_a_full_database_is_told_apart_from_other_troubles(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "small.db")) as connection:
        connection.execute("CREATE TABLE t(x)")
        connection.execute("PRAGMA max_page_count = 3")
        with (
            pytest.raises(NotWritten, match=r"the disk is full .*; free some space"),
            writing(tmp_path),
        ):
            connection.execute("INSERT INTO t VALUES (zeroblob(100000))")


def test_a_read_only_database_is_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t(x)")
    with (
        closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection,
        pytest.raises(NotWritten, match=r"not allowed .*; make it writable"),
        writing(tmp_path),
    ):
        connection.execute("INSERT INTO t VALUES (1)")


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.ENOSPC, "the disk is full"),
        (errno.EDQUOT, "the disk is full"),
        (errno.EROFS, "writing there is not allowed"),
        (errno.EIO, "the disk refused"),
    ],
)
def test_the_file_system_is_understood(tmp_path: Path, number: int, said: str) -> None:
    with pytest.raises(NotWritten, match=said), writing(tmp_path):
        raise OSError(number, "no")


def test_a_locked_database_is_busy_and_a_wrong_file_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as one, closing(sqlite3.connect(path, timeout=0)) as two:
        one.execute("CREATE TABLE t(x)")
        one.execute("BEGIN EXCLUSIVE")
        with pytest.raises(Unusable, match="is busy"), writing(tmp_path):
            two.execute("BEGIN IMMEDIATE")
        with pytest.raises(Unusable, match="is busy"), reading(path):
            two.execute("SELECT * FROM t")
    path.write_text("hello " * 1000)
    with closing(sqlite3.connect(path)) as wrong:
        with pytest.raises(Unusable, match="is damaged"), reading(path):
            wrong.execute("SELECT * FROM t")
        with pytest.raises(Unusable, match="is damaged"), writing(tmp_path):
            wrong.execute("CREATE TABLE t(x)")


def test_mistakes_of_the_caller_stay_what_they_are(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "a.db")
    connection.close()
    with pytest.raises(sqlite3.ProgrammingError), reading(tmp_path):
        connection.execute("SELECT 1")
    with pytest.raises(sqlite3.ProgrammingError), writing(tmp_path):
        connection.execute("SELECT 1")
