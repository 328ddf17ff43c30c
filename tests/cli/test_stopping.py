"""Ctrl-C, kill -9 and a second reader, with real processes."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess, Popen

import pytest
from tests.cli.gated import KIND, VARIABLE, Gate

from audience.log import Log
from audience.runs import conduct, start
from audience.runs.calibration import with_fitted_people
from audience.scenario import parse

Cli = Callable[..., CompletedProcess[str]]
Begin = Callable[..., Popen[str]]

LONG = f"""
agents = 60
rounds = 6
recommender = "{KIND}"
[run]
wave = 8
"""
ARMS = f"""
agents = 60
rounds = 6
seeds = 2
[run]
wave = 8
[arms.random]
recommender = "random"
[arms.popular]
recommender = "{KIND}"
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same run, never interrupted."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    start(with_fitted_people(parse(LONG)).scenario, 1, folder)
    return folder


def digest(folder: Path, upto: int | None = None) -> str:
    with Log.open(folder) as log:
        return log.digest(upto_round=upto)


def rounds_in(folder: Path) -> int:
    with Log.open(folder) as log:
        return log.complete_rounds()


@pytest.fixture
def gate(here: Path, monkeypatch: pytest.MonkeyPatch) -> Gate:
    """A gate for the children of this test."""
    monkeypatch.setenv(VARIABLE, str(here / "gate"))
    return Gate(here / "gate")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_stops_at_a_commit_point_and_says_how_to_go_on(
    cli: Cli, here: Path, begin: Begin, whole: Path, gate: Gate, number: signal.Signals
) -> None:
    (here / "long.toml").write_text(LONG)
    gate.put(here / "run" / "run.db", 1)
    child = begin(here, "run", "long.toml", "--out", "run", "--no-report")
    gate.meet(child)
    child.send_signal(number)
    gate.open()
    out, err = child.communicate(timeout=150)
    assert child.returncode == 130
    assert out == ""
    assert "Stopped at a commit point. Continue with: audience resume run" in err
    assert "Traceback" not in err
    assert 1 <= rounds_in(here / "run") < 6
    assert "stopped" in cli("runs", ".").stdout
    gone_on = cli("resume", "run", "--no-report", "--json")
    assert gone_on.returncode == 0
    assert json.loads(gone_on.stdout)["digest"] == digest(whole)


@pytest.mark.parametrize(("rounds", "chapters"), [(0, 0), (0, 20), (2, 0), (3, 120), (5, 0)])
def test_a_killed_run_is_resumed_to_the_same_bytes(
    cli: Cli, here: Path, begin: Begin, whole: Path, gate: Gate, rounds: int, chapters: int
) -> None:
    (here / "long.toml").write_text(LONG)
    gate.put(here / "run" / "run.db", rounds, chapters)
    child = begin(here, "run", "long.toml", "--out", "run", "--no-report")
    gate.meet(child)
    child.kill()
    child.communicate(timeout=150)
    gate.open()
    assert child.returncode == -signal.SIGKILL
    assert "interrupted" in cli("runs", ".").stdout
    assert "ok  run: interrupted" in cli("doctor", "run").stdout
    assert cli("resume", "run", "--no-report").returncode == 0
    assert digest(here / "run") == digest(whole)


def test_a_killed_experiment_is_resumed_to_the_same_bytes(
    cli: Cli, here: Path, begin: Begin, gate: Gate
) -> None:
    (here / "arms.toml").write_text(ARMS)
    gate.put(here / "both/popular/seed-1/run.db", 2)
    child = begin(here, "run", "arms.toml", "--out", "both", "--no-report")
    gate.meet(child)
    child.kill()
    child.communicate(timeout=150)
    gate.open()
    refused = cli("report", "both")
    assert refused.returncode == 2
    assert "is not finished; continue with: audience resume both" in refused.stderr
    assert cli("resume", "both", "--no-report").returncode == 0
    outcome = conduct(with_fitted_people(parse(ARMS)).scenario, here / "again")
    for one in outcome.finished:
        place = Path(one.measured.folder).relative_to(here / "again")
        assert digest(here / "both" / place) == one.measured.digest


def test_others_read_a_run_while_it_goes_on_and_do_not_disturb_it(
    cli: Cli, here: Path, begin: Begin, whole: Path, gate: Gate
) -> None:
    (here / "long.toml").write_text(LONG)
    gate.put(here / "run" / "run.db", 2)
    child = begin(here, "run", "long.toml", "--out", "run", "--no-report", "--json")
    gate.meet(child)
    assert cli("digest", "run", "--at", 2).stdout.strip() == digest(whole, 2)
    assert "running" in cli("runs", ".").stdout
    busy = cli("resume", "run", "--no-report")
    told = cli("show", "run", "--lines", 3)
    assert told.stdout.startswith("Round 1")
    gate.open()
    assert busy.returncode == 2
    assert f"run is being written by the process with id {child.pid}" in busy.stderr
    out, _ = child.communicate(timeout=150)
    assert child.returncode == 0
    assert json.loads(out)["digest"] == digest(whole)
