from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from tests.services import example, write_items

from audience.log import Log

Cli = Callable[..., CompletedProcess[str]]


def test_a_sound_run_is_well(cli: Cli, one: Path) -> None:
    told = cli("doctor", one)
    assert told.returncode == 0
    assert "ok  run file: sound, 4 complete rounds" in told.stdout
    with Log.open(one) as log:
        assert log.digest() in told.stdout


def test_a_chapter_that_cannot_be_read_is_found(cli: Cli, one: Path) -> None:
    import sqlite3

    connection = sqlite3.connect(one / "run.db")
    connection.execute("UPDATE chapters SET body = ? WHERE seq = 20", (b"[[nonsense",))
    connection.commit()
    connection.close()
    told = cli("doctor", one, "--json")
    assert told.returncode == 2
    checks = {check["what"]: check for check in json.loads(told.stdout)["checks"]}
    assert checks["run file"]["ok"] is False
    assert "restore it from a copy" in checks["run file"]["found"]
    assert "BAD run file" in cli("doctor", one).stdout


def test_a_recommender_is_tried(cli: Cli, here: Path) -> None:
    told = cli("doctor", "--recommender", "popular")
    assert told.returncode == 0
    assert "popular served 200 people for 2 rounds" in told.stdout
    (here / "mine.py").write_text("class Mine:\n  def fit(self, interactions, rng): return 3\n")
    ill = cli("doctor", "--recommender", "mine.py:Mine")
    assert ill.returncode == 1
    assert "BAD recommender: Mine.fit returned int, which has no `rank`" in ill.stdout


def test_a_service_has_a_verdict_on_each_part_of_the_contract(
    cli: Cli, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_KEY", "open-sesame")
    items = write_items(here / "items.csv", [f"x{number}" for number in range(40)])
    with example(items, "--key-env", "SHOP_KEY") as server:
        well = cli("doctor", "--recommender", server.url, "--key-env", "SHOP_KEY")
        ill = cli("doctor", "--recommender", server.url)
        strange = cli(
            "doctor", "--recommender", server.url, "--key-env", "SHOP_KEY", "--data", "films"
        )
    assert well.returncode == 0
    for line in ("health: example 1, 40 items", "exclusions:", "unknown user:", "big batch:"):
        assert f"ok  {line}" in well.stdout
    assert "ok  speed, 100 users: p50" in well.stdout
    assert ill.returncode == 1
    assert "BAD health" in ill.stdout
    assert "answered 401" in ill.stdout
    assert "ok  python" in ill.stdout
    assert strange.returncode == 1
    assert "which is not in the catalogue" in strange.stdout
    gone = cli("doctor", "--recommender", server.url)
    assert gone.returncode == 1
    assert "cannot be reached" in gone.stdout
