from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from audience.lab.evaluation import AnswerStore, Case, Real, arenas, baseline_contestants, play
from audience.lab.evaluation.baselines import Ground, PopularityBaseline
from audience.lab.evaluation.cases import Contestant, TaskSet
from audience.lab.evaluation.contest import (
    Entrant,
    StoredAnswers,
    made_on,
    task_digest,
)
from audience.lab.evaluation.mixes import BOOSTED, CONTENT_MIX, MIX
from audience.llm import Counts
from audience.world import Floats


class Counting:
    """Answers by item id, counts how often it is asked and says what it spent."""

    name = "counting"

    def __init__(self) -> None:
        self.asked = 0
        self.spent = Counts()

    async def score(self, cases: Sequence[Case]) -> Sequence[Floats]:
        self.asked += len(cases)
        self.spent = Counts(calls=len(cases), prompt=10 * len(cases))
        return [np.array(case.candidates, np.float64) for case in cases]


def entry(contestant: Counting, recipe: str = "") -> Entrant:
    async def make(ground: Ground) -> Contestant:
        return contestant

    return Entrant(contestant.name, make, "mind", recipe, practises=False)


def arena(ring: Real) -> TaskSet:
    return arenas(ring, shapes=((1, 5),), agents=10)[0]


def test_what_was_answered_is_kept_and_not_asked_again(ring: Real, tmp_path: Path) -> None:
    one = Counting()
    first = asyncio.run(play(arena(ring), [entry(one)], AnswerStore(tmp_path), mixes=False))
    assert one.asked == 20
    second = asyncio.run(play(arena(ring), [entry(one)], AnswerStore(tmp_path), mixes=False))
    assert one.asked == 20
    key = ("counting", "uniform (1,5)")
    assert second.answers[key].spent == first.answers[key].spent == Counts(calls=10, prompt=100)
    for old, new in zip(first.answers[key].scores, second.answers[key].scores, strict=True):
        assert np.array_equal(old, new)


def test_another_recipe_or_other_cases_are_asked_anew(ring: Real, tmp_path: Path) -> None:
    one, keeper = Counting(), AnswerStore(tmp_path)
    asyncio.run(play(arena(ring), [entry(one)], keeper, mixes=False))
    asyncio.run(play(arena(ring), [entry(one, "another model")], keeper, mixes=False))
    assert one.asked == 40
    asyncio.run(
        play(
            arenas(ring, shapes=((1, 5),), agents=10, seed=2)[0], [entry(one)], keeper, mixes=False
        )
    )
    assert one.asked == 60


def test_a_damaged_file_counts_as_none(ring: Real, tmp_path: Path) -> None:
    one, keeper = Counting(), AnswerStore(tmp_path)
    asyncio.run(play(arena(ring), [entry(one)], keeper, mixes=False))
    [first, *_] = sorted((tmp_path / "scores").iterdir())
    first.write_bytes(first.read_bytes()[:40])
    asyncio.run(play(arena(ring), [entry(one)], keeper, mixes=False))
    assert one.asked == 30


def test_one_task_finished_before_a_stop_is_not_asked_again(ring: Real, tmp_path: Path) -> None:
    class Stopped(Counting):
        async def score(self, cases: Sequence[Case]) -> Sequence[Floats]:
            if self.asked:
                raise KeyboardInterrupt
            return await super().score(cases)

    stopped, keeper = Stopped(), AnswerStore(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(play(arena(ring), [entry(stopped)], keeper, mixes=False))
    one = Counting()
    asyncio.run(play(arena(ring), [entry(one)], keeper, mixes=False))
    assert one.asked == 10, "the other task alone"


def test_mixes_come_from_all_baselines(ring: Real) -> None:
    found = asyncio.run(play(arena(ring), baseline_contestants(), AnswerStore(None)))
    for label in (MIX, CONTENT_MIX, BOOSTED):
        assert (label, "matched (1,5)") in found.answers
        assert (label, "matched (1,5)") in found.practice
    assert ("random", "uniform (1,5)") not in found.practice


def test_a_contestant_is_fitted_once_on_one_ground(ring: Real) -> None:
    made = 0

    async def make(ground: Ground) -> Contestant:
        nonlocal made
        made += 1
        return PopularityBaseline(ground)

    ground = Ground(arena(ring).lives, 1)
    for _ in range(3):
        asyncio.run(made_on(ground, Entrant("popularity", make)))
    assert made == 1


def test_unreadable_answers_are_counted() -> None:
    good, bad = np.array([1.0, 2.0]), np.array([np.nan, np.nan])
    assert StoredAnswers([good, bad, bad]).unreadable == 2


def test_the_digest_knows_the_training_part_and_the_cases(ring: Real) -> None:
    one, other = arena(ring), arenas(ring, shapes=((1, 5),), agents=11)[0]
    digest = task_digest(one.tasks[0], one.lives)
    assert digest == task_digest(arena(ring).tasks[0], one.lives)
    assert digest != task_digest(one.tasks[0], one.before)
    assert digest != task_digest(other.tasks[0], one.lives)


def test_costs_that_are_not_known_are_not_told_as_nothing() -> None:
    assert Counts().cost == "$0"
    assert Counts(dollars=0.5).plus(Counts(dollars=0.25)).cost == "$0.7500"
    assert "2 calls without a known price" in Counts(unpriced=2).cost


def test_everything_is_answered_anew_where_that_is_wanted(ring: Real, tmp_path: Path) -> None:
    one = Counting()
    for fresh in (False, True, False):
        keeper = AnswerStore(tmp_path, fresh=fresh)
        asyncio.run(play(arena(ring), [entry(one)], keeper, mixes=False))
    assert one.asked == 40
