from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from audience.metrics import Metrics, measure
from audience.metrics.visits import Returning
from audience.world import Chapter, Genesis, events as e


def _seen(*rounds: set[int]) -> list[list[tuple[int, int, list[e.AnyEvent]]]]:
    return [[(e.VISITS, who, [e.Woke(who, 1)]) for who in sorted(people)] for people in rounds]


def test_return_rate_and_retention_curve(tiny: Genesis, tell: Callable[..., list[Chapter]]) -> None:
    log = tell(*_seen(set(), {0, 1}, {0, 2}, {1, 2}, set()))
    metrics = measure(log, tiny, Metrics([Returning()]))
    rounds = metrics.by_round()
    assert metrics.value()["return_rate"] == pytest.approx(2 / 6)
    rates = [row["return_rate"] for row in rounds]
    np.testing.assert_array_equal(rates, [np.nan, np.nan, 0.5, 0.5, 0.0])
    curve = [row["retention"] for row in rounds]
    np.testing.assert_array_equal(curve, [np.nan, 1.0, 0.5, 0.5, 0.0])
    assert metrics.per_agent()["return_rate"].tolist() == [0.5, 0.0, 0.5]


def test_a_round_that_has_not_ended_does_not_count(
    tiny: Genesis, tell: Callable[..., list[Chapter]]
) -> None:
    log = tell(*_seen({0, 1}, {0}))
    ended = measure(log, tiny, Metrics([Returning()]))
    running = measure(log[:-1], tiny, Metrics([Returning()]))
    assert ended.value()["return_rate"] == 0.5
    assert np.isnan(running.value()["return_rate"])


def test_the_order_of_rounds_matters(tiny: Genesis, tell: Callable[..., list[Chapter]]) -> None:
    together = measure(tell(*_seen({0}, {0}, {1})), tiny, Metrics([Returning()]))
    apart = measure(tell(*_seen({0}, {1}, {0})), tiny, Metrics([Returning()]))
    assert together.value()["return_rate"] == 0.5
    assert apart.value()["return_rate"] == 0.0
