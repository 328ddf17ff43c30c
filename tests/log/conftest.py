from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import audience.log
from audience.log import Log
from audience.world import (
    Catalogue,
    Chapter,
    Entry,
    Genesis,
    Item,
    Profile,
    Ties,
    changes as c,
    events as e,
    rank,
)

PEOPLE = 8


@pytest.fixture
def genesis() -> Genesis:
    items = tuple(Item(n, f"item {n}", tags=("a", "b")[: 1 + n % 2]) for n in range(6))
    profiles = tuple(Profile(n, f"p{n}", interests=("a",)) for n in range(PEOPLE))
    firsts = list(range(PEOPLE))
    ties = Ties.of(PEOPLE, firsts, [(n + 1) % PEOPLE for n in firsts], [0] * PEOPLE, [0.5] * PEOPLE)
    return Genesis(Catalogue(items), profiles, ties)


def visit(round_: int, agent: int) -> Chapter:
    item = (round_ + agent) % 6
    events: tuple[e.AnyEvent, ...] = (
        e.Woke(agent, 1000 * round_ + agent),
        e.SlateShown(agent, (item, (item + 1) % 6), 0),
        e.Picked(agent, item, 0),
        e.Watched(agent, item, 0.75),
        e.Rated(agent, item, 1 + agent % 5),
        e.Followed(agent, (agent + 1 + round_) % PEOPLE),
        e.Left(agent, 0.5, "enough “films”"),
    )
    entries = tuple(Entry(event, "why not", ("call",)) for event in events)
    return Chapter(round_, e.VISITS, rank(7, "visit", agent, round_), agent, entries)


def opening(round_: int) -> Chapter:
    first: tuple[e.AnyEvent, ...] = (e.RunStarted(7, "g", 0.2),) if round_ == 1 else ()
    added = Profile(PEOPLE, "new")
    change: tuple[e.AnyEvent, ...] = (
        (e.Intervened(c.AddPerson(added, (1,))),) if round_ == 2 else ()
    )
    events = (*first, e.RoundStarted(round_, 1000 * round_), *change)
    return Chapter(round_, e.OPENING, 0, -1, tuple(Entry(event) for event in events))


def closing(round_: int) -> Chapter:
    return Chapter(round_, e.CLOSING, 0, -1, (Entry(e.RoundEnded(round_)),))


def story_of(rounds: int) -> list[Chapter]:
    """Return whole rounds in the order of their arrival, which is not the canonical one."""
    told: list[Chapter] = []
    for round_ in range(1, rounds + 1):
        awake = range(PEOPLE) if round_ % 2 else range(0, PEOPLE, 2)
        told += [opening(round_), *(visit(round_, agent) for agent in awake), closing(round_)]
    return told


@pytest.fixture
def story() -> Callable[[int], list[Chapter]]:
    return story_of


@pytest.fixture
def run(tmp_path: Path, genesis: Genesis) -> Callable[[int], Path]:
    """Return a function that makes a finished run of so many rounds and says where it is."""

    def make(rounds: int) -> Path:
        folder = tmp_path / "run"
        with Log.create(folder, genesis, "agents = 8\n", 7) as log:
            for chapter in story_of(rounds):
                log.append(chapter)
            log.commit()
            log.set_state("finished")
        return folder

    return make


@pytest.fixture
def start() -> Callable[[str, Path], subprocess.Popen[str]]:
    """Return a function that starts Python in a folder, with this package importable."""
    source = str(Path(audience.log.__file__).parents[2])

    def begin(script: str, folder: Path) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", script],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": source, "PYTHONDONTWRITEBYTECODE": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return begin
