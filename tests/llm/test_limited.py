from __future__ import annotations

import asyncio
from typing import Any

from audience.llm import Endpoint
from audience.llm.concurrency import Limited
from audience.llm.fake import Fake
from audience.llm.fake_model import Faults
from audience.llm.openai import OpenAI


def limited(fake: Fake, **more: Any) -> Limited:
    return Limited(OpenAI(Endpoint(url=fake.url, model="fake"), deadline=100.0), **more)


def test_no_more_than_the_most_are_let_through_at_once(wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        gateway = limited(fake, most=3)
        replies = await asyncio.gather(*(gateway.ask(wish(number)) for number in range(20)))
        await gateway.close()
        assert {reply.outcome for reply in replies} == {"reply"}
        assert fake.in_flight_max == 3

    with_fake(test, latency=(0.1, 0.1))


def test_the_limit_is_found_by_itself(wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        gateway = limited(fake, first=4)
        await asyncio.gather(*(gateway.ask(wish(number)) for number in range(200)))
        await gateway.close()
        assert gateway.limit.flying == 0
        # How far it opens depends on how busy this machine is; that it opens does not.
        assert fake.in_flight_max > 4

    with_fake(test, latency=(0.02, 0.03))


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
