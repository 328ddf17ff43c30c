from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Cli

SMALL = ("--agents", "20", "--rounds", "1", "--seeds", "2")


def test_a_sweep_prints_its_table_and_continues(cli: Cli, here: Path) -> None:
    words = ("sweep", *SMALL, "--vary", "mind.position=0.1,0.6", "--out", "s")
    said = cli(*words, "--metric", "picks", "--workers", "2")
    assert said.returncode == 0, said.stderr
    assert "Main effects" in said.stdout
    assert "mind.position" in said.stdout
    assert (here / "s" / "effects.svg").is_file()
    before = {path: path.stat().st_mtime_ns for path in here.glob("s/*/*/run.db")}
    assert len(before) == 8, "two arms, two values, two seeds"
    again = cli(*words, "--metric", "picks", "--json")
    assert again.returncode == 0, again.stderr
    found = json.loads(again.stdout)
    assert len(found["points"]) == 4
    assert found["points"][0]["values"] == {"arm": "random", "mind.position": 0.1}
    assert {path: path.stat().st_mtime_ns for path in before} == before
    resumed = cli("resume", "s")
    assert resumed.returncode == 2
    assert "s is a sweep; continue it with its own command" in resumed.stderr


def test_mistakes_end_with_2_and_start_nothing(cli: Cli, here: Path) -> None:
    for words, told in (
        (("--vary", "mind.positon=1"), "did you mean 'position'"),
        (("--vary", "mind.position=0..1"), "needs --random"),
        (("--vary", "mind.position=1", "--metric", "pick"), "did you mean 'picks'"),
        (("--vary", "mind.position=1", "--workers", "-1"), "--workers"),
        ((), "--vary"),
    ):
        said = cli("sweep", *SMALL, *words, "--out", "s")
        assert said.returncode == 2, said.stderr
        assert told in said.stderr
        assert not list(here.iterdir())
