from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Cli = Callable[..., CompletedProcess[str]]


def test_what_is_written_runs_as_it_is(
    cli: Cli, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = cli("init")
    assert told.returncode == 0
    assert "Now: cd my-audience && audience run scenario.toml" in told.stdout
    assert sorted(path.name for path in Path("my-audience").iterdir()) == [
        "items.csv",
        "my_recommender.py",
        "scenario.toml",
    ]
    assert cli("data", "check", "my-audience").returncode == 0
    ran = cli("run", "my-audience/scenario.toml", "--rounds", 3, "--seeds", 1, "--no-report")
    assert ran.returncode == 0, ran.stderr
    assert "mine − popular" in ran.stdout
    assert len(Path("my-audience/my_recommender.py").read_text().splitlines()) <= 30


def test_nothing_is_overwritten(cli: Cli, here: Path) -> None:
    (here / "my").mkdir()
    (here / "my" / "scenario.toml").write_text("mine")
    refused = cli("init", "my")
    assert refused.returncode == 2
    assert "my/scenario.toml already exists; choose another folder" in refused.stderr
    assert [path.name for path in (here / "my").iterdir()] == ["scenario.toml"]
