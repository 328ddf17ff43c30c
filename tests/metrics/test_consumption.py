from __future__ import annotations

import math

import numpy as np
import pytest

from audience.metrics import Metrics


def test_entropy_of_what_was_taken_up(measured: Metrics) -> None:
    value = measured.value()
    pooled = -(2 / 3 * math.log2(2 / 3) + 1 / 3 * math.log2(1 / 3))
    assert value["entropy_consumption"] == 0.5
    assert value["entropy_consumption_pooled"] == pytest.approx(pooled)
    np.testing.assert_array_equal(measured.per_agent()["entropy_consumption"], [0.0, 1.0, np.nan])


def test_gini_and_coverage(measured: Metrics) -> None:
    assert measured.value()["gini"] == pytest.approx(7 / 12)
    assert measured.value()["coverage_consumption"] == 0.5


def test_a_round_without_picks(measured: Metrics) -> None:
    second = measured.by_round()[1]
    assert np.isnan(second["gini"])
    assert np.isnan(second["entropy_consumption"])
    assert second["coverage_consumption"] == 0.0
