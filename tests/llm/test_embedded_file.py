from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import pytest

from audience.files import checksum_of
from audience.llm import embedded as f


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "audience" / "models"


def test_a_file_is_read_once_as_long_as_it_stays_the_same(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m"
    path.write_bytes(b"one")
    wanted = sha256(b"one").hexdigest()
    assert f.is_whole(path, wanted)
    reads: list[Path] = []
    checksum = checksum_of

    def counted(path: Path) -> str:
        reads.append(path)
        return checksum(path)

    monkeypatch.setattr(f, "checksum_of", counted)
    assert f.is_whole(path, wanted)
    assert reads == []
    path.write_bytes(b"two")
    os.utime(path, ns=(1, 1))
    assert not f.is_whole(path, wanted)
    assert reads == [path]
    assert (cache / "checked.json").is_file()


def test_damaged_notes_cost_a_second_look_and_nothing_else(cache: Path, tmp_path: Path) -> None:
    cache.mkdir(parents=True)
    (cache / "checked.json").write_text("{")
    path = tmp_path / "m"
    path.write_bytes(b"one")
    assert f.is_whole(path, sha256(b"one").hexdigest())


def test_a_cache_that_cannot_be_written_does_not_stop_us(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = tmp_path / "taken"
    taken.write_text("a file where a folder should be")
    monkeypatch.setenv("XDG_CACHE_HOME", str(taken))
    path = tmp_path / "m"
    path.write_bytes(b"one")
    assert f.is_whole(path, sha256(b"one").hexdigest())


def test_without_a_setting_models_lie_in_the_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert f.cache_folder() == Path.home() / ".cache" / "audience" / "models"
