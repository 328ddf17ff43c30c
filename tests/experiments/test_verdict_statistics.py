from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from audience.experiments.findings import interval
from audience.experiments.verdict_statistics import (
    agreement,
    crossed,
    kendall,
    least_chance,
    spearman,
)
from audience.world.rng import Floats, Ints, rng


def grid(people: int, seeds: int) -> tuple[Ints, Ints]:
    return np.tile(np.arange(people), seeds), np.repeat(np.arange(seeds), people)


def test_one_seed_gives_the_interval_over_people() -> None:
    values = rng(1, "values").normal(size=40)
    values[3] = math.nan
    found = crossed(values, *grid(40, 1))
    mean, low, high = interval(values)
    assert found.pairs == 39
    assert [found.mean, found.low, found.high] == pytest.approx([mean, low, high])


def test_what_repeats_with_a_person_or_a_seed_widens_the_interval() -> None:
    people, seeds = grid(60, 5)
    noise = rng(1, "noise").normal(size=300)
    widths = {
        "neither": noise,
        "people": noise + 3.0 * rng(1, "people").normal(size=60)[people],
        "seeds": noise + 3.0 * rng(1, "seeds").normal(size=5)[seeds],
    }
    found = {name: crossed(values, people, seeds) for name, values in widths.items()}
    halves = {name: (one.high - one.low) / 2 for name, one in found.items()}
    assert halves["people"] > 2 * halves["neither"]
    assert halves["seeds"] > 5 * halves["neither"]


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    people, seeds = grid(30, 5)
    covered = 0
    for trial in range(300):
        draw = rng(trial, "cover")
        values: Floats = draw.normal(size=30)[people] + draw.normal(size=5)[seeds] * 0.5
        values = values + draw.normal(size=150)
        one = crossed(values, people, seeds)
        covered += one.low <= 0.0 <= one.high
    assert covered >= 0.92 * 300


def test_nothing_and_a_single_value_have_no_interval() -> None:
    assert crossed(np.full(3, math.nan), *grid(3, 1)).pairs == 0
    alone = crossed(np.array([2.0]), *grid(1, 1))
    assert (alone.mean, math.isnan(alone.low), alone.is_clear) == (2.0, True, False)


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
