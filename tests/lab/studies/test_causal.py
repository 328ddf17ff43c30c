from __future__ import annotations

import itertools

import numpy as np
import pytest

from audience.lab.studies.causal import direct_lingam
from audience.world import Floats, rng

NOISES = ("laplace", "uniform", "exponential")


def planted(order: tuple[int, ...], noise: str, seed: int, rows: int = 2000) -> Floats:
    """Return columns in which each of `order` depends on the two before it."""
    draw = rng(seed, "planted", noise)
    values = np.zeros((rows, len(order)))
    for place, column in enumerate(order):
        own = getattr(draw, noise)(size=rows)
        values[:, column] = own - own.mean()
        for cause in order[max(0, place - 2) : place]:
            values[:, column] += 0.8 * values[:, cause]
    return values


@pytest.mark.parametrize("noise", NOISES)
def test_planted_orders_are_found(noise: str) -> None:
    orders = list(itertools.permutations(range(4)))[::3]
    for seed, order in enumerate(orders):
        found, _ = direct_lingam(planted(order, noise, seed))
        assert tuple(found) == order


def test_effects_are_those_planted_in_standard_deviations() -> None:
    values = planted((0, 1), "laplace", 1, rows=20_000)
    order, effects = direct_lingam(values)
    assert order == [0, 1]
    expected = 0.8 * values[:, 0].std() / values[:, 1].std()
    assert effects[1, 0] == pytest.approx(expected, abs=0.02)
    assert effects[0, 1] == 0.0


def test_the_scale_of_columns_does_not_matter() -> None:
    values = planted((2, 0, 1), "uniform", 5)
    assert direct_lingam(values)[0] == direct_lingam(values * np.array([1e6, 1.0, 1e-3]))[0]


def test_a_column_that_does_not_vary_has_no_effect_and_comes_last() -> None:
    values = planted((1, 0), "laplace", 2)
    with_constant = np.column_stack([np.full(len(values), 3.0), values])
    order, effects = direct_lingam(with_constant)
    assert order == [2, 1, 0]
    assert not effects[0].any()
    assert not effects[:, 0].any()
