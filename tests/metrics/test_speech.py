from __future__ import annotations

from collections.abc import Callable
from typing import Any

from audience.metrics import Metrics, builtin, measure
from audience.metrics.opinion import SpeechMetrics
from audience.testing import check_metric
from audience.world import Chapter, Genesis, events as e

Tell = Callable[..., list[Chapter]]


def test_words_are_counted_by_whose_they_are(tiny: Genesis, tell: Tell) -> None:
    first: list[Any] = [
        (
            e.VISITS,
            0,
            [
                e.Woke(0, 61),
                e.Felt(0, 1, "I liked <B>.", "model"),
                e.Felt(0, 2, "I liked <C>.", "template"),
                e.Felt(0, 3, "A rule's own words."),
                e.Posted(0, "1.0.0", "Hello.", (), 0.0, "model"),
                e.Wished(0, 1, "A wish is no word yet.", (), 0.0, "model"),
                e.Left(0),
            ],
        ),
        (e.CONVERSATIONS, 0, [e.Said(0, 1, "Hi.", (), 0.0, "human")]),
    ]
    second: list[Any] = [(e.VISITS, 1, [e.Woke(1, 121), e.Felt(1, 1, "So.", "model"), e.Left(1)])]
    found = measure(tell(first, second), tiny, Metrics([SpeechMetrics()]))
    assert found.value() == {"spoken_model": 3.0, "spoken_template": 1.0, "spoken_human": 1.0}
    assert found.by_round() == [
        {"round": 1.0, "spoken_model": 2.0, "spoken_template": 1.0, "spoken_human": 1.0},
        {"round": 2.0, "spoken_model": 1.0, "spoken_template": 0.0, "spoken_human": 0.0},
    ]


def test_it_keeps_to_the_contract_and_is_built_in() -> None:
    check_metric(SpeechMetrics)
    assert any(isinstance(one, SpeechMetrics) for one in builtin())
