"""Runs by own clocks on disk: killed, resumed, branched, replayed, exported, told and shown."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import audience
from audience.log import Log, talks_upto, world_at
from audience.runs import branch, resume, start
from audience.runs.exports import COLUMNS, interactions
from audience.runs.measures import measured_log
from audience.scenario import Scenario, parse
from audience.world import World, events as e

SCENARIO = """
agents = 40
rounds = 12
recommender = "item-knn"
memory = "recagent"
[mind]
kind = "rule"
talkative = 1.0
[time]
visits = 10
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nobody stopped."""
    folder = tmp_path_factory.mktemp("clocks") / "whole"
    start(scenario(), 1, folder)
    return folder


def scenario(text: str = SCENARIO) -> Scenario:
    return parse(text)


def digest(folder: Path) -> str:
    with Log.open(folder) as log:
        assert log.verify() == []
        return log.digest()


KILLED = """
import os, signal, sys
from pathlib import Path
from audience.log import Log
from audience.runs import resume, start
from audience.scenario import parse
left = [int(sys.argv[2])]
commit = Log.commit
def killed(self):
    commit(self)
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
Log.commit = killed
folder = Path(sys.argv[1])
resume(folder) if folder.exists() else start(parse(sys.stdin.read()), 1, folder)
"""


def test_killed_inside_rounds_and_resumed_it_is_the_same_run(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    environment = {**os.environ, "PYTHONPATH": str(Path(audience.__file__).parents[1])}
    for commits in (5, 9):
        words = [sys.executable, "-c", KILLED, str(folder), str(commits)]
        child = subprocess.run(
            words, input=SCENARIO, text=True, env=environment, capture_output=True, check=False
        )
        assert child.returncode == -signal.SIGKILL, child.stderr
    with Log.open(folder) as log:
        last = log.complete_rounds()
        assert log.partial(last + 1), "it was to be killed inside a round"
    resume(folder)
    assert digest(folder) == digest(whole)


def test_a_snapshot_knows_when_everybody_came(whole: Path) -> None:
    with Log.open(whole) as log:
        restored = world_at(log, 11)
        folded = World(log.genesis())
        for chapter in log.chapters(end_round=12):
            for entry in chapter.entries:
                folded.apply(entry.event)
    assert restored.came_at.tolist() == folded.came_at.tolist()
    assert list(restored.agents) == list(folded.agents)


@pytest.mark.parametrize("at", [3, 10])
def test_a_branch_without_changes_is_its_parent(whole: Path, tmp_path: Path, at: int) -> None:
    branch(whole, tmp_path / "branch", at)
    resume(tmp_path / "branch")
    assert digest(tmp_path / "branch") == digest(whole)


def test_workers_give_the_same_run(whole: Path, tmp_path: Path) -> None:
    start(scenario(), 1, tmp_path / "two", workers=2)
    assert digest(tmp_path / "two") == digest(whole)


def test_exports_have_the_moments_of_visits_and_name_each_page_once(whole: Path) -> None:
    with Log.open(whole) as log:
        rows: list[dict[str, Any]] = [
            dict(zip(COLUMNS, row, strict=True)) for row in interactions(log, exposures=True)
        ]
        clock = log.genesis().clock
        came = {
            (entry.event.at, chapter.round)
            for chapter in log.chapters(phase=e.VISITS)
            for entry in chapter.entries
            if isinstance(entry.event, e.Woke)
        }
    assert {(row["at"], row["round"]) for row in rows} <= came
    assert all(clock.at(row["round"]) <= row["at"] < clock.at(row["round"], 1.0) for row in rows)
    places = Counter((row["exposure"], row["position"]) for row in rows)
    assert max(places.values()) == 1


def test_metrics_count_every_visit(whole: Path) -> None:
    with Log.open(whole) as log:
        visits = list(log.chapters(phase=e.VISITS))
        totals = measured_log(log, scenario()).value()
        assert talks_upto(log, 12) > 0
    assert totals["visits"] == len(visits) == pytest.approx(40 * 10 * 12 / 7, rel=0.3)
    assert len({(one.round, one.agent) for one in visits}) < len(visits)
    assert 1.0 <= totals["exit_page"] <= 5.0
