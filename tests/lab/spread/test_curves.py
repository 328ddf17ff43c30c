from __future__ import annotations

import math

import numpy as np
import pytest

from audience.errors import BadInput
from audience.lab.spread import correlation, msed, nrmse, resampled


def test_a_curve_is_brought_to_another_length() -> None:
    assert resampled([0, 1, 2], 5).tolist() == [0.0, 0.5, 1.0, 1.5, 2.0]
    assert resampled([0, 1, 2, 3], 2).tolist() == [0.0, 3.0]
    assert resampled([7], 3).tolist() == [7.0, 7.0, 7.0]
    with pytest.raises(BadInput):
        resampled([], 3)


def test_msed_is_of_shares_of_the_true_maximum() -> None:
    assert msed([0, 5, 10], [0, 5, 10]) == 0.0
    assert msed([0, 5, 10], [0, 5, 5]) == pytest.approx(0.25 / 3)
    assert msed([0, 500, 1000], [0, 500, 500]) == pytest.approx(0.25 / 3)
    assert msed([0, 10], [0, 5, 10]) == 0.0
    assert msed([0, 5, 10], [0, 5, 5], 20.0) == pytest.approx(0.0625 / 3)
    assert math.isnan(msed([0, 0], [1, 1]))


def test_correlation_is_of_shapes() -> None:
    assert correlation([1, 2, 3], [10, 20, 30]) == pytest.approx(1.0)
    assert correlation([1, 2, 3], [3, 2, 1]) == pytest.approx(-1.0)
    assert math.isnan(correlation([1, 2, 3], [4, 4, 4]))


def test_nrmse_is_the_root_of_it() -> None:
    assert nrmse([0, 5, 10], [0, 5, 5]) == pytest.approx(np.sqrt(0.25 / 3))
