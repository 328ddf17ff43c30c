from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

from audience.log import Log

Cli = Callable[..., CompletedProcess[str]]


def test_each_round_is_shown_and_its_numbers_add_up(cli: Cli, one: Path) -> None:
    told = cli("replay", one)
    assert told.returncode == 0
    rows = [re.findall(r"[\d.,]+", line) for line in told.stdout.splitlines() if "│" in line]
    assert [row[0] for row in rows] == ["1", "2", "3", "4"]
    with Log.open(one) as log:
        picks = sum(type(record.event).__name__ == "Picked" for record in log.records())
    assert sum(int(row[2]) for row in rows) == picks
    assert f"digest {cli('digest', one).stdout.strip()}" in told.stdout


def test_a_run_that_is_lived_again_has_the_same_bytes(cli: Cli, one: Path) -> None:
    told = cli("replay", one, "--check", "--at", 3)
    assert told.returncode == 0
    assert "Reproduced: the same bytes." in told.stdout
    found = json.loads(cli("replay", one, "--check", "--json").stdout)
    assert found["reproduced"] is True
    assert found["digest"] == cli("digest", one).stdout.strip()


def test_a_run_that_was_tampered_with_fails_the_check(cli: Cli, one: Path) -> None:
    with Log.open(one, write=True) as log:
        log.set_scenario(log.scenario.replace("popular", "random"))
    told = cli("replay", one, "--check")
    assert told.returncode == 1
    assert "Reproduced: DIFFERENT" in told.stdout
    assert json.loads(cli("replay", one, "--json", "--check").stdout)["reproduced"] is False


def test_there_must_be_a_round_to_check(cli: Cli, one: Path) -> None:
    assert "no complete round" in cli("replay", one, "--check", "--at", 0).stderr
    assert "--at 9: one has complete rounds 1 to 4" in cli("replay", one, "--at", 9).stderr
