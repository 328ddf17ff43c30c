"""The example package is installed as any other, and its parts are found by name and run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "examples" / "plugin"
SCENARIO = """
agents = 40
rounds = 3
dataset = "walks"
mind = "first-item"
memory = "last-rounds"
recommender = { kind = "tags", explore = 0.1 }
"""
CONFORMS = """
import audience.testing as suite
import audience_example as parts

suite.check_recommender(parts.TagLover(explore=0.5))
suite.check_mind(parts.FirstItem())
suite.check_memory(parts.LastRounds())
suite.check_dataset(parts.Walks(), people=(1, 17))
suite.check_metric(parts.Searches)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which the package is installed."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("site")
    offline = ["--no-deps", "--no-index", "--no-build-isolation", "--target", str(folder)]
    run(folder, "-m", "pip", "--quiet", "install", *offline, str(PACKAGE))
    return folder


def run(site: Path, *words: str, cwd: Path | None = None) -> str:
    ended = subprocess.run(
        [sys.executable, *words],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_the_parts_conform(site: Path) -> None:
    run(site, "-c", CONFORMS)


def test_a_scenario_names_the_parts_by_kind(site: Path, tmp_path: Path) -> None:
    (tmp_path / "scenario.toml").write_text(SCENARIO, "utf-8")
    words = ("run", "scenario.toml", "--out", "walks", "--no-report")
    assert "tags: " in run(site, "-m", "audience", *words, cwd=tmp_path)
    run(site, "-m", "audience", "export", "walks", "--to", "metrics", cwd=tmp_path)
    (metrics,) = tmp_path.glob("walks/**/metrics.csv")
    assert "searches" in metrics.read_text("utf-8")
    story = run(site, "-m", "audience", "show", "walks", "--lines", "0", cwd=tmp_path)
    assert "Walk " in story


@pytest.mark.slow
def test_the_study_is_listed_and_answers(site: Path, tmp_path: Path) -> None:
    assert "tags-or-popular" in run(site, "-m", "audience", "study", "list", cwd=tmp_path)
    words = ("study", "tags-or-popular", "--quick", "--workers", "1", "--out", "found")
    assert "People pick most with" in run(site, "-m", "audience", *words, cwd=tmp_path)
