from __future__ import annotations

import numpy as np
import pytest

from audience.lab.evaluation import Case, ContestAnswers, TaskSet
from audience.lab.evaluation.cases import Task, lives_of
from audience.lab.evaluation.contest import StoredAnswers
from audience.lab.probing.choice_calibration import (
    BY_CHANCE,
    PART,
    bins_of,
    calibration_of,
    chances_in,
    expected_error,
)
from audience.results import reliability_figure
from audience.world import Catalogue, Floats, Item, rng


def chosen(people: int, size: int, a: int, sharpness: float) -> tuple[list[Case], list[Floats]]:
    """Return people who take `a` items by known log-odds, which are told `sharpness` times."""
    cases, scores = [], []
    for user in range(people):
        draws = rng(9, "calibration", user)
        odds = draws.normal(0.0, 1.5, size)
        order = np.argsort(-(odds + draws.gumbel(size=size)))
        truth = np.zeros(size, np.bool_)
        truth[order[:a]] = True
        cases.append(Case(user, (0,), tuple(range(size)), tuple(truth.tolist())))
        scores.append(odds * sharpness)
    return cases, scores


def played(cases: list[Case], scores: list[Floats]) -> ContestAnswers:
    from audience.lab.evaluation import Real

    empty = np.empty(0, np.int64)
    real = Real("x", Catalogue((Item(0, "A"),)), 1, empty, empty, empty, np.empty(0))
    lives = lives_of(real, empty)
    arena = TaskSet("x", lives, (Task("uniform (1,5)", tuple(cases)),), lives, ())
    return ContestAnswers(arena, {("tuned", "uniform (1,5)"): StoredAnswers(scores)}, {})


def test_chances_and_choices_add_up_to_one_in_every_case() -> None:
    cases, scores = chosen(20, 6, 3, 1.0)
    scores[4] = np.full(6, np.nan)
    given = chances_in(cases, scores)
    assert given.unreadable == 1
    for number in range(19):
        mine = given.cases == number
        assert given.chances[mine].sum() == pytest.approx(1.0)
        assert given.happened[mine].sum() == pytest.approx(1.0)


def test_a_calibrated_model_has_the_error_of_chance_and_an_overconfident_one_more() -> None:
    good = calibration_of([played(*chosen(600, 6, 1, 1.0))], "tuned", 1)
    sure = calibration_of([played(*chosen(600, 6, 1, 3.0))], "tuned", 1)
    errors = [next(row for row in each.rows if row.part == PART) for each in (good, sure)]
    assert errors[0].value is not None
    assert errors[0].chance is not None
    assert errors[0].value < 2.0 * errors[0].chance
    assert errors[1].value is not None
    assert errors[1].low is not None
    assert errors[1].low > 3.0 * errors[0].chance
    assert errors[0].count == 600


def test_bins_say_what_happened_where_the_model_said_so_much() -> None:
    found = calibration_of([played(*chosen(600, 6, 1, 1.0))], "tuned", 1)
    rows = [row for row in found.rows if row.part == BY_CHANCE]
    assert len(rows) == 10
    within = [
        row.low <= row.chance <= row.high
        for row in rows
        if row.low is not None and row.high is not None and row.chance is not None
    ]
    assert sum(within) >= 8
    assert sum(row.count for row in rows) == 3_600
    assert [each.predicted for each in found.bins["uniform (1,5)"]] == [row.chance for row in rows]
    assert len(reliability_figure(found.bins).axes) >= 1


def test_the_error_is_weighed_by_the_size_of_bins() -> None:
    chances = np.array([0.1, 0.1, 0.1, 0.9])
    happened = np.array([0.0, 0.0, 1.0, 0.9])
    places = np.array([0, 0, 0, 1])
    assert expected_error(chances, happened, places) == pytest.approx(0.7 / 4)
    *equal, other = bins_of(np.array([0.5] * 8 + [0.9])).tolist()
    assert len(set(equal)) == 1
    assert other not in equal


def test_a_model_without_any_answer_has_no_rows() -> None:
    cases, scores = chosen(5, 6, 1, 1.0)
    found = calibration_of([played(cases, [np.full(6, np.nan) for _ in scores])], "tuned", 1)
    assert found.rows == ()
