from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from audience.metrics import Metrics, builtin, measure
from audience.metrics.opinion import Mentions
from audience.testing import check_metric
from audience.world import Chapter, Genesis, events as e

Tell = Callable[..., list[Chapter]]


def test_a_wish_counts_once_also_when_it_is_said(tiny: Genesis, tell: Tell) -> None:
    wish = "See <A>, not <B>!"
    first: list[Any] = [
        (
            e.VISITS,
            0,
            [
                e.Woke(0, 61),
                e.Felt(0, 1, "I liked <B>."),
                e.Wished(0, 1, wish),
                e.Unfounded(0, ("A", "B")),
                e.Left(0),
            ],
        ),
        (e.CONVERSATIONS, 0, [e.Said(0, 1, wish), e.Said(1, 0, "<A>?"), e.Said(0, 1, wish)]),
    ]
    second: list[Any] = [(e.VISITS, 1, [e.Woke(1, 121), e.Posted(1, "2.1.0", "<C>!"), e.Left(1)])]
    found = measure(tell(first, second), tiny, Metrics([Mentions()]))
    names = ("mentions", "unfounded_mentions", "unfounded_share")
    assert found.value() == dict(zip(names, (7.0, 2.0, 2.0 / 7.0), strict=True))
    assert found.by_round() == [
        {"round": 1.0, **dict(zip(names, (6.0, 2.0, 2.0 / 6.0), strict=True))},
        {"round": 2.0, **dict(zip(names, (1.0, 0.0, 0.0), strict=True))},
    ]


def test_where_nothing_is_named_there_is_no_share(tiny: Genesis, tell: Tell) -> None:
    silent: list[Any] = [(e.VISITS, 0, [e.Woke(0, 61), e.Felt(0, 1, "I liked it."), e.Left(0)])]
    found = measure(tell(silent), tiny, Metrics([Mentions()])).value()
    assert found["mentions"] == 0.0
    assert math.isnan(found["unfounded_share"])


def test_it_keeps_to_the_contract_and_is_built_in() -> None:
    check_metric(Mentions)
    assert any(isinstance(one, Mentions) for one in builtin())
