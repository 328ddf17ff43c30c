from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from audience.cli import conducting
from audience.experiments import Outcome, Scenario, conduct

Cli = Callable[..., CompletedProcess[str]]


def test_ctrl_c_while_the_report_is_written_loses_nothing(
    cli: Cli, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(conducting, "write_report", interrupted)
    stopped = cli("run", "--agents", 40, "--rounds", 2, "--recommender", "popular", "--out", "one")
    assert stopped.returncode == 130
    assert "popular: " in stopped.stdout
    assert "Everything was run and is kept" in stopped.stderr
    assert "audience report one" in stopped.stderr
    assert "finished" in cli("runs", ".").stdout


def test_ctrl_c_while_the_last_numbers_are_measured_loses_nothing(
    cli: Cli, one: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = cli("digest", one).stdout

    def interrupting(*given: Any, **named: Any) -> Outcome:
        def twice() -> None:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)

        named["progress"].end = twice
        return conduct(*given, **named)

    with monkeypatch.context() as patched:
        patched.setattr(conducting, "conduct", interrupting)
        stopped = cli("resume", one, "--no-report")
    assert stopped.returncode == 130
    assert "Stopped at once; what was committed is kept" in stopped.stderr
    assert "finished" in cli("runs", ".").stdout
    assert cli("digest", one).stdout == digest
    assert cli("resume", one, "--no-report").returncode == 0


def test_one_ctrl_c_in_the_last_moment_lets_the_run_end(
    cli: Cli, one: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupting(*given: Any, **named: Any) -> Outcome:
        named["progress"].end = lambda: signal.raise_signal(signal.SIGINT)
        return conduct(*given, **named)

    monkeypatch.setattr(conducting, "conduct", interrupting)
    told = cli("resume", one, "--no-report")
    assert told.returncode == 0
    assert "popular: " in told.stdout


def test_the_summary_of_one_run_is_its_own(small: Scenario, here: Path) -> None:
    outcome = conduct(small, here / "one")
    found = conducting.summary_of(outcome)
    assert found == outcome.finished[0].summary
    assert found["seconds"] == pytest.approx(found["seconds_per_round"] * 4, abs=0.01)  # type: ignore[operator]
