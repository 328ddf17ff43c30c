from __future__ import annotations

import numpy as np
import pytest

from audience.recommenders.factors import Adam


def test_the_first_step_is_as_long_as_the_rate_and_against_the_slope() -> None:
    weights = {"a": np.array([1.0, 1.0, 1.0], np.float32)}
    Adam(weights, 0.1).step({"a": np.array([5.0, -0.01, 0.0], np.float32)})
    assert weights["a"] == pytest.approx([0.9, 1.1, 1.0], abs=1e-4)


def test_it_finds_the_bottom_of_a_bowl() -> None:
    weights = {"a": np.array([3.0], np.float32), "b": np.array([[-2.0]], np.float32)}
    adam = Adam(weights, 0.05)
    for _ in range(400):
        adam.step({"a": 2 * (weights["a"] - 1), "b": 20 * weights["b"]})
    assert weights["a"][0] == pytest.approx(1.0, abs=0.01)
    assert weights["b"][0, 0] == pytest.approx(0.0, abs=0.01)
