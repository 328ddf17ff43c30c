from __future__ import annotations

import math

import numpy as np
import pytest

from audience.metrics import Metrics, measure
from audience.metrics.variety import Exposure
from audience.world import Chapter, Genesis, World, events as e


def _bits(*weights: float) -> float:
    total = sum(weights)
    return -sum(w / total * math.log2(w / total) for w in weights)


def test_entropy_of_what_was_shown(measured: Metrics) -> None:
    first, value = _bits(2.5, 2.5, 1.0), measured.value()
    assert value["entropy_exposure"] == pytest.approx((first + 1.0) / 2)
    assert value["entropy_exposure_pooled"] == pytest.approx(_bits(3.5, 3.5, 1.0))
    found = measured.per_agent()["entropy_exposure"]
    np.testing.assert_allclose(found, [first, 1.0, np.nan])


def test_coverage_and_repetition(measured: Metrics) -> None:
    assert measured.value()["coverage_exposure"] == 1.0
    assert measured.value()["repeated_exposure"] == 0.25
    found = measured.per_agent()["repeated_exposure"]
    np.testing.assert_allclose(found, [2 / 6, 0.0, np.nan])


def test_a_round_alone(measured: Metrics) -> None:
    first, second = measured.by_round()
    assert second["entropy_exposure"] == 1.0
    assert (first["coverage_exposure"], second["coverage_exposure"]) == (1.0, 0.5)
    assert (first["repeated_exposure"], second["repeated_exposure"]) == (0.0, 1.0)


def test_the_same_as_counting_one_by_one(town: Genesis, long_log: list[Chapter]) -> None:
    value = measure(long_log, town, Metrics([Exposure()])).value()
    shown = repeated = 0
    seen: set[tuple[int, int]] = set()
    for event in (entry.event for chapter in long_log for entry in chapter.entries):
        if isinstance(event, e.SlateShown):
            for item in event.items:
                shown += 1
                repeated += (event.agent, item) in seen
                seen.add((event.agent, item))
    assert repeated > 0
    assert value["repeated_exposure"] == repeated / shown
    assert value["coverage_exposure"] == len({item for _, item in seen}) / 40


def test_looking_inside_a_round_changes_nothing(town: Genesis, long_log: list[Chapter]) -> None:
    looked, alone, world = Exposure(), Exposure(), World(town)
    for chapter in long_log:
        for metric in (looked, alone):
            Metrics([metric]).update_chapter(chapter, world)
        looked.value()
        looked.per_agent()
    assert looked.value() == alone.value()
    assert looked.value()["entropy_exposure"] > 1.0
