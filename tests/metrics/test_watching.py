from __future__ import annotations

import numpy as np
import pytest

from audience.metrics import Metrics


def test_watch_time_and_completion(measured: Metrics) -> None:
    value = measured.value()
    assert value["watch_hours"] == pytest.approx((50 + 100 + 45) / 60)
    assert value["minutes_per_visit"] == pytest.approx(195 / 4)
    assert value["completion"] == pytest.approx(2 / 3)


def test_a_round_in_which_nothing_was_watched(measured: Metrics) -> None:
    second = measured.by_round()[1]
    assert second["watch_hours"] == 0.0
    assert second["minutes_per_visit"] == 0.0
    assert np.isnan(second["completion"])


def test_each_agent(measured: Metrics) -> None:
    found = measured.per_agent()
    assert found["watch_minutes"].tolist() == [50.0, 145.0, 0.0]
    np.testing.assert_array_equal(found["completion"], [0.5, 0.75, np.nan])
