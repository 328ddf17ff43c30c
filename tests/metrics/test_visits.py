from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from audience.metrics import Metrics, measure
from audience.metrics.visits import Browsing
from audience.world import Chapter, Genesis, events as e


def test_counts_and_rates_of_two_rounds(measured: Metrics) -> None:
    value = measured.value()
    assert (value["visits"], value["pages"], value["shown"], value["picks"]) == (4, 4, 8, 3)
    assert value["click_rate"] == 0.5
    assert value["pick_rate"] == 0.375
    assert value["exit_page"] == pytest.approx(4 / 3)


def test_a_round_alone(measured: Metrics) -> None:
    first, second = measured.by_round()
    assert (first["pages"], first["picks"]) == (3, 3)
    assert first["click_rate"] == pytest.approx(2 / 3)
    assert (second["pages"], second["picks"], second["click_rate"]) == (1, 0, 0.0)
    assert (first["exit_page"], second["exit_page"]) == (1.5, 1.0)


def test_each_agent(measured: Metrics) -> None:
    found = measured.per_agent()
    assert found["visits"].tolist() == [2, 1, 1]
    assert found["pages"].tolist() == [3, 1, 0]
    assert found["picks"].tolist() == [1, 2, 0]
    np.testing.assert_array_equal(found["click_rate"], [1 / 3, 1.0, np.nan])


def test_a_pick_counts_for_the_page_of_its_own_visit(
    tiny: Genesis, tell: Callable[..., list[Chapter]]
) -> None:
    unpicked = (e.VISITS, 0, [e.Woke(0, 1), e.SlateShown(0, (0, 1), 0)])
    picked_nowhere = (e.VISITS, 1, [e.Woke(1, 1), e.Picked(1, 2, 0)])
    log = tell([unpicked, picked_nowhere])
    assert measure(log, tiny, Metrics([Browsing()])).value()["click_rate"] == 0.0
