from __future__ import annotations

import pytest

from audience.llm import Meter, Price, Prices, Reply, Usage

PRICES = Prices({"m": Price(prompt=1.0, completion=2.0), "free": Price(prompt=0.0, completion=0.0)})


def reply(**fields: object) -> Reply:
    whole = {"outcome": "reply", "model": "m", "usage": Usage(1000, 100, 200, 10), **fields}
    return Reply("k", **whole)  # type: ignore[arg-type]


def test_calls_are_told_apart_by_purpose_and_outcome() -> None:
    meter = Meter(PRICES)
    meter.count("page", reply(attempts=2, seconds=0.5))
    meter.count("page", reply(reused=True))
    meter.count("page", reply(outcome="timeout", usage=Usage()))
    meter.count("feeling", reply(outcome="refusal"))
    page, total = meter.by_purpose["page"], meter.total()
    assert (page.calls, page.reused, page.failures, page.attempts) == (2, 1, {"timeout": 1}, 3)
    assert (page.prompt, page.completion, page.cached, page.reasoning) == (1000, 100, 200, 10)
    assert (total.calls, total.failed, total.tokens) == (3, 2, 2200)
    assert total.dollars == pytest.approx(2 * 0.0012)
    assert meter.cost() == "$0.0024"


def test_an_unknown_price_is_never_nothing() -> None:
    meter = Meter(PRICES)
    meter.count("page", reply(model="mystery"))
    assert meter.total().unpriced == 1
    assert "unknown for 1 calls of mystery" in meter.cost()
    meter.count("page", reply())
    assert meter.cost().startswith("$0.0012 and unknown")


def test_an_endpoint_may_name_its_price() -> None:
    meter = Meter(PRICES, {"http://h/v1": "free"})
    meter.count("page", reply(model="mystery", endpoint="http://h/v1"))
    assert meter.total().unpriced == 0
    assert meter.cost() == "$0"
