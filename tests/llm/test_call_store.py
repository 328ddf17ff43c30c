from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from audience.errors import Unusable
from audience.llm import CallStore


def test_foreign_and_damaged_files_are_told(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.db"
    connection = sqlite3.connect(foreign)
    connection.execute("CREATE TABLE other (x)")
    connection.commit()
    connection.close()
    with pytest.raises(Unusable, match="not a call store"):
        CallStore(foreign)
    newer = tmp_path / "newer.db"
    CallStore(newer).close()
    connection = sqlite3.connect(newer)
    connection.execute("PRAGMA user_version = 99")
    connection.commit()
    connection.close()
    with pytest.raises(Unusable, match="update audience"):
        CallStore(newer, read_only=True)
    rubbish = tmp_path / "rubbish.db"
    rubbish.write_bytes(b"no database at all" * 100)
    with pytest.raises(Unusable, match="damaged"):
        CallStore(rubbish)
