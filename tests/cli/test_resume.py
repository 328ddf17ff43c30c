from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

from audience.runs import start
from audience.scenario import Scenario, changed

Cli = Callable[..., CompletedProcess[str]]


def test_a_finished_run_stays_as_it_is(cli: Cli, one: Path) -> None:
    before = cli("digest", one).stdout
    told = cli("resume", one, "--no-report")
    assert told.returncode == 0
    assert "popular: " in told.stdout
    assert cli("digest", one).stdout == before


def test_a_run_can_be_made_longer_and_equals_one_that_was_long_from_the_start(
    cli: Cli, one: Path, small: Scenario, tmp_path: Path
) -> None:
    longer = json.loads(cli("resume", one, "--rounds", 6, "--no-report", "--json").stdout)
    straight = start(changed(small, rounds=6), 1, tmp_path / "straight")
    assert longer["rounds"] == 6
    assert longer["digest"] == straight.measured.digest
    assert longer["picks"] == straight.measured.totals["picks"]


def test_a_run_cannot_be_made_shorter(cli: Cli, one: Path) -> None:
    refused = cli("resume", one, "--rounds", 2)
    assert refused.returncode == 2
    assert "--rounds 2: one has 4 rounds; branch it with --at 2" in refused.stderr


def test_one_run_of_an_experiment_can_be_resumed_alone(cli: Cli, both: Path) -> None:
    place = both / "popular" / "seed-2"
    found = json.loads(cli("resume", place, "--rounds", 3, "--no-report", "--json").stdout)
    assert (found["seed"], found["rounds"], found["run"]) == (2, 3, str(place))


def test_an_experiment_is_prolonged_run_by_run(cli: Cli, both: Path) -> None:
    refused = cli("resume", both, "--rounds", 9)
    assert refused.returncode == 2
    assert "prolong its runs one by one, as in both/ARM/seed-1" in refused.stderr
