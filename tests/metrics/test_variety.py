from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from audience.metrics import Metrics, measure
from audience.metrics.variety import SAMPLE, TagWeights, TasteEntropy, Variety
from audience.world import Chapter, Genesis, Profile, Ties, events as e


def test_weights_by_agent_are_those_of_the_catalogue(town: Genesis) -> None:
    agents = np.array([5, 2, 5, 2, 9, 5])
    items = np.array([3, 7, 39, 0, 4, 3])
    who, weights = TagWeights(town.catalogue).by_agent(agents, items)
    assert who.tolist() == [2, 5, 9]
    for row, agent in enumerate(who):
        expected = town.catalogue.weights[items[agents == agent]].sum(0)
        np.testing.assert_allclose(weights[row], expected)


def test_rounds_add_up(tiny: Genesis) -> None:
    variety, nothing = Variety("x"), np.zeros(0, np.int64)
    first = variety.close(tiny.catalogue, np.array([4, 4]), np.array([0, 2]))
    second = variety.close(tiny.catalogue, np.array([4, 1]), np.array([3, 3]))
    assert first == {"x": 1.0, "x_pooled": 1.0}
    assert second == {"x": 0.0, "x_pooled": 0.0}
    found = variety.per_agent(tiny.catalogue, nothing, nothing)["x"]
    np.testing.assert_allclose(found, [np.nan, 0.0, np.nan, np.nan, math.log2(3)])
    whole = variety.value(tiny.catalogue, nothing, nothing)
    assert whole["x"] == pytest.approx(math.log2(3) / 2)
    assert whole["x_pooled"] == pytest.approx(1.5)


def test_entropy_of_taste_is_of_visitors_alone(
    tiny: Genesis, tell: Callable[..., list[Chapter]]
) -> None:
    log = tell([(e.VISITS, 0, [e.Woke(0, 1)]), (e.VISITS, 1, [e.Woke(1, 1)])])
    metrics = measure(log, tiny, Metrics([TasteEntropy()]))
    assert metrics.value() == {"entropy_taste": 0.5}
    np.testing.assert_array_equal(metrics.per_agent()["entropy_taste"], [0.0, 1.0, np.nan])


def test_entropy_of_taste_looks_at_a_bounded_number(
    tiny: Genesis, tell: Callable[..., list[Chapter]]
) -> None:
    count = SAMPLE + 1
    people = tuple(Profile(who, interests=("drama",)) for who in range(count))
    crowd = Genesis(tiny.catalogue, people, Ties.of(count, [], [], [], []))
    log = tell([(e.VISITS, who, [e.Woke(who, 1)]) for who in range(count)])
    found = measure(log, crowd, Metrics([TasteEntropy()])).per_agent()["entropy_taste"]
    assert np.flatnonzero(~np.isnan(found)).tolist() == list(range(0, count, 2))
