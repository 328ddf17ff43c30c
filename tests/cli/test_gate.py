from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from audience.runs import conduct
from audience.scenario import changed, parse

Cli = Callable[..., CompletedProcess[str]]
SMALL = ("--agents", 40, "--rounds", 2, "--seeds", 3, "--no-report", "--no-sensitivity")
PILOT = parse(
    "agents = 40\nrounds = 2\nseeds = 3\n"
    '[arms.random]\nrecommender = "random"\n[arms.popular]\nrecommender = "popular"\n'
)
ILL = """
class Ill:
    async def decide(self, seen, memory, dice):
        raise RuntimeError("no answer")
"""


@pytest.mark.parametrize(("condition", "code"), [("gini > -1", 1), ("gini < -1", 0)])
def test_a_run_of_two_arms_is_a_gate(cli: Cli, here: Path, condition: str, code: int) -> None:
    told = cli("run", *SMALL, "--out", here / "gate", "--fail-if", condition)
    assert told.returncode == code
    word = "FAILED" if code else "passed"
    assert f"{word}: {condition}: popular " in told.stdout
    again = cli("compare", here / "gate", "--fail-if", condition)
    assert again.returncode == code


def test_the_gate_of_a_run_as_json(cli: Cli, here: Path) -> None:
    told = cli("run", *SMALL, "--out", here / "gate", "--fail-if", "picks > -100%", "--json")
    assert told.returncode == 1
    gate = json.loads(told.stdout.splitlines()[-1])["gate"]
    assert gate["failed"] == ["picks > -100%"]
    assert gate["rulings"][0]["arm"] == "popular"


def test_a_gate_needs_two_arms_and_says_so_before_it_runs(cli: Cli, here: Path) -> None:
    told = cli("run", *SMALL, "--recommender", "popular", "--fail-if", "picks < 0")
    assert told.returncode == 2
    assert "nothing to compare" in told.stderr
    assert not (here / "runs").exists()


def test_minds_that_always_fail_fail_every_gate(cli: Cli, here: Path) -> None:
    (here / "ill.py").write_text(ILL, "utf-8")
    conduct(changed(PILOT, mind="ill.py:Ill"), here / "ill")
    told = cli("compare", here / "ill", "--fail-if", "satisfaction < -99%", "--json")
    assert told.returncode == 1
    found = json.loads(told.stdout)
    assert found["failed"] == ["satisfaction < -99%", "failed_share > 5%"]
    assert "no number to judge by" in found["gate"][0]["why"]
    printed = cli("compare", here / "ill", "--fail-if", "satisfaction < -99%").stdout
    assert "nan" not in printed.lower()


def test_a_pilot_says_how_many_people_and_seeds_see_a_loss(cli: Cli, here: Path) -> None:
    conduct(PILOT, here / "pilot")
    asked = ("compare", here / "pilot", "--fail-if", "satisfaction < -2%", "--estimate")
    told = cli(*asked, "5%")
    assert told.returncode == 0
    assert "To see a loss of 5.0% by 'satisfaction < -2%' (popular) in 80 % of runs:" in told.stdout
    found = json.loads(cli(*asked, "20%", "--json").stdout)["estimates"][0]
    assert [need["seeds"] for need in found["needs"]] == [3, 5, 8, 12, 20]
    for wrong in ("much", "0%", "150%"):
        refused = cli(*asked, wrong)
        assert refused.returncode == 2
        assert "is not a loss; give one such as 5%" in refused.stderr
