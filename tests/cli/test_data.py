from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

Cli = Callable[..., CompletedProcess[str]]


def test_every_dataset_is_listed(cli: Cli, here: Path) -> None:
    told = cli("data", "list")
    assert told.returncode == 0
    for name in ("films", "books", "folder", "recsim"):
        assert f"\n {name} " in told.stdout


def test_a_sound_folder_is_counted_and_can_be_run(cli: Cli, here: Path) -> None:
    (here / "mine").mkdir()
    rows = "".join(f"{n},Item {n},{'ab'[n % 2]}\n" for n in range(30))
    (here / "mine" / "items.csv").write_text(f"id,title,tags\n{rows}")
    told = cli("data", "check", "mine")
    assert told.returncode == 0
    assert "warning: people.csv is missing: people will be drawn" in told.stdout
    assert "items 30" in told.stdout
    assert "Use it with: audience run --data mine" in told.stdout
    found = json.loads(cli("data", "check", "mine", "--json").stdout)
    assert (found["items"], found["people"]) == (30, 0)
    ran = cli("run", "--data", "mine", "--agents", 20, "--rounds", 2, "--seeds", 1, "--no-report")
    assert ran.returncode == 0
