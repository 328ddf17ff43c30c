from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest
from tests.llm.conftest import in_virtual_time

from audience.llm import ChatMessage, Endpoint, Reply, Request
from audience.llm.concurrency import Limited
from audience.llm.fake import Fake
from audience.llm.fake_model import Faults, Manners
from audience.llm.openai import OpenAI
from audience.llm.request import Retrying, Tried


def limited(fake: Fake, **more: Any) -> Limited:
    return Limited(OpenAI(Endpoint(url=fake.url, model="fake"), deadline=100.0), **more)


def test_no_more_than_the_most_are_let_through_at_once(wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        gateway = limited(fake, given=3)
        replies = await asyncio.gather(*(gateway.ask(wish(number)) for number in range(20)))
        await gateway.close()
        assert {reply.outcome for reply in replies} == {"reply"}
        assert fake.in_flight_max == 3

    with_fake(test, latency=(0.1, 0.1))


def served(calls: int, manners: Manners, **more: Any) -> tuple[Fake, Limited, Counter[str]]:
    """Return a server after so many calls, with what limited them and how they ended."""

    async def whole() -> tuple[Fake, Limited, Counter[str]]:
        async with Fake(manners) as fake:
            gateway = limited(fake, **more)
            asking = Retrying(gateway)
            replies = await asyncio.gather(*(asking.ask(wish_(number)) for number in range(calls)))
            await gateway.close()
            return fake, gateway, Counter(reply.outcome for reply in replies)

    return in_virtual_time(whole())


def wish_(number: int) -> Request:
    return Request("page", (ChatMessage("user", f"Film {number}?"),), salt=f"1/{number}")


def test_a_server_that_batches_is_given_hundreds_though_each_call_takes_longer() -> None:
    batching = Manners(latency=(1.0, 1.0), crowd=0.001)
    fake, gateway, ended = served(2500, batching)
    assert fake.in_flight_max > 500
    assert gateway.limit.allowed >= 512
    assert ended == {"reply": 2500}


def test_a_server_that_is_saturated_is_not_given_more_and_more() -> None:
    fake, gateway, ended = served(1500, Manners(latency=(1.0, 1.0), slots=64))
    assert fake.in_flight_max <= 128
    assert gateway.limit.allowed in (64, 128)
    assert ended == {"reply": 1500}


def test_a_server_that_throttles_is_asked_less_and_answers_all() -> None:
    fake, gateway, ended = served(1000, Manners(latency=(1.0, 1.0), most=40))
    assert gateway.limit.allowed < 64
    assert ended == {"reply": 1000}
    assert fake.outcomes["429"] < 500


def test_a_number_that_was_given_is_used_at_once() -> None:
    fake, gateway, ended = served(600, Manners(latency=(1.0, 1.0), slots=8), given=300)
    assert fake.in_flight_max == gateway.limit.allowed == 300
    assert ended == {"reply": 600}


def test_a_server_that_falls_silent_is_asked_less_and_less() -> None:
    silent = Manners(latency=(1.0, 1.0), silent_after=100)
    _, gateway, ended = served(300, silent, given=128)
    assert ended["timeout"] == 200
    assert gateway.limit.allowed <= 16


def test_a_server_that_dies_and_comes_back_gets_all_again() -> None:
    async def whole() -> None:
        async with Fake(Manners(latency=(0.5, 0.5))) as fake:
            gateway = limited(fake, given=100)
            asking = Retrying(gateway)
            first = await asyncio.gather(*(asking.ask(wish_(number)) for number in range(100)))
        assert {reply.outcome for reply in first} == {"reply"}
        lost = await asyncio.gather(*(gateway.ask(wish_(number)) for number in range(400)))
        assert {reply.outcome for reply in lost} == {"error"}
        assert gateway.limit.allowed < 20
        async with Fake(Manners(latency=(0.5, 0.5)), port=fake.port):
            asks = (asking.ask(wish_(number)) for number in range(400))
            assert {reply.outcome for reply in await asyncio.gather(*asks)} == {"reply"}
        assert gateway.limit.allowed == 100
        await gateway.close()

    in_virtual_time(whole())


def test_a_server_that_asks_to_wait_is_left_in_peace(wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        gateway = limited(fake, most=1)
        loop = asyncio.get_running_loop()
        began = loop.time()
        first = await gateway.ask(wish(1))
        assert first.outcome == "error"
        assert not gateway.has_room
        await gateway.ask(wish(2))
        assert loop.time() - began >= 0.29
        await gateway.close()

    with_fake(test, faults=Faults(script=("429-says",)), retry_after=0.3)


def test_closing_ends_a_rest(wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        gateway = limited(fake)
        await gateway.ask(wish(1))
        assert not gateway.has_room
        await gateway.close()
        assert gateway.has_room

    with_fake(test, faults=Faults(script=("429-after",)), retry_after=30.0)


def test_those_who_give_up_leave_their_place_to_others(wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        gateway = limited(fake, most=2)
        asks = [asyncio.create_task(gateway.ask(wish(number))) for number in range(12)]
        await asyncio.sleep(0.02)
        for ask in asks[::2]:
            ask.cancel()
        done = await asyncio.gather(*asks, return_exceptions=True)
        assert sum(isinstance(one, asyncio.CancelledError) for one in done) == 6
        assert gateway.limit.flying == 0
        assert (await gateway.ask(wish(99))).outcome == "reply"
        await gateway.close()

    with_fake(test, latency=(0.03, 0.05))


class Strict:
    """A gateway that tells some calls to wait for a minute."""

    def __init__(self, *waits: int) -> None:
        self.asked = 0
        self._waits = waits

    async def ask(self, request: Request) -> Reply:
        self.asked += 1
        if self.asked in self._waits:
            return Tried(request.key, "error", status=429, again=True, after=60.0)
        return Tried(request.key, "reply", ("yes",), status=200)

    async def close(self) -> None: ...


@pytest.mark.parametrize(("waits", "room", "after"), [((20,), 8, 3.0), ((17, 18, 19, 20), 0, 60.0)])
def test_a_stray_call_that_is_told_to_wait_waits_alone(
    wish: Any, waits: tuple[int, ...], room: int, after: float
) -> None:
    async def test() -> None:
        gateway = Limited(Strict(*waits), given=8)
        replies = [await gateway.ask(wish(number)) for number in range(20)]
        last = replies[-1]
        assert isinstance(last, Tried)
        assert (gateway.room > 0, last.after) == (room > 0, after)
        await gateway.close()

    asyncio.run(test())
