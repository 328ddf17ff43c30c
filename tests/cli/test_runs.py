from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Cli = Callable[..., CompletedProcess[str]]


def test_every_run_below_a_folder_is_listed(cli: Cli, one: Path, both: Path) -> None:
    rows = json.loads(cli("runs", ".", "--json").stdout)["runs"]
    assert [row["run"] for row in rows] == [
        "both/popular/seed-1", "both/popular/seed-2", "both/random/seed-1", "both/random/seed-2",
        "one",
    ]  # fmt: skip
    assert rows[-1]["people"] == 60
    assert rows[-1]["rounds"] == "4/4"
    assert {row["state"] for row in rows} == {"finished"}


def test_a_path_is_listed_whole_also_on_a_narrow_screen(
    cli: Cli, one: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    name = "a-run-with-a-name-that-is-much-longer-than-any-column"
    one.rename(one.parent / name)
    told = cli("runs", ".").stdout
    rows = [line.split("│")[0].strip() for line in told.splitlines()[2:]]
    assert "".join(rows) == name


def test_a_file_that_cannot_be_read_is_listed_as_such(cli: Cli, one: Path) -> None:
    (one / "run.db").write_bytes(b"nothing of ours")
    told = cli("runs", ".")
    assert told.returncode == 0
    assert "unreadable" in told.stdout


def test_where_there_are_none_a_newcomer_is_told_how_to_start(cli: Cli, here: Path) -> None:
    told = cli("runs")
    assert told.returncode == 0
    assert told.stdout == "No runs below runs. Start one with: audience run\n"
