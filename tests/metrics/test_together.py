from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from audience.metrics import Metrics, builtin, measure
from audience.metrics.social import Together
from audience.testing import check_metric
from audience.world import Chapter, Genesis, events as e

Tell = Callable[..., list[Chapter]]


def evening(first: float, second: float, stars: tuple[int, int]) -> list[e.AnyEvent]:
    return [
        e.Gathered(0, (0, 1), (1, 2), 90, 1, "average", (first, second)),
        e.Watched(0, 1, 0.8),
        e.Rated(0, 1, stars[0]),
        e.Parted(0, 1, (1,), first),
        e.Watched(1, 1, 0.8),
        e.Rated(1, 1, stars[1]),
        e.Parted(1, 1, (0,), second),
    ]


def test_evenings_are_measured_beside_visits(tiny: Genesis, tell: Tell) -> None:
    alone: list[Any] = [e.Woke(0, 61), e.Watched(0, 2, 1.0), e.Rated(0, 2, 5), e.Left(0)]
    first = [(e.VISITS, 0, alone), (e.CONVERSATIONS, 0, evening(0.2, 0.8, (1, 4)))]
    second = [(e.CONVERSATIONS, 0, evening(0.6, 0.4, (3, 2)))]
    found = measure(tell(first, second), tiny, Metrics([Together()]))
    assert found.value() == {
        "group_visits": 2.0,
        "group_size": 2.0,
        "satisfaction_together": 0.5,
        "misery_together": (0.2 + 0.4) / 2,
        "rating_alone": 5.0,
        "rating_together": 2.5,
    }
    assert [row["rating_together"] for row in found.by_round()] == [2.5, 2.5]
    assert math.isnan(found.by_round()[1]["rating_alone"])


def test_without_evenings_there_is_nothing_to_compare(tiny: Genesis, tell: Tell) -> None:
    alone: list[Any] = [e.Woke(0, 61), e.Watched(0, 2, 1.0), e.Rated(0, 2, 5), e.Left(0)]
    found = measure(tell([(e.VISITS, 0, alone)]), tiny, Metrics([Together()])).value()
    assert found.pop("group_visits") == 0.0
    assert all(math.isnan(value) for value in found.values())


def test_it_keeps_to_the_contract_and_is_built_in() -> None:
    check_metric(Together)
    assert any(isinstance(one, Together) for one in builtin())
