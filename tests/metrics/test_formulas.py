from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from audience.metrics import entropies, gini, mean, ratio
from audience.metrics.formulas import entropy, ratios, resized


def test_a_ratio_without_a_whole_is_undefined() -> None:
    assert ratio(3, 4) == 0.75
    assert math.isnan(ratio(0, 0))
    found = ratios(np.array([1.0, 2.0]), np.array([4.0, 0.0]))
    assert found[0] == 0.25
    assert math.isnan(found[1])


def test_entropy_of_known_shares() -> None:
    found = entropies(np.array([[1.0, 1.0, 0.0], [2.0, 1.0, 1.0], [5.0, 0.0, 0.0], [0.0] * 3]))
    assert found[:3].tolist() == [1.0, 1.5, 0.0]
    assert math.isnan(found[3])
    assert math.isnan(entropy(np.zeros(0)))


def test_gini_of_known_counts() -> None:
    assert gini(np.array([2.0, 0.0, 1.0, 0.0])) == pytest.approx(7 / 12)
    assert gini(np.array([3.0, 3.0, 3.0])) == 0.0
    assert gini(np.array([0.0, 0.0, 0.0, 9.0])) == pytest.approx(0.75)
    assert math.isnan(gini(np.zeros(4)))
    assert math.isnan(gini(np.zeros(0)))


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=60))
def test_gini_lies_between_0_and_1(counts: list[int]) -> None:
    found = gini(np.array(counts, np.float64))
    assert math.isnan(found) if sum(counts) == 0 else 0.0 <= found <= 1.0


@given(st.lists(st.floats(0.0, 1e6, allow_subnormal=False), min_size=1, max_size=30))
def test_entropy_lies_between_0_and_log2_of_the_tags(weights: list[float]) -> None:
    found = entropy(np.array(weights))
    if sum(weights) > 0.0:
        assert 0.0 <= found <= math.log2(len(weights)) + 1e-9
    else:
        assert math.isnan(found)


def test_the_mean_leaves_out_the_undefined() -> None:
    assert mean(np.array([1.0, math.nan, 4.0])) == 2.5
    assert math.isnan(mean(np.array([math.nan])))


def test_resizing_keeps_rows_and_adds_zeros() -> None:
    assert resized(np.array([1.0, 2.0]), 3).tolist() == [1.0, 2.0, 0.0]
    assert resized(np.ones((1, 2)), 2).tolist() == [[1.0, 1.0], [0.0, 0.0]]
