from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from audience.errors import BadInput
from audience.files import claim, replace_all, replacing


def test_all_files_change_or_none(tmp_path: Path) -> None:
    first, second = tmp_path / "a" / "one.csv", tmp_path / "two.csv"
    assert replace_all({first: b"1", second: b"2"}) == [first, second]
    second.unlink()
    second.mkdir()
    with pytest.raises(BadInput, match="nothing was changed"):
        replace_all({first: b"other", second: b"other"})
    assert first.read_bytes() == b"1"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "one.csv", "two.csv"]


def test_a_file_that_is_not_written_to_its_end_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    with replacing(path) as file:
        file.write(b"whole")
    with suppress(ZeroDivisionError), replacing(path) as file:
        file.write(b"half")
        raise ZeroDivisionError
    assert path.read_bytes() == b"whole"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_is_claimed_once(tmp_path: Path) -> None:
    mark = tmp_path / "study" / "study.toml"
    claim(mark, "mine", "another study")
    claim(mark, "mine", "another study")
    with pytest.raises(BadInput, match="holds another study"):
        claim(mark, "theirs", "another study")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("x")
    with pytest.raises(BadInput, match="is not empty"):
        claim(tmp_path / "full" / "study.toml", "mine", "another study")
