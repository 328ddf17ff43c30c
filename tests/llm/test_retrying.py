from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.llm.conftest import nobody, until

from audience.llm import Endpoint, pause
from audience.llm.fake import Fake
from audience.llm.fake_model import Faults
from audience.llm.openai import OpenAI
from audience.llm.request import Gone, Retrying


def retrying(fake: Fake, *, deadline: float = 100.0, **more: Any) -> Retrying:
    return Retrying(OpenAI(Endpoint(url=fake.url, model="fake"), deadline=deadline), **more)


def test_it_asks_again_until_it_has_a_reply(wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        gateway = retrying(fake)
        reply = await gateway.ask(wish())
        await gateway.close()
        assert (reply.outcome, reply.attempts, fake.requests) == ("reply", 4, 4)
        assert reply.why == ""

    with_fake(test, faults=Faults(script=("500", "garbage", "reset")))


@pytest.mark.parametrize("fault", ["refusal", "filter"])
def test_a_refusal_is_an_answer(wish: Any, with_fake: Any, fault: str) -> None:
    async def test(fake: Fake) -> None:
        gateway = retrying(fake)
        reply = await gateway.ask(wish())
        await gateway.close()
        assert (reply.outcome, fake.requests) == ("refusal", 1)

    with_fake(test, faults=Faults(script=(fault,)))


def test_it_gives_up_after_so_many_tries(wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        gateway = retrying(fake, tries=3)
        reply = await gateway.ask(wish())
        await gateway.close()
        assert (reply.outcome, reply.attempts, fake.requests) == ("unreadable", 3, 3)
        assert "after 3 attempts" in reply.why

    with_fake(test, faults=Faults(rates={"half": 1.0}))


def test_the_deadline_of_all_attempts_holds(wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        gateway = retrying(fake, deadline=0.2, tries=50, overall=0.7)
        reply = await gateway.ask(wish())
        await gateway.close()
        assert reply.outcome == "timeout"
        assert fake.requests < 5

    with_fake(test, faults=Faults(rates={"hang": 1.0}))


def test_a_wait_beyond_the_deadline_is_not_waited(wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        gateway = retrying(fake, overall=5.0)
        reply = await gateway.ask(wish())
        await gateway.close()
        assert (reply.outcome, fake.requests) == ("error", 1)
        assert "429" in reply.why

    with_fake(test, faults=Faults(rates={"429-after": 1.0}), retry_after=3600.0)


@pytest.mark.parametrize("fault", ["429-after", "429-says"])
def test_it_waits_as_long_as_it_is_asked_to(wish: Any, with_fake: Any, fault: str) -> None:
    async def test(fake: Fake) -> None:
        gateway = retrying(fake)
        reply = await gateway.ask(wish())
        await gateway.close()
        assert (reply.outcome, reply.attempts) == ("reply", 2)
        assert reply.seconds >= 0.4

    with_fake(test, faults=Faults(script=(fault,)), retry_after=0.4)


def test_tokens_of_all_attempts_are_counted(wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        gateway = retrying(fake)
        one = await gateway.ask(wish(1))
        again = await gateway.ask(wish(1))
        await gateway.close()
        assert one.attempts == 2
        assert again.attempts == 1
        assert one.usage == again.usage

    with_fake(test, faults=Faults(script=("500",)))


def test_jitter_belongs_to_the_request_and_the_attempt() -> None:
    waits = [pause("abc", attempt) for attempt in range(1, 12)]
    assert waits == [pause("abc", attempt) for attempt in range(1, 12)]
    assert waits != [pause("abd", attempt) for attempt in range(1, 12)]
    for attempt, wait in enumerate(waits, 1):
        assert 0.5 <= wait / min(20.0, 0.1 * 2 ** (attempt - 1)) <= 1.5
    assert pause("abc", 1, 0.4) == pytest.approx(waits[0] * 4.0)


def test_giving_up_cancels_the_call(wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        gateway = retrying(fake)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await gateway.ask(wish())
        await gateway.close()
        await until(lambda: fake.in_flight == 0)

    with_fake(test, faults=Faults(rates={"hang": 1.0}))


@pytest.mark.parametrize("answered", [False, True])
def test_an_endpoint_that_is_gone_halts_a_run(wish: Any, with_fake: Any, answered: bool) -> None:
    async def test(fake: Fake) -> None:
        gateway = retrying(fake, halting=True, tries=4)
        if answered:
            assert (await gateway.ask(wish(1))).outcome == "reply"
        await gateway.close()
        with nobody() as url:
            gateway.inner = OpenAI(Endpoint(url=url, model="fake"))
            attempts = rf"\(after {4 if answered else 3} attempts\)"
            with pytest.raises(Gone, match=f"cannot be reached.*{attempts}; everything so far is"):
                await gateway.ask(wish(2))
            await gateway.close()

    with_fake(test)


def test_a_key_that_is_refused_halts_a_run(wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        gateway = retrying(fake, halting=True)
        with pytest.raises(Gone, match="401"):
            await gateway.ask(wish())
        await gateway.close()
        assert fake.requests == 4, "the call, and three harmless questions"

    with_fake(test, key="another")
