from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from audience.errors import AudienceError, BadInput
from audience.llm import (
    Budget,
    BudgetSpent,
    Endpoint,
    GatewayStack,
    Price,
    Prices,
    Reply,
    Request,
    open_gateway,
)
from audience.llm.fake import Fake

PRICES = Prices({"fake": Price(prompt=1000.0, completion=1000.0)})


async def outcome_of(door: GatewayStack, request: Request) -> Reply | BudgetSpent:
    try:
        return await door.ask(request)
    except BudgetSpent as spent:
        return spent


@pytest.mark.parametrize(
    ("budget", "most"),
    [(Budget(calls=5), 5), (Budget(tokens=200), 4), (Budget(dollars=0.2), 4), (Budget(calls=0), 0)],
)
def test_no_call_begins_once_the_budget_is_spent(
    wish: Any, with_fake: Any, budget: Budget, most: int
) -> None:
    async def test(fake: Fake) -> None:
        endpoint = Endpoint(url=fake.url, model="fake")
        async with open_gateway([endpoint], budget=budget, prices=PRICES) as door:
            asks = [await outcome_of(door, wish(number)) for number in range(20)]
            done = sum(isinstance(one, Reply) for one in asks)
            assert all(isinstance(one, BudgetSpent) for one in asks[done:])
            assert "larger budget" in str(asks[-1])
            assert isinstance(asks[-1], AudienceError)
            assert (done == most) if budget.calls is not None else (1 <= done <= most)
            assert fake.requests == done

    with_fake(test)


def test_calls_at_once_do_not_outrun_a_number_of_calls(wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        endpoint = Endpoint(url=fake.url, model="fake")
        async with open_gateway([endpoint], budget=Budget(calls=7)) as door:
            asks = (door.ask(wish(number)) for number in range(30))
            done = await asyncio.gather(*asks, return_exceptions=True)
        assert sum(isinstance(one, BudgetSpent) for one in done) == 23
        assert fake.requests == 7

    with_fake(test, latency=(0.01, 0.02))


def test_what_is_reused_is_never_refused(tmp_path: Path, wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        endpoint, path = Endpoint(url=fake.url, model="fake"), tmp_path / "calls.db"
        async with open_gateway([endpoint], store=path) as door:
            await door.ask(wish(1))
        async with open_gateway([endpoint], store=path, budget=Budget(calls=0)) as door:
            assert (await door.ask(wish(1))).reused
            with pytest.raises(BudgetSpent):
                await door.ask(wish(2))
            assert door.meter.total().reused == 1
            assert door.store is not None
            assert len(door.store) == 1

    with_fake(test)


def test_a_budget_in_money_needs_a_price() -> None:
    endpoint = Endpoint(url="http://127.0.0.1:1", model="mystery")
    with pytest.raises(BadInput, match="mystery"):
        open_gateway([endpoint], budget=Budget(dollars=1.0))
    with pytest.raises(BadInput, match="0 or more"):
        Budget(dollars=-1.0)


def test_a_price_that_turns_out_unknown_stops_a_budget_in_money(wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        endpoint = Endpoint(url=fake.url, model="fake")
        budget = Budget(dollars=100.0)
        async with open_gateway([endpoint], budget=budget, prices=PRICES) as door:
            await door.ask(wish(1, model="mystery"))
            with pytest.raises(BudgetSpent, match="no price is known for mystery"):
                await door.ask(wish(2))

    with_fake(test)
