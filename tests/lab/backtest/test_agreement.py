"""Truth with intervals, pairs that differ, tau, slope and split halves."""

from __future__ import annotations

import numpy as np
import pytest

from audience.lab.backtest.agreement import (
    RealValues,
    compared,
    differing,
    discoveries,
    mean_choices,
    policy_values,
    truth_of,
)
from audience.world import Floats, rng

NAMES = ("best", "good", "same", "random")


def outcomes() -> Floats:
    draw = rng(3, "outcomes")
    person = draw.normal(0.0, 1.0, 400)
    gains = np.array([1.0, 0.5, 0.02, 0.0])[:, None]
    worth: Floats = 3.0 + person + gains + draw.normal(0.0, 0.5, (4, 400))
    return worth


def test_the_procedure_of_benjamini_and_hochberg() -> None:
    chances = np.array([0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205, 0.212, 0.216])
    assert discoveries(chances).sum() == 2
    assert discoveries(np.array([0.04, 0.049])).tolist() == [True, True]
    assert discoveries(np.array([])).tolist() == []


def test_pairs_that_differ_are_found_and_others_are_not() -> None:
    pairs, every = differing(outcomes())
    assert every == 6
    assert set(pairs) == {(1, 0), (2, 0), (2, 1), (3, 0), (3, 1)}


def test_a_right_order_with_right_sizes() -> None:
    truth = truth_of(RealValues(NAMES, outcomes()), 1)
    found = compared("right", np.array([4.0, 3.5, 3.1, 3.0]), truth)
    assert found.tau.mean == 1.0
    assert found.tau.low > 0.5
    assert (found.right, found.pairs) == (5, 5)
    assert found.slope == pytest.approx(1.0, abs=0.1)
    assert found.error < 0.1
    assert truth.split_half > 0.6
    assert truth.intervals[0].low < truth.intervals[0].mean < truth.intervals[0].high
    rows = policy_values(np.array([4.0, 3.5, 3.1, 3.0]), truth)
    assert [row.name for row in rows][:2] == ["best", "good"]


def test_a_wrong_order_and_wrong_sizes() -> None:
    truth = truth_of(RealValues(NAMES, outcomes()), 1)
    found = compared("wrong", np.array([3.0, 3.1, 3.5, 4.0]), truth)
    assert found.tau.mean == -1.0
    assert found.right == 0
    half = compared("twice", np.array([5.0, 4.0, 3.0, 3.0]), truth)
    assert half.slope == pytest.approx(0.5, abs=0.05)


def test_lifts_are_relative_to_the_random_choice() -> None:
    real = RealValues(("twice", "random"), np.array([[2.0, 4.0], [1.0, 2.0]]), is_lift=True)
    assert real.values().tolist() == [1.0, 0.0]


def test_first_choices_are_among_what_is_offered_and_ties_go_to_the_lower_item() -> None:
    offered = np.array([[True, True, False], [False, True, True]])
    values = np.array([[1.0, 2.0, 9.0], [9.0, 4.0, 2.0]])
    scores = [np.array([[1.0, 1.0, 5.0], [5.0, 0.0, 1.0]])]
    assert mean_choices(scores, offered, values).tolist() == [[1.0, 2.0], [1.5, 3.0]]
