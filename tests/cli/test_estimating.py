from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

Cli = Callable[..., CompletedProcess[str]]
SMALL = ("--agents", 6, "--rounds", 2, "--seeds", 1, "--recommender", "popular", "--estimate")


def test_the_ways_of_a_memory_stand_side_by_side(cli: Cli, here: Path) -> None:
    told = cli("run", "--mind", "llm", "--memory", "recagent", *SMALL).stdout
    assert "fused (chosen)" in told
    assert told.count("faithful") == 3  # prompting, memory, and the remark
    assert "Reflections fall due later" in told
    found = json.loads(cli("run", "--mind", "llm", "--memory", "recagent", *SMALL, "--json").stdout)
    assert set(found) == {"fused", "faithful", "memory"}
    assert found["memory"]["chosen"] == "fused"
    ways = found["memory"]["ways"]
    calls = [ways[way]["memory_calls"] for way in ("rule", "fused", "faithful")]
    assert calls == sorted(calls)
    assert calls[0] == 0.0 < calls[1]


def test_without_a_memory_there_is_nothing_to_say_of_it(cli: Cli, here: Path) -> None:
    told = cli("run", "--mind", "llm", *SMALL).stdout
    assert "memory" not in told
    assert list(here.iterdir()) == []
