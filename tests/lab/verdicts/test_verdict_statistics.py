from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from audience.lab.verdicts.statistics import agreement, kendall, least_chance, spearman
from audience.world import Floats, rng


def test_correlations_are_those_of_the_books() -> None:
    for trial in range(20):
        one, two = rng(trial, "pairs").integers(0, 6, (2, 9)).astype(np.float64)
        assert kendall(one, two) == pytest.approx(stats.kendalltau(one, two).statistic)
        assert spearman(one, two) == pytest.approx(stats.spearmanr(one, two).statistic)
    assert math.isnan(kendall(np.ones(4), np.arange(4.0)))


def repeated(values: list[float], seeds: int = 5) -> Floats:
    noise = rng(3, "noise", len(values)).normal(size=(len(values), seeds))
    return np.array(values)[:, None] + 0.01 * noise


def test_an_order_that_holds_is_told_from_chance() -> None:
    values = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    found = agreement(("click_rate", "ndcg"), repeated(values), repeated(values), 1)
    assert (found.kendall, found.spearman, found.recommenders) == (1.0, 1.0, 6)
    assert found.chance == pytest.approx(2 / math.factorial(6)) == least_chance(6)
    assert (found.kendall_low, found.kendall_high) == (1.0, 1.0)


def test_an_order_by_chance_has_a_wide_interval() -> None:
    one, two = repeated([0.0, 1.0, 2.0, 3.0, 4.0]), repeated([2.0, 0.0, 4.0, 1.0, 3.0])
    found = agreement(("click_rate", "ndcg"), one, two, 1)
    assert found.chance > 0.5
    assert found.kendall_low < -0.3 < 0.3 < found.kendall_high


def test_few_recommenders_get_no_bounds() -> None:
    found = agreement(("a", "b"), repeated([0.0, 1.0, 2.0]), repeated([0.0, 1.0, 2.0]), 1)
    assert found.kendall == 1.0
    assert math.isnan(found.kendall_low)
    assert found.chance == pytest.approx(1 / 3)


def test_equal_values_have_no_order() -> None:
    found = agreement(("a", "b"), np.ones((5, 2)), repeated([0.0, 1.0, 2.0, 3.0, 4.0], 2), 1)
    assert math.isnan(found.kendall)
    assert math.isnan(found.chance)


def test_of_many_orders_some_are_drawn() -> None:
    values = [float(n) for n in range(9)]
    found = agreement(("a", "b"), repeated(values), repeated(values), 1)
    assert found.chance == least_chance(9) < 0.001
