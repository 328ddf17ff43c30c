from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from tests.datasets.files import LASTFM, ML_1M, ML_CSV, packed, write

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


def test_published_datasets_are_listed_with_the_way_to_them(
    cli: Cli, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(here))
    assert "get ml-1m" in cli("data", "list").stdout
    write(here / "audience" / "datasets" / "ml-1m", ML_1M, "latin-1")
    told = cli("data", "list").stdout
    assert "is here" in told
    assert "get ml-1m" not in told


def test_a_known_layout_is_counted_and_told_what_was_left_out(cli: Cli, here: Path) -> None:
    write(here / "fm", LASTFM)
    told = cli("data", "check", "fm")
    assert told.returncode == 0
    assert "left out: 1 (a tie of somebody without interactions; first: fm/user_fri" in told.stdout
    assert "warning: 2 of 2 items have no tags" in told.stdout
    assert "HetRec Last.fm\nitems 2, people 2, ties 2, interactions 3, tags 0" in told.stdout
    found = json.loads(cli("data", "check", "fm", "--json").stdout)
    assert found["skipped"][0]["count"] == 1


def test_check_refuses_what_it_does_not_know(cli: Cli, here: Path) -> None:
    write(here / "odd", {"notes.txt": "hello"})
    told = cli("data", "check", "odd")
    assert told.returncode == 2
    assert "Looked for" in told.stderr
    assert cli("data", "check", "nowhere").returncode == 2


def test_an_archive_runs_as_it_is(cli: Cli, here: Path) -> None:
    packed(here / "ml.zip", ML_CSV)
    ran = cli("run", "--data", "ml.zip", "--agents", 2, "--rounds", 1, "--seeds", 1, "--no-report")
    assert ran.returncode == 0, ran.stderr
    many = cli("run", "--data", "ml.zip", "--agents", 3)
    assert many.returncode == 2
    assert "has 2 people and 3 were requested" in many.stderr


def test_getting_an_unknown_dataset_names_the_nearest(cli: Cli, here: Path) -> None:
    told = cli("data", "get", "ml-1n")
    assert told.returncode == 2
    assert "did you mean 'ml-1m'" in told.stderr


def test_without_a_network_the_manual_steps_are_told(
    cli: Cli, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(here))
    for name in ("https_proxy", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    told = cli("data", "get", "ml-1m")
    assert told.returncode == 2
    assert "By hand: fetch it with a browser" in told.stderr
    assert "its md5 is c4d9eecfca2ab87c1945afe126590906" in told.stderr
    assert "https://grouplens.org/datasets/movielens/1m/" in told.stderr


def test_a_config_is_imported_once(cli: Cli, here: Path) -> None:
    from tests.scenario.test_recagent_config import program

    config = program(here)
    told = cli("data", "import", config, "--out", "mine.toml")
    assert told.returncode == 0, told.stderr
    assert "no equivalent: index_name: nothing needs an index" in told.stdout
    assert "Use it with: audience run mine.toml" in told.stdout
    again = cli("data", "import", config, "--out", "mine.toml")
    assert (again.returncode, "already exists" in again.stderr) == (2, True)
