from __future__ import annotations

import math

import numpy as np
import pytest

from audience.results import (
    CORRELATION,
    POSITIVE,
    SHARE,
    Interval,
    bootstrap,
    crossed_interval,
    mean_interval,
    percentile_interval,
    ratio_interval,
    t95,
    t_interval,
    wilson,
)
from audience.world import Floats, Ints, rng


@pytest.mark.parametrize(
    ("freedom", "quantile"), [(1, 12.706), (10, 2.228), (30, 2.042), (40, 2.021), (120, 1.980)]
)
def test_students_t_is_that_of_the_tables(freedom: int, quantile: float) -> None:
    assert t95(freedom) == pytest.approx(quantile, abs=6e-4)
    assert math.isnan(t95(0))


def test_an_interval_by_hand() -> None:
    mean, low, high = t_interval(np.array([1.0, 2.0, 3.0, math.nan])).three
    assert mean == 2.0
    assert high - mean == pytest.approx(4.302653 / math.sqrt(3), rel=1e-6)
    assert mean - low == pytest.approx(high - mean)
    assert math.isnan(t_interval(np.array([])).mean)
    assert [math.isnan(bound) for bound in t_interval(np.array([5.0])).three] == [False, True, True]


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    draws = rng(1, "intervals").normal(3.0, 1.0, (2000, 6))
    held = sum(low <= 3.0 <= high for _, low, high in (t_interval(row).three for row in draws))
    assert held / 2000 == pytest.approx(0.95, abs=0.015)


@pytest.mark.parametrize("bounds", [SHARE, POSITIVE, CORRELATION])
def test_no_interval_leaves_what_is_possible(bounds: tuple[float, float]) -> None:
    for trial in range(50):
        values = rng(trial, "bounded").uniform(0.9, 1.0, 2)
        values[0] *= 0.1
        free, kept = t_interval(values), t_interval(values, bounds)
        assert free.low < 0.0
        assert bounds[0] <= kept.low <= kept.mean <= kept.high <= bounds[1]


def test_what_is_not_known_stays_unknown_within_bounds() -> None:
    assert math.isnan(Interval(0.5).within(SHARE).low)
    assert not Interval(0.5).is_clear


def grid(people: int, seeds: int) -> tuple[Ints, Ints]:
    return np.tile(np.arange(people), seeds), np.repeat(np.arange(seeds), people)


def test_one_seed_gives_the_interval_over_people() -> None:
    values = rng(1, "values").normal(size=40)
    values[3] = math.nan
    found = crossed_interval(values, *grid(40, 1))
    mean, low, high = t_interval(values).three
    assert found.count == 39
    assert [found.mean, found.low, found.high] == pytest.approx([mean, low, high])


def test_what_repeats_with_a_person_or_a_seed_widens_the_interval() -> None:
    people, seeds = grid(60, 5)
    noise = rng(1, "noise").normal(size=300)
    widths = {
        "neither": noise,
        "people": noise + 3.0 * rng(1, "people").normal(size=60)[people],
        "seeds": noise + 3.0 * rng(1, "seeds").normal(size=5)[seeds],
    }
    found = {name: crossed_interval(values, people, seeds) for name, values in widths.items()}
    halves = {name: one.half for name, one in found.items()}
    assert halves["people"] > 2 * halves["neither"]
    assert halves["seeds"] > 5 * halves["neither"]


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    people, seeds = grid(30, 5)
    covered = 0
    for trial in range(300):
        draw = rng(trial, "cover")
        values: Floats = draw.normal(size=30)[people] + draw.normal(size=5)[seeds] * 0.5
        values = values + draw.normal(size=150)
        one = crossed_interval(values, people, seeds)
        covered += one.low <= 0.0 <= one.high
    assert covered >= 0.92 * 300


def test_nothing_and_a_single_value_have_no_interval() -> None:
    assert crossed_interval(np.full(3, math.nan), *grid(3, 1)).count == 0
    alone = crossed_interval(np.array([2.0]), *grid(1, 1))
    assert (alone.mean, math.isnan(alone.low), alone.is_clear) == (2.0, True, False)


def test_a_ratio_with_equal_parts_is_a_mean() -> None:
    values = rng(1, "ratio").normal(3.0, 1.0, 30)
    found = ratio_interval(np.arange(30), values, np.ones(30))
    assert found.three == pytest.approx(t_interval(values).three)
    assert ratio_interval(np.empty(0, np.int64), np.empty(0), np.empty(0)).count == 0


def test_the_bootstrap_covers_the_truth_about_as_often_as_it_says() -> None:
    covered = 0
    for trial in range(100):
        values = rng(trial, "cover").normal(2.0, 1.0, 40)
        found = mean_interval(values, np.ones(40), seed=trial)
        covered += found.low <= 2.0 <= found.high
    assert 88 <= covered <= 100


def test_the_bootstrap_is_over_people_and_depends_on_seed_and_name_alone() -> None:
    values = rng(1, "people").normal(size=20)
    few = mean_interval(values, np.ones(20), seed=1)
    many = mean_interval(values * 40, np.full(20, 40.0), seed=1)
    assert (many.low, many.high) == pytest.approx((few.low, few.high))
    assert (few.count, many.count) == (20, 800)
    assert few == mean_interval(values, np.ones(20), seed=1)
    assert few != mean_interval(values, np.ones(20), seed=2)
    assert few != mean_interval(values, np.ones(20), seed=1, names=("other",))


def test_shares_of_none_and_all_get_wilsons_bounds() -> None:
    found = mean_interval(np.ones(10), np.ones(10), seed=1, bounds=SHARE)
    assert (found.low, found.high) == wilson(1.0, 10)
    assert wilson(0.0, 10)[0] == 0.0
    assert wilson(0.5, 100) == pytest.approx((0.404, 0.596), abs=0.001)
    assert math.isnan(mean_interval(np.zeros(0), np.zeros(0), seed=1).mean)


def test_people_and_seeds_are_drawn_for_themselves_and_a_statistic_may_be_several() -> None:
    sizes = set()

    def both(people: Ints, seeds: Ints) -> tuple[float, float]:
        sizes.add((len(people), len(seeds)))
        assert people.max() < 7
        assert seeds.max() < 1
        return float(people.mean()), math.nan

    found = bootstrap(both, 7, 1, seed=1, resamples=50)
    assert found.shape == (2, 50)
    assert sizes == {(7, 1)}
    assert percentile_interval(3.0, found[0]).low < 3.0
    assert math.isnan(percentile_interval(3.0, found[1]).low)
    assert not len(bootstrap(both, 1, seed=1))
