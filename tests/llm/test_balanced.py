from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from tests.llm.conftest import nobody, until

from audience.llm import Endpoint, concurrency as balanced
from audience.llm.concurrency import Balanced, Lane, Limited
from audience.llm.fake import Fake
from audience.llm.fake_model import Faults, Manners
from audience.llm.openai import OpenAI
from audience.llm.request import Retrying


def lane(url: str, *, weight: float = 1.0, model: str = "fake", most: int = 8) -> Lane:
    inner = OpenAI(Endpoint(url=url, model=model), deadline=100.0)
    return Lane(Limited(inner, most=most), model=model, weight=weight)


def with_two(
    test: Callable[[Fake, Fake], Awaitable[None]], one: Manners, other: Manners | None = None
) -> None:
    async def whole() -> None:
        async with Fake(one) as first, Fake(other or one) as second:
            await asyncio.wait_for(test(first, second), 120.0)

    asyncio.run(whole())


def test_calls_are_shared_by_weight(wish: Any) -> None:
    async def test(one: Fake, other: Fake) -> None:
        gateway = Balanced([lane(one.url, weight=3.0), lane(other.url)])
        for number in range(40):
            assert (await gateway.ask(wish(number))).outcome == "reply"
        await gateway.close()
        assert (one.requests, other.requests) == (30, 10)

    with_two(test, Manners())


def test_a_slow_endpoint_does_not_hold_up_a_fast_one(wish: Any) -> None:
    async def test(slow: Fake, fast: Fake) -> None:
        gateway = Balanced([lane(slow.url, most=2), lane(fast.url, most=2)])
        asks = [asyncio.create_task(gateway.ask(wish(number))) for number in range(60)]
        await until(lambda: sum(ask.done() for ask in asks) == 58 and slow.requests == 2)
        assert fast.requests == 58
        for ask in asks:
            ask.cancel()
        await asyncio.gather(*asks, return_exceptions=True)
        await gateway.close()

    with_two(test, Manners(latency=(3600.0, 3600.0)), Manners())


def test_the_model_that_answers_depends_on_the_request_alone(wish: Any) -> None:
    async def test(one: Fake, other: Fake) -> None:
        found = []
        for most in (1, 64):
            lanes = [lane(one.url, model="a", most=most), lane(other.url, model="b", most=most)]
            gateway = Balanced(lanes)
            replies = await asyncio.gather(*(gateway.ask(wish(number)) for number in range(60)))
            await gateway.close()
            found.append([(reply.model, reply.text) for reply in replies])
        assert found[0] == found[1]
        counts = Counter(model for model, _ in found[0])
        assert min(counts["a"], counts["b"]) > 15

    with_two(test, Manners(latency=(0.001, 0.01)))


def test_a_named_model_goes_to_its_endpoint(wish: Any) -> None:
    async def test(one: Fake, other: Fake) -> None:
        gateway = Balanced([lane(one.url, model="a"), lane(other.url, model="b")])
        for number in range(6):
            await gateway.ask(wish(number, model="b"))
        await gateway.close()
        assert (one.requests, other.requests) == (0, 6)

    with_two(test, Manners())


def test_a_dead_endpoint_costs_no_call(wish: Any) -> None:
    async def test(alive: Fake, _: Fake) -> None:
        with nobody() as url:
            gateway = Retrying(Balanced([lane(url, weight=5.0), lane(alive.url)]))
            replies = await asyncio.gather(*(gateway.ask(wish(number)) for number in range(30)))
            await gateway.close()
        assert {reply.outcome for reply in replies} == {"reply"}
        assert {reply.endpoint for reply in replies} == {alive.url}

    with_two(test, Manners())


def test_an_endpoint_that_refuses_our_key_is_left_out(
    wish: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(balanced, "_COOL", 3600.0)
    monkeypatch.setattr(balanced, "_COOLEST", 3600.0)

    async def test(closed: Fake, alive: Fake) -> None:
        gateway = Retrying(Balanced([lane(closed.url), lane(alive.url)]))
        replies = [await gateway.ask(wish(number)) for number in range(6)]
        await gateway.close()
        assert {reply.outcome for reply in replies} == {"reply"}
        assert closed.requests == 1

    with_two(test, Manners(key="somebody else's"), Manners())


def test_all_dead_is_an_error_and_no_hang(wish: Any) -> None:
    async def test() -> None:
        with nobody() as one, nobody() as other:
            gateway = Retrying(Balanced([lane(url) for url in (one, other)]), tries=3)
            reply = await gateway.ask(wish())
            await gateway.close()
        assert reply.outcome == "error"
        assert "3 attempts" in reply.why

    asyncio.run(test())


def test_while_one_rests_the_other_works(wish: Any) -> None:
    async def test(resting: Fake, alive: Fake) -> None:
        gateway = Balanced([lane(resting.url), lane(alive.url)])
        outcomes = Counter([(await gateway.ask(wish(number))).outcome for number in range(10)])
        await gateway.close()
        assert outcomes == {"error": 1, "reply": 9}

    with_two(test, Manners(faults=Faults(script=("429-after",)), retry_after=3600.0), Manners())
