from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from audience.log.schema import transaction


def test_all_lasts_or_nothing(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None)) as connection:
        connection.execute("CREATE TABLE t(x UNIQUE)")
        with transaction(connection):
            connection.execute("INSERT INTO t VALUES (1)")
        with pytest.raises(sqlite3.IntegrityError), transaction(connection):
            connection.executemany("INSERT INTO t VALUES (?)", [(2,), (1,)])
        assert not connection.in_transaction
        assert connection.execute("SELECT x FROM t").fetchall() == [(1,)]
