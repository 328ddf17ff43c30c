from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

Cli = Callable[..., CompletedProcess[str]]
SMALL = ("--people", 2, "--rounds", 16, "--seeds", 1)


def test_a_table_and_a_figure(cli: Cli, here: Path) -> None:
    told = cli("eval", "memory", "--kinds", "last, none", *SMALL, "--out", "found").stdout
    lines = [line.split() for line in told.splitlines()]
    assert lines[0][:3] == ["memory", "should", "last"]
    assert [line[0] for line in lines[1:3]] == ["last", "none"]
    assert "64 facts of 2 people x 1 seeds" in told
    written = {path.name for path in (here / "found").iterdir()}
    assert written == {"memory.json", "memory.svg", "memory.pdf", "memory.png"}
    tree = json.loads((here / "found" / "memory.json").read_text())
    assert [one["kind"] for one in tree["scores"]] == ["last", "none"]


def test_json(cli: Cli, here: Path) -> None:
    found = json.loads(cli("eval", "memory", "--kinds", "none", *SMALL, "--json").stdout)
    assert [one["kind"] for one in found["scores"]] == ["none"]
    assert found["scores"][0]["balance"]["mean"] == 0.5
    assert found["written"] == []


def test_an_unknown_kind_is_refused_before_anything_is_lived(cli: Cli, here: Path) -> None:
    refused = cli("eval", "memory", "--kinds", "none,elephant", *SMALL)
    assert refused.returncode == 2
    assert "--kinds: memory 'elephant' is unknown" in refused.stderr
