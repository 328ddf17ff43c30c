from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

from tests.datasets.files import ATOMIC, write
from tests.lab.verdicts.test_verdicts import dataset

Cli = Callable[..., CompletedProcess[str]]
SMALL = ("--agents", 12, "--rounds", 1, "--seeds", 2)


def test_a_table_is_printed_and_what_lacks_is_named(cli: Cli, here: Path) -> None:
    source = dataset(here / "camps")
    kinds = "random,ease,recbole:LightGCN"
    given = ("--recommender", kinds, "--recbole-python", "/nowhere/python", "--out", "out")
    told = cli("eval", "verdicts", "--data", source, *SMALL, *given)
    assert told.returncode == 0, told.stderr
    for words in ("view ratio", "exit page", "satisfaction", "NDCG@10", "Kendall", "±"):
        assert words in told.stdout
    assert "LightGCN was skipped: recommender 'recbole'" in told.stdout
    assert "Evidence is apart" in told.stdout
    again = cli("eval", "verdicts", "--data", source, *SMALL, *given, "--json")
    assert again.returncode == 0, again.stderr
    found = json.loads(again.stdout.splitlines()[-1])
    assert [row["recommender"] for row in found["rows"]] == ["random", "ease"]
    assert found == json.loads((here / "out" / "verdicts.json").read_text()) | {"folder": "out"}


def test_shared_evidence_is_flagged(cli: Cli, here: Path) -> None:
    source = dataset(here / "camps")
    given = ("--recommender", "random,popular", "--evidence", "same", "--json")
    told = cli("eval", "verdicts", "--data", source, *SMALL, *given)
    found = json.loads(told.stdout.splitlines()[-1])
    assert [row["mark"] for row in found["rows"]] == ["", "shared"]


def test_grounded_minds_on_collaborative_recommenders_are_flagged(cli: Cli, here: Path) -> None:
    source = dataset(here / "camps")
    given = ("--mind", "grounded", "--recommender", "random,ease", "--agents", 8, "--rounds", 1)
    for evidence, wanted in (("same", "circular"), ("apart", "alike")):
        told = cli("eval", "verdicts", "--data", source, *given, "--evidence", evidence, "--json")
        assert told.returncode == 0, told.stderr
        found = json.loads(told.stdout.splitlines()[-1])
        assert [row["mark"] for row in found["rows"]] == ["", wanted]
        assert any(one.startswith(f"{wanted} (ease)") for one in found["remarks"])
        assert any("collaborative evidence" in one for one in found["remarks"])


def test_mistakes_are_told(cli: Cli, here: Path) -> None:
    source = write(here / "tiny", ATOMIC)
    told = cli("eval", "verdicts", "--data", source, "--recommender", " , ")
    assert (told.returncode, "--recommender: is empty" in told.stderr) == (2, True)
    told = cli("eval", "verdicts", "--data", "films", "--evidence", "apart")
    assert (told.returncode, "cannot be halved" in told.stderr) == (2, True)
    told = cli("eval", "verdicts", "--data", source, "--recommender", "populr", "--agents", 1)
    assert (told.returncode, "'populr' is unknown" in told.stderr) == (2, True)
    told = cli("eval", "verdicts", "--data", source, "--recommender", "random", *SMALL)
    assert (told.returncode, "tiny has 1 people and 12 were requested" in told.stderr) == (2, True)
