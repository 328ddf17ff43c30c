from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

Cli = Callable[..., CompletedProcess[str]]
SMALL = ("--agents", 30, "--rounds", 1, "--seeds", 2)


def test_the_map_is_printed_and_written(cli: Cli, here: Path) -> None:
    told = cli("eval", "sensitivity", *SMALL, "--out", "map")
    assert told.returncode == 0, told.stderr
    assert "how strongly people follow their taste" in told.stdout
    assert "popular is clearly ahead in " in told.stdout
    assert {path.name for path in (here / "map").iterdir()} == {
        f"sensitivity.{kind}" for kind in ("md", "csv", "json", "png", "svg")
    }
    assert (here / "map/sensitivity.md").read_text("utf-8").startswith("# Sensitivity\n")


def test_the_map_as_json_of_chosen_recommenders(cli: Cli, here: Path) -> None:
    told = cli("eval", "sensitivity", *SMALL, "--recommender", "popular,content", "--json")
    band = json.loads(told.stdout.splitlines()[-1])["band"]
    assert {each["other"] for row in band["settings"] for each in row["differences"]} == {"content"}
    assert band["seeds"] == 2
    assert list((here / "runs").iterdir())


def test_what_cannot_be_tried_is_refused(cli: Cli, here: Path) -> None:
    told = cli("eval", "sensitivity", *SMALL, "--recommender", "popular")
    assert told.returncode == 2
    assert "there is one arm" in told.stderr
