"""Ctrl-C, kill -9 and a second reader, with real processes."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess, Popen

import pytest

from audience.errors import AudienceError
from audience.experiments import conduct, parse, start
from audience.log import Log

Cli = Callable[..., CompletedProcess[str]]
Begin = Callable[..., Popen[str]]

LONG = """
agents = 150
rounds = 12
recommender = "popular"
[run]
wave = 8
"""
ARMS = """
agents = 60
rounds = 6
seeds = 2
[run]
wave = 8
[arms.random]
recommender = "random"
[arms.popular]
recommender = "popular"
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same run, never interrupted."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    start(parse(LONG), 1, folder)
    return folder


def digest(folder: Path, upto: int | None = None) -> str:
    with Log.open(folder) as log:
        return log.digest(upto_round=upto)


def chapters_in(folder: Path) -> tuple[int, int]:
    """Return the complete rounds and the chapters so far; (0, 0) before there is a log."""
    if not (folder / "run.db").exists():
        return 0, 0
    try:
        with Log.open(folder) as log:
            count = log.query("SELECT count(*) FROM chapters")[0][0]
            return log.complete_rounds(), int(count)
    except AudienceError:
        return 0, 0


def wait_until(child: Popen[str], folder: Path, rounds: int, chapters: int = 0) -> None:
    deadline = time.monotonic() + 60
    while chapters_in(folder) < (rounds, chapters):
        assert child.poll() is None, child.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.002)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_stops_at_a_commit_point_and_says_how_to_go_on(
    cli: Cli, here: Path, begin: Begin, whole: Path, number: signal.Signals
) -> None:
    (here / "long.toml").write_text(LONG)
    child = begin(here, "run", "long.toml", "--out", "run", "--no-report")
    wait_until(child, here / "run", 1)
    child.send_signal(number)
    out, err = child.communicate(timeout=60)
    assert child.returncode == 130
    assert out == ""
    assert "Stopped at a commit point. Go on with: audience resume run" in err
    assert "Traceback" not in err
    assert 1 <= chapters_in(here / "run")[0] < 12
    assert "stopped" in cli("runs", ".").stdout
    gone_on = cli("resume", "run", "--no-report", "--json")
    assert gone_on.returncode == 0
    assert json.loads(gone_on.stdout)["digest"] == digest(whole)


@pytest.mark.parametrize(("rounds", "chapters"), [(0, 0), (0, 20), (2, 0), (3, 180), (8, 0)])
def test_a_killed_run_is_resumed_to_the_same_bytes(
    cli: Cli, here: Path, begin: Begin, whole: Path, rounds: int, chapters: int
) -> None:
    (here / "long.toml").write_text(LONG)
    child = begin(here, "run", "long.toml", "--out", "run", "--no-report")
    while not (here / "run" / "run.db").exists():
        time.sleep(0.002)
    wait_until(child, here / "run", rounds, chapters)
    child.kill()
    child.communicate(timeout=60)
    assert child.returncode == -signal.SIGKILL
    assert "interrupted" in cli("runs", ".").stdout
    assert "ok  run: interrupted" in cli("doctor", "run").stdout
    assert cli("resume", "run", "--no-report").returncode == 0
    assert digest(here / "run") == digest(whole)


def test_a_killed_experiment_is_resumed_to_the_same_bytes(
    cli: Cli, here: Path, begin: Begin
) -> None:
    (here / "arms.toml").write_text(ARMS)
    child = begin(here, "run", "arms.toml", "--out", "both", "--no-report")
    wait_until(child, here / "both/popular/seed-1", 2)
    child.kill()
    child.communicate(timeout=60)
    refused = cli("report", "both")
    assert refused.returncode == 2
    assert "is not finished; go on with: audience resume both" in refused.stderr
    assert cli("resume", "both", "--no-report").returncode == 0
    outcome = conduct(parse(ARMS), here / "again")
    for one in outcome.finished:
        place = Path(one.measured.folder).relative_to(here / "again")
        assert digest(here / "both" / place) == one.measured.digest


def test_others_read_a_run_while_it_goes_on_and_do_not_disturb_it(
    cli: Cli, here: Path, begin: Begin, whole: Path
) -> None:
    (here / "long.toml").write_text(LONG)
    child = begin(here, "run", "long.toml", "--out", "run", "--no-report", "--json")
    wait_until(child, here / "run", 2)
    child.send_signal(signal.SIGSTOP)  # so that it cannot end before all have looked
    assert cli("digest", "run", "--at", 2).stdout.strip() == digest(whole, 2)
    assert "running" in cli("runs", ".").stdout
    busy = cli("resume", "run", "--no-report")
    told = cli("show", "run", "--lines", 3)
    assert told.stdout.startswith("Round 1")
    child.send_signal(signal.SIGCONT)
    assert busy.returncode == 2
    assert f"run is being written by the process with id {child.pid}" in busy.stderr
    out, _ = child.communicate(timeout=60)
    assert child.returncode == 0
    assert json.loads(out)["digest"] == digest(whole)
