"""The command line called in this interpreter or in one of its own, and runs to call it on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess, Popen

import pytest

import audience
from audience.cli import main
from audience.lab.evaluation import contest
from audience.runs import conduct, start
from audience.scenario import Scenario, parse
from audience.world import rng

Cli = Callable[..., CompletedProcess[str]]

SMALL = """
agents = 60
rounds = 4
recommender = "popular"
[run]
wave = 10
"""


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str]) -> Cli:
    """Return a function that calls a command and gives its exit code and what it wrote."""

    def call(*arguments: object) -> CompletedProcess[str]:
        capfd.readouterr()
        words = [str(one) for one in arguments]
        with pytest.raises(SystemExit) as stopped:
            main(words)
        out, err = capfd.readouterr()
        assert isinstance(stopped.value.code, int)
        return CompletedProcess(words, stopped.value.code, out, err)

    return call


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def begin() -> Iterator[Callable[..., Popen[str]]]:
    """Give a function that starts a command in a process of its own; none outlives the test."""
    source = str(Path(audience.__file__).parents[1])
    children: list[Popen[str]] = []

    def start_one(folder: Path, *arguments: object) -> Popen[str]:
        child = Popen(
            [sys.executable, "-m", "audience", *(str(one) for one in arguments)],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": source, "COLUMNS": "200"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        children.append(child)
        return child

    yield start_one
    for child in children:
        child.kill()
        child.communicate()


@pytest.fixture(scope="session")
def small() -> Scenario:
    return parse(SMALL)


@pytest.fixture(scope="session")
def _lived(tmp_path_factory: pytest.TempPathFactory, small: Scenario) -> Path:
    folder = tmp_path_factory.mktemp("lived") / "one"
    start(small, 1, folder)
    return folder


@pytest.fixture
def one(_lived: Path, here: Path) -> Path:
    """A finished run of four rounds in the present folder."""
    shutil.copytree(_lived, here / "one")
    return Path("one")


@pytest.fixture(scope="session")
def _conducted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("conducted") / "both"
    arms = '[arms.random]\nrecommender = "random"\n[arms.popular]\nrecommender = "popular"\n'
    conduct(parse(f"agents = 40\nrounds = 2\nseeds = 2\n{arms}"), folder)
    return folder


@pytest.fixture
def both(_conducted: Path, here: Path) -> Path:
    """A finished experiment, two arms by two seeds, in the present folder."""
    shutil.copytree(_conducted, here / "both")
    return Path("both")


@pytest.fixture
def without_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the baseline that takes longest, as where its package is not installed."""
    monkeypatch.setattr(contest, "has_trees", lambda: False)


@pytest.fixture(scope="session")
def walkers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write 40 people who walk along a ring of 60 items."""
    folder = tmp_path_factory.mktemp("walkers")
    items = [f"i{n},Film {n},{'Drama' if n < 30 else 'War'},{1980 + n % 20}" for n in range(60)]
    (folder / "items.csv").write_text("id,title,tags,year\n" + "\n".join(items) + "\n")
    (folder / "people.csv").write_text("id\n" + "\n".join(f"p{n}" for n in range(40)) + "\n")
    rows = ["person,item,at,stars"]
    for person in range(40):
        draws = rng(5, "walk", person)
        place = int(draws.integers(60))
        for step in range(24):
            stars = int(draws.integers(1, 6))
            rows.append(f"p{person},i{(place + step) % 60},2020-01-{step + 1:02d},{stars}")
    (folder / "interactions.csv").write_text("\n".join(rows) + "\n")
    return folder
