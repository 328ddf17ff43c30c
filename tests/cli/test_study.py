from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen

import pytest
from tests.cli.conftest import Cli
from tests.cli.gated import KIND, VARIABLE, Gate

from audience.lab.studies import NAMES, shipped

TEXT = f"""
agents = 30
rounds = 2
seeds = 2
[study]
kind = "filter-bubble"
question = "Which?"
method = ["One line."]
[arms.refitted]
recommender = "{KIND}"
[arms.random]
recommender = "random"
"""


def test_all_studies_are_listed_with_their_questions(cli: Cli) -> None:
    said = cli("study", "list")
    assert said.returncode == 0
    assert [line.split()[0] for line in said.stdout.splitlines()] == list(NAMES)
    assert set(json.loads(cli("study", "list", "--json").stdout)) == set(NAMES)


def test_a_study_can_be_written_changed_and_run(cli: Cli, here: Path) -> None:
    assert cli("study", "cocoon", "--write", "mine.toml").returncode == 0
    assert (here / "mine.toml").read_text() == shipped("cocoon")
    said = cli("study", "cocoon", "--write", "mine.toml")
    assert said.returncode == 2
    assert "already exists" in said.stderr
    (here / "mine.toml").write_text(TEXT)
    said = cli("study", "mine.toml", "--out", "out", "--workers", "1", "--json")
    assert said.returncode == 0, said.stderr
    found = json.loads(said.stdout.splitlines()[-1])
    assert found["study"] == "filter-bubble"
    assert found["finding"].endswith(".")
    page = (here / "out" / "report.html").read_text()
    assert "audience study mine.toml" in page
    assert "One line." in page


def test_a_stopped_study_says_how_to_go_on_and_does(
    cli: Cli, here: Path, begin: Callable[..., Popen[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "mine.toml").write_text(TEXT.replace("rounds = 2", "rounds = 4"))
    words = ("study", "mine.toml", "--out", "out", "--workers", "2")
    gate = Gate(here / "gate")
    gate.put(here / "out/refitted/seed-1/run.db", 1)
    monkeypatch.setenv(VARIABLE, str(here / "gate"))
    child = begin(here, *words)
    gate.meet(child)
    child.send_signal(signal.SIGINT)
    assert child.stderr is not None
    while "Stopping at the next commit point" not in child.stderr.readline():
        assert child.poll() is None
    gate.open()
    _, said = child.communicate(timeout=150)
    assert child.returncode == 130, said
    assert "Continue with: audience study mine.toml --out out" in said
    assert not (here / "out" / "report.html").exists()
    (here / "mine.toml").write_text(TEXT)
    assert "holds another study" in cli(*words).stderr


def test_mistakes_end_with_2_and_leave_nothing(cli: Cli, here: Path) -> None:
    for words, said in (
        (("nonsense",), "study 'nonsense' is unknown"),
        (("cocoon", "--agents", "0"), "is not between 1"),
        (("cocoon", "--mind", "mind"), "mind 'mind' is unknown"),
        (("cocoon", "--workers", "-1"), "-1 is not in the range"),
        (("none.toml",), "does not exist"),
        (("all", "--write", "x.toml"), "name of one study"),
    ):
        found = cli("study", *words, "--out", "out")
        assert found.returncode == 2, words
        assert said in found.stderr
    assert not list(here.iterdir())
