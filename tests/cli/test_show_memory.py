from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from audience.testing.worlds import WHO, remembered

Cli = Callable[..., CompletedProcess[str]]


@pytest.fixture
def run(here: Path) -> Path:
    return remembered(here / "run")


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")


def told(cli: Cli, run: Path, *more: object) -> str:
    return cli("show", run, "--agent", WHO, "--memory", *more).stdout


def test_three_stores_and_what_was_lost(cli: Cli, run: Path) -> None:
    lines = [line.rstrip() for line in told(cli, run).splitlines()]
    assert max(map(len, lines)) <= 100
    heads = [line for line in lines if line[:1].isalpha()]
    assert heads == [
        "Person 1 [1] at the end of round 5 (2025-01-06 00:00), memory recagent",
        "imp.: importance, 0 to 1; recency: 1 when it came to mind just now",
        "Sensory: 1 observed in round 4, 1 kept",
        "Short-term: 2, room for 10",
        "Long-term: 3",
        "Lost: 1 faded, 1 crowded out, 2 merged, 1 never kept",
        "Reflection: importance 0.00 gathered since the last one; the next is due at 4.",
    ]
    assert any("#2" in line and "0.81  0.55     0/2" in line for line in lines)
    assert any("from #7 (faded): I loved thing 7." in line for line in lines)
    assert any("#5" in line and "merged into #9" in line for line in lines)


def test_an_earlier_round_shows_who_enhanced_whom(cli: Cli, run: Path) -> None:
    second = told(cli, run, "--at", 2)
    assert "Long-term: 2" in second
    assert "from #3 (crowded out): I loved thing 3." in second
    assert "importance 1.44 gathered" in second
    assert "1 never kept" in second
    assert "gone" in told(cli, run, "--at", 1)
    assert "nothing was observed yet" in told(cli, run, "--at", 0)


def test_few_lines_are_the_newest(cli: Cli, run: Path) -> None:
    short = told(cli, run, "--lines", 1)
    assert "… 3 older; all with --lines 0" in short
    assert "crowded out  " not in short


def test_json_and_chart(cli: Cli, run: Path, here: Path) -> None:
    found = json.loads(told(cli, run, "--json"))
    assert found["counts"]["long"] == len(found["long"]) == 3
    assert told(cli, run, "--chart", "forgetting.png").strip() == "forgetting.png"
    assert (here / "forgetting.png").read_bytes().startswith(b"\x89PNG")


def test_agent4rec_s_memory_is_told_by_its_own_parts(cli: Cli, here: Path) -> None:
    run = here / "felt"
    (here / "felt.toml").write_text('agents = 6\nrounds = 3\nmemory = "agent4rec"\n')
    assert cli("run", "felt.toml", "--no-report", "--out", run).returncode == 0
    for who in range(3):
        lines = cli("show", run, "--agent", who, "--memory").stdout.splitlines()
        heads = [line.partition(":")[0] for line in lines if line[:1].isalpha()]
        assert heads[2:4] == ["Factual", "Emotional"]
        assert not {"Sensory", "Short-term", "Long-term", "Lost", "Reflection"} & set(heads)


def test_mistakes_have_a_remedy(cli: Cli, run: Path, one: Path) -> None:
    for flags, wanted in (
        (("--memory",), "give --agent ID --memory"),
        (("--agent", 1, "--chart", "a.png"), "give --agent ID --memory"),
        (("--agent", 1, "--memory", "--chart", "a.jpg"), "'jpg' is unknown"),
        (("--agent", 9, "--memory"), "numbered from 0 to 3"),
    ):
        refused = cli("show", run, *flags)
        assert refused.returncode == 2
        assert wanted in refused.stderr
    refused = cli("show", one, "--agent", 1, "--memory")
    assert "nobody has a memory; run with --memory recagent" in refused.stderr
