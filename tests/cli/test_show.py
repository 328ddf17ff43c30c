from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

from audience.log import Log
from audience.world import Watched

Cli = Callable[..., CompletedProcess[str]]


def test_the_story_is_told_up_to_a_number_of_lines(cli: Cli, one: Path) -> None:
    told = cli("show", one, "--lines", 5)
    lines = told.stdout.splitlines()
    assert lines[0] == "Round 1, 2025-01-01 00:00"
    assert len(lines) == 6
    assert "--lines 0" in lines[-1]
    assert "sqlite3 one/run.db" in lines[-1]


def test_the_whole_story_tells_each_round_and_each_film_watched(cli: Cli, one: Path) -> None:
    told = cli("show", one, "--lines", 0).stdout
    with Log.open(one) as log:
        watched = sum(isinstance(record.event, Watched) for record in log.records())
    assert len(re.findall(r"\] watched .* \(\d+%\)", told)) == watched
    assert [f"Round {number}," in told for number in range(1, 6)] == [True] * 4 + [False]
    assert "Round 3," not in cli("show", one, "--lines", 0, "--at", 2).stdout


def test_a_person_is_introduced_and_only_its_own_life_is_told(cli: Cli, one: Path) -> None:
    with Log.open(one) as log:
        who = next(r.event.agent for r in log.records() if isinstance(r.event, Watched))
        name = log.genesis().profiles[who].name
    told = cli("show", one, "--agent", who, "--lines", 0).stdout
    assert f"name          {name}" in told
    assert "interests" in told
    assert f"{name} [{who}] comes" in told
    found = json.loads(cli("show", one, "--agent", who, "--json").stdout)
    assert (found["id"], found["name"], found["at"]) == (who, name, "end of round 4")
    earlier = json.loads(cli("show", one, "--agent", who, "--at", 0, "--json").stdout)
    assert earlier["visits"] == 0 < found["visits"]


def test_json_holds_the_story(cli: Cli, one: Path) -> None:
    found = json.loads(cli("show", one, "--json").stdout)
    assert found["run"] == "one"
    assert found["story"][0] == "Round 1, 2025-01-01 00:00"


def test_a_stranger_is_refused(cli: Cli, one: Path) -> None:
    refused = cli("show", one, "--agent", 60)
    assert refused.returncode == 2
    assert "--agent 60: people are numbered from 0 to 59" in refused.stderr
