"""That mypy objects when somebody who was given a View changes the world."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

READS = """
from audience.world import View

def look(world: View) -> float:
    agents = [agent.satisfaction for agent in world.agents]
    return sum(agents) + world.round + len(world.graph.neighbours(0)) + len(world.catalogue)
"""
CHANGES = """
from audience.world import View
from audience.world.events import RoundEnded

def meddle(world: View) -> None:
    world.apply(RoundEnded(1))
    world.round = 3
    world.agents[0] = world.agents[1]
    world.agents[0].visits = 7
    world.graph.add(0, 1, "friend", 1.0)
    world.graph.cut(0, 1)
    world.silent = frozenset({1})
    world.outbox.clear()
    world.catalogue = world.genesis.catalogue
    world.agents[0].profile.name = "x"
"""
ACCEPTS = """
from audience.world import View, World

def given(world: World) -> View:
    return world
"""


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What mypy says of both snippets, looked at together: it is slow to begin."""
    folder = tmp_path_factory.mktemp("snippets")
    snippets = folder / "sound.py", folder / "meddling.py"
    for snippet, text in zip(snippets, (READS + ACCEPTS, CHANGES), strict=True):
        snippet.write_text(text)
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--config-file",
            "",
            "--cache-dir",
            str(folder),
            *map(str, snippets),
        ],
        cwd=root / "src",
        capture_output=True,
        text=True,
        check=False,
    )
    return [line for line in done.stdout.splitlines() if str(folder.name) in line]


@pytest.mark.slow
def test_a_view_can_be_read_and_a_world_is_one(complaints: list[str]) -> None:
    assert [line for line in complaints if "sound.py" in line] == []


@pytest.mark.slow
def test_every_attempt_to_change_a_view_is_rejected(complaints: list[str]) -> None:
    lines = [number for number, line in enumerate(CHANGES.splitlines(), 1) if line[:4] == "    "]
    assert len(lines) == 10
    for line in lines:
        place = f"meddling.py:{line}: error"
        assert any(place in one for one in complaints), CHANGES.splitlines()[line - 1]
