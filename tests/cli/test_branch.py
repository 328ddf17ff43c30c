from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from audience.log import Log

Cli = Callable[..., CompletedProcess[str]]
SWAP = '[[interventions]]\nround = 3\ndo = "swap_recommender"\nkind = "random"\n'


def digest(folder: Path, upto: int | None = None) -> str:
    with Log.open(folder) as log:
        return log.digest(upto_round=upto)


@pytest.mark.parametrize("at", [None, 0, 2])
def test_a_branch_that_changes_nothing_has_its_parents_digest(
    cli: Cli, one: Path, at: int | None
) -> None:
    where = () if at is None else ("--at", at)
    told = cli("branch", one, *where, "--no-report", "--json")
    assert told.returncode == 0
    found = json.loads(told.stdout)
    assert found["run"] == "one-branch-1"
    assert found["digest"] == digest(one)


def test_a_branch_differs_exactly_from_the_round_of_its_intervention_on(
    cli: Cli, one: Path, here: Path
) -> None:
    (here / "swap.toml").write_text(SWAP)
    told = cli("branch", one, "--at", 1, "--intervene", "swap.toml", "--out", "b", "--no-report")
    assert told.returncode == 0
    assert "Compare: audience compare one b" in told.stdout
    branch = here / "b"
    assert digest(branch, 2) == digest(one, 2)
    assert digest(branch, 3) != digest(one, 3)
    compared = cli("compare", one, "b")
    assert "First difference: round 3, opening" in compared.stdout
    assert "swap recommender" in compared.stdout
    assert cli("replay", "b", "--check").returncode == 0
    with Log.open(branch) as log:
        assert log.lineage is not None
        assert (log.lineage.parent, log.lineage.at) == ("one", 1)


def test_a_branch_may_wait_to_be_run(cli: Cli, one: Path) -> None:
    told = cli("branch", one, "--at", 2, "--out", "b", "--stay")
    assert "Go on with: audience resume b" in told.stdout
    assert digest(Path("b")) == digest(one, 2)
    refused = cli("compare", one, "b")
    assert refused.returncode == 2
    assert "audience resume b --rounds 4" in refused.stderr
    assert cli("resume", "b", "--no-report").returncode == 0
    assert "none, the logs are equal" in cli("compare", one, "b").stdout
    stayed = json.loads(cli("branch", one, "--at", 2, "--stay", "--json").stdout)
    assert stayed == {"run": "one-branch-1", "parent": "one", "at": 2}


def test_a_run_of_an_experiment_can_be_branched(cli: Cli, both: Path) -> None:
    place = both / "popular" / "seed-2"
    told = cli("branch", place, "--at", 1, "--out", "b", "--no-report")
    assert told.returncode == 0
    assert digest(Path("b")) == digest(place)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("agents = 3\n", "must hold [[interventions]] tables and nothing else"),
        ("[[interventions]\n", "x.toml: "),
        (SWAP.replace("3", "1"), "round 1 is not after round 2, where the branch begins"),
        (
            SWAP.replace("random", "randm"),
            "'randm' is unknown (did you mean 'random'?)",
        ),
        (SWAP.replace("kind", "knd"), "(swap_recommender): Object missing required field 'kind'"),
    ],
)
def test_interventions_that_cannot_be_used_make_no_branch(
    cli: Cli, one: Path, here: Path, text: str, told: str
) -> None:
    (here / "x.toml").write_text(text)
    refused = cli("branch", one, "--at", 2, "--intervene", "x.toml", "--out", "b")
    assert refused.returncode == 2
    assert told in refused.stderr
    assert not Path("b").exists()


def test_what_is_not_there_makes_no_branch(cli: Cli, one: Path, both: Path) -> None:
    for words, told in (
        ((one, "--intervene", "no.toml"), "--intervene no.toml does not exist"),
        ((one, "--at", 9), "--at 9: one has no such round to branch from; rounds 1 to 4"),
        ((both,), "both is an experiment; name one of its runs"),
        ((one, "--out", both), "both is not empty"),
    ):
        refused = cli("branch", *words)
        assert refused.returncode == 2
        assert told in refused.stderr
        assert not Path("one-branch-1").exists()
