from __future__ import annotations

from collections.abc import Callable
from typing import Any

from audience.metrics import Metrics, builtin, measure
from audience.metrics.mentions import Mentions
from audience.testing import check_metric
from audience.world import Chapter, Genesis
from audience.world import events as e

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
    assert found.value() == {"mentions": 7.0, "unfounded_mentions": 2.0}
    assert found.by_round() == [
        {"round": 1.0, "mentions": 6.0, "unfounded_mentions": 2.0},
        {"round": 2.0, "mentions": 1.0, "unfounded_mentions": 0.0},
    ]


def test_it_keeps_to_the_contract_and_is_built_in() -> None:
    check_metric(Mentions)
    assert any(isinstance(one, Mentions) for one in builtin())
