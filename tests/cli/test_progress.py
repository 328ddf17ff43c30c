from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from audience.cli import progress as conducting
from audience.runs import Outcome, conduct
from audience.scenario import Scenario

Cli = Callable[..., CompletedProcess[str]]


def test_a_title_and_a_folder_are_words_and_no_marks(cli: Cli, here: Path) -> None:
    (here / "s.toml").write_text('title = "All [/b] of [red]it"\nagents = 5\nrounds = 1\n')
    told = cli("run", "s.toml", "--out", "[bold]", "--no-report")
    assert told.returncode == 0
    assert "All [/b] of [red]it: 5 people, 1 round of 1d" in told.stderr
    assert "→ [bold]" in told.stderr
    assert "[bold] − first" in cli("compare", *_twins(cli, here), "--metric", "picks").stdout


def _twins(cli: Cli, here: Path) -> tuple[str, str]:
    assert cli("branch", "[bold]", "--at", 1, "--out", "first", "--no-report").returncode == 0
    return "first", "[bold]"


def test_a_place_that_cannot_be_written_is_nothing_to_go_on_with(cli: Cli, here: Path) -> None:
    (here / "file").write_text("")
    refused = cli(
        "run", "--agents", 5, "--rounds", 1, "--recommender", "popular", "--out", "file/x"
    )
    assert refused.returncode == 2
    assert "file/x could not be written" in refused.stderr
    assert "audience resume" not in refused.stderr


def test_a_budget_that_is_no_amount_is_refused_whoever_decides(cli: Cli, here: Path) -> None:
    refused = cli("run", "--agents", 5, "--rounds", 1, "--budget", "2euro", "--out", "x")
    assert refused.returncode == 2
    assert "--budget '2euro' is not an amount such as 2usd" in refused.stderr
    assert not (here / "x").exists()


def test_ctrl_c_while_the_report_is_written_loses_nothing(
    cli: Cli, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        signal.raise_signal(signal.SIGINT)
        raise KeyboardInterrupt  # where a worker of the tests has taken the signal

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


MUDDLED = """
from audience.memory import Recollection
from audience.world import events as e

class Muddled:
    async def recall(self, me, cue, now, limit):
        return Recollection()

    async def consolidate(self, life, dice):
        who = life.me.profile.id
        whys = ["too few memories"] + ["importance out of range"] * (who == 0)
        return [e.Entry(e.Failed(who, f"memory: {why}")) for why in whys]
"""
MUDDLE = ("--agents", 8, "--rounds", 3, "--memory", "mine.py:Muddled", "--no-report")


def test_what_memories_could_not_use_is_told_by_what_was_wrong(cli: Cli, here: Path) -> None:
    (here / "mine.py").write_text(MUDDLED)
    plain = cli("run", *MUDDLE, "--recommender", "popular", "--out", "one")
    (line,) = (line for line in plain.stdout.splitlines() if line.startswith("memory: "))
    found = json.loads(
        cli("run", *MUDDLE, "--recommender", "popular", "--out", "two", "--json").stdout
    )
    problems = found["memory_problems"]
    few, odd = problems["too few memories"], problems["importance out of range"]
    assert few > odd > 0
    assert line == f"memory: {few} × too few memories, {odd} × importance out of range"
    assert found["failed"] == 0
    again = json.loads(cli("resume", "two", "--rounds", 4, "--no-report", "--json").stdout)
    assert again["memory_problems"]["too few memories"] > few


def test_problems_of_several_runs_are_added(cli: Cli, here: Path) -> None:
    (here / "mine.py").write_text(MUDDLED)
    arms = ("--recommender", "popular", "--recommender", "random", "--seeds", 1)
    found = json.loads(cli("run", *MUDDLE, *arms, "--out", "both", "--json").stdout)
    each = [one["memory_problems"]["too few memories"] for one in found["runs"]]
    assert found["memory_problems"]["too few memories"] == sum(each) > 0


def test_where_all_went_well_nothing_is_said_of_memory(cli: Cli, one: Path) -> None:
    told = cli("resume", one, "--no-report")
    assert "memory:" not in told.stdout
    assert json.loads(cli("resume", one, "--no-report", "--json").stdout)["memory_problems"] == {}
