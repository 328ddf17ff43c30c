"""What processes answer and walk beside each other is what one process does alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from audience.lab.evaluation import (
    AnswerStore,
    ContestAnswers,
    ContestSource,
    TaskSet,
    answered_by,
    arena_of,
    arenas,
    baseline_contestants,
    baseline_raters,
    contest,
    contest_pieces,
    done_in,
    generation_pieces,
    mind_contestants,
    mind_raters,
    paths_of,
    play,
    read_parts,
    read_real,
    splits_of,
    steps_done,
    walked,
    walked_by,
)
from audience.lab.evaluation.contest import Entrant, StoredAnswers
from audience.lab.evaluation.contest_pieces import only_task, rules_without_model
from audience.lab.evaluation.language import CHOOSE, RATINGS, STEP, TASTE
from audience.lab.evaluation.mixes import BOOSTED
from audience.runs import Pool, pool_of

Answers = dict[tuple[str, str], StoredAnswers]
KINDS = ("rule",)
"""Quick to fit; raters are grounded."""
TASKS = {"discrimination": "matched (3,3)", "taste": "1:3", "ratings": "random split"}


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with pool_of(2) as made:
        yield made


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory, written: Callable[..., Path]) -> Path:
    return written(tmp_path_factory.mktemp("ring"), 30, 24)


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Share out one task of each contest; trees take longest, and stay in the other processes."""
    monkeypatch.setattr(contest_pieces, "_TASKS", {name: (one,) for name, one in TASKS.items()})
    monkeypatch.setattr(contest, "has_trees", lambda: False)


def source(evaluation: str, data: Path, *kinds: str) -> ContestSource:
    return ContestSource(evaluation, str(data), kinds, 12)


def discrimination(data: Path) -> tuple[list[TaskSet], list[Entrant]]:
    real = read_real(data)
    minds = mind_contestants(KINDS, rules_without_model(CHOOSE, real, 1))
    return arenas(real, agents=12), [*baseline_contestants(), *minds]


def taste(data: Path) -> tuple[list[TaskSet], list[Entrant]]:
    parted = read_parts(data, None, 1)
    rules = rules_without_model(TASTE, parted.real, 1, "spread")
    minds = mind_contestants(KINDS, rules, practises=True)
    return [arena_of(parted, agents=12)], [*baseline_contestants(), *minds]


def ratings(data: Path) -> tuple[list[TaskSet], list[Entrant]]:
    real = read_real(data)
    minds = mind_raters(["grounded"], rules_without_model(RATINGS, real, 1))
    return [split.arena for split in splits_of(real, agents=12)], [*baseline_raters(), *minds]


def check_equal(some: Answers, whole: Answers) -> None:
    """Compare some answers, to the last bit, with those of one process."""
    for key, stored in some.items():
        pairs = zip(stored.scores, whole[key].scores, strict=True)
        assert all(np.array_equal(one, other, equal_nan=True) for one, other in pairs), key


@pytest.mark.parametrize("make", [discrimination, taste, ratings])
def test_processes_answer_what_one_answers_alone(
    make: Callable[[Path], tuple[list[TaskSet], list[Entrant]]], pool: Pool, data: Path
) -> None:
    name, rates = make.__name__, make is ratings
    asked = source(name, data, "grounded" if rates else "rule")
    computed = answered_by(pool, asked, lambda rounds, runs: None, lambda: False)
    sets, entries = make(data)
    (whole,) = (one for one in sets if TASKS[name] in [task.name for task in one.tasks])
    arena = only_task(whole, TASKS[name])
    place = [task.name for task in whole.tasks].index(TASKS[name])
    assert arena.tasks == whole.tasks[place : place + 1]
    assert arena.practice == whole.practice[place : place + 1]
    done = done_in(arena, computed)
    alone, given = (
        asyncio.run(play(arena, entries, AnswerStore(None), mixes=not rates, done=each))
        for each in (None, done)
    )
    without_trees(done)
    assert done.answers.keys() == alone.answers.keys()
    assert done.practice.keys() == alone.practice.keys()
    for side in (done, given):
        check_equal(side.answers, alone.answers)
        check_equal(side.practice, alone.practice)
    assert list(given.answers) == list(alone.answers)
    assert all(given.answers[key] is done.answers[key] for key in done.answers), "not done twice"


def without_trees(done: ContestAnswers) -> None:
    for answers in (done.answers, done.practice):
        for key in [key for key in answers if key[0] == BOOSTED]:
            del answers[key]


def test_processes_walk_as_one_does_alone(
    pool: Pool, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces = [(5, "mixes"), (5, "rule"), (5, "recsim")]
    monkeypatch.setattr(generation_pieces, "walk_pieces", lambda source: pieces)
    asked = source("generation", data, "rule")
    found = walked_by(pool, asked, lambda rounds, runs: None, lambda: False)
    real = read_real(data)
    (path,) = paths_of(real, agents=12, only=5)
    minds = mind_contestants(["rule"], rules_without_model(STEP, real, 1))
    entries = [*baseline_contestants(), *minds]
    done = steps_done(path, found)
    alone, given = (
        asyncio.run(walked(path, entries, entries, AnswerStore(None), done=each))
        for each in (None, done)
    )
    assert set(done.ways) == {"logistic mix", "boosted mix", "rule", "recsim"}
    for name in set(done.ways) - {BOOSTED}:
        pairs = zip(done.ways[name].scores, alone.ways[name].scores, strict=True)
        assert all(np.array_equal(one, other) for one, other in pairs)
    assert given.ways.keys() == alone.ways.keys()
    check_equal(given.played.answers, alone.played.answers)
