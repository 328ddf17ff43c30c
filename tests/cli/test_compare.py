from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from audience.runs import measured

Cli = Callable[..., CompletedProcess[str]]


def test_the_arms_of_an_experiment_are_compared_over_seeds(cli: Cli, both: Path) -> None:
    told = cli("compare", both, "--metric", "satisfaction", "--metric", "picks")
    assert told.returncode == 0
    assert "popular − random" in told.stdout
    assert "over seeds" in told.stdout
    assert "Satisfaction" in told.stdout
    assert "Gini" not in told.stdout


def test_two_runs_are_compared_person_by_person(cli: Cli, both: Path) -> None:
    first, second = both / "random/seed-1", both / "popular/seed-1"
    found = json.loads(cli("compare", first, second, "--json").stdout)
    rows = {row["metric"]: row for row in found["differences"]}
    mine, theirs = (measured(one).agents["picks"] for one in (first, second))
    assert rows["picks"]["over"] == "people"
    assert rows["picks"]["difference"] == pytest.approx(float((theirs - mine).mean()))
    assert found["first_difference"].startswith("round 1, opening: random is fitted on ")
    assert not any(isinstance(one, float) and math.isnan(one) for one in rows["picks"].values())


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("coverage_exposure < 20%", 1),
        ("coverage_exposure < -10%", 0),
        ("coverage_exposure <= 0.1", 1),
        ("gini >= -1", 1),
        ("gini < -99%", 0),
    ],
)
def test_a_gate_decides_the_exit_code(cli: Cli, both: Path, condition: str, code: int) -> None:
    told = cli("compare", both, "--fail-if", condition)
    assert told.returncode == code
    assert (f"FAILED: {condition}" in told.stdout) == bool(code)
    found = cli("compare", both, "--fail-if", condition, "--json")
    assert found.returncode == code
    assert json.loads(found.stdout)["failed"] == ([condition] if code else [])


def test_one_gate_of_several_is_enough(cli: Cli, both: Path) -> None:
    told = cli("compare", both, "--fail-if", "gini < -99%", "--fail-if", "gini > -1")
    assert told.returncode == 1
    assert told.stdout.count("FAILED") == 1


def test_a_run_against_itself_differs_in_nothing(cli: Cli, one: Path) -> None:
    told = cli("compare", one, one, "--fail-if", "picks < 0", "--fail-if", "picks > 0")
    assert told.returncode == 0
    assert "none, the logs are equal" in told.stdout
