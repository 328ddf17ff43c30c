from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from itertools import pairwise
from typing import Any

import pytest
from tests.llm.conftest import in_virtual_time, nobody, until

from audience.errors import Halt
from audience.llm import ChatMessage, Endpoint, Reply, Request, servers
from audience.llm.concurrency import Limited
from audience.llm.fake import Fake
from audience.llm.fake_model import Faults, Manners
from audience.llm.openai import OpenAI
from audience.llm.request import Retrying
from audience.llm.servers import Balanced, Lane


def lane(url: str, *, weight: float = 0.0, model: str = "fake", most: int = 8) -> Lane:
    inner = OpenAI(Endpoint(url=url, model=model), deadline=100.0)
    return Lane(Limited(inner, most=most), name=url, model=model, weight=weight)


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
    monkeypatch.setattr(servers, "_PAUSE", 3600.0)

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


def lines_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what a user was told about servers."""
    return [line.getMessage() for line in caplog.records if line.name == servers.__name__]


async def ask_all(gateway: Balanced | Retrying, wishes: list[Request], at_once: int) -> list[Reply]:
    """Ask everything, so many at a time."""
    left = iter(enumerate(wishes))
    replies: dict[int, Reply] = {}

    async def work() -> None:
        for place, request in left:
            replies[place] = await gateway.ask(request)

    await asyncio.gather(*(work() for _ in range(at_once)))
    return [replies[place] for place in range(len(wishes))]


def test_a_faster_server_gets_more(wish: Any) -> None:
    async def test() -> tuple[float, int, int]:
        slow, fast = Manners(latency=(0.4, 0.4), slots=4), Manners(latency=(0.1, 0.1), slots=4)
        async with Fake(slow) as one, Fake(fast) as other:
            gateway = Balanced([lane(one.url), lane(other.url)])
            began = asyncio.get_running_loop().time()
            await ask_all(gateway, [wish(number) for number in range(500)], 12)
            took = asyncio.get_running_loop().time() - began
            await gateway.close()
            return took, one.requests, other.requests

    took, slow, fast = in_virtual_time(test())
    assert 2.5 < fast / slow < 5.0  # 40 and 10 calls a second
    assert 500 / took > 0.9 * 50.0


def test_with_little_to_do_the_fastest_answers(wish: Any) -> None:
    async def test() -> tuple[int, int]:
        async with (
            Fake(Manners(latency=(2.0, 2.0))) as slow,
            Fake(Manners(latency=(0.1, 0.1))) as fast,
        ):
            gateway = Balanced([lane(slow.url), lane(fast.url)])
            for number in range(100):
                await gateway.ask(wish(number))
            await gateway.close()
            return slow.requests, fast.requests

    slow, fast = in_virtual_time(test())
    assert 1 <= slow <= 5
    assert slow + fast == 100


def test_a_person_stays_with_a_server(wish: Any) -> None:
    def asked(person: int, turn: int) -> Request:
        about = f"You are Person {person}.\nThis is page {turn}."
        made: Request = wish(
            turn, messages=(ChatMessage("system", "Decide."), ChatMessage("user", about))
        )
        return made

    async def test() -> None:
        manners = Manners(latency=(0.1, 0.12))
        async with Fake(manners) as one, Fake(manners) as other:
            gateway = Balanced([lane(one.url, most=64), lane(other.url, most=64)])

            async def visit(person: int) -> set[str]:
                return {(await gateway.ask(asked(person, turn))).endpoint for turn in range(8)}

            await ask_all(gateway, [asked(-1, 0), asked(-2, 0)], 2)
            homes = await asyncio.gather(*(visit(person) for person in range(20)))
            await gateway.close()
        assert [len(home) for home in homes] == [1] * 20
        assert min(one.requests, other.requests) >= 50

    in_virtual_time(test())


def test_where_people_wait_their_own_servers_take_them(wish: Any) -> None:
    async def test() -> list[list[str]]:
        manners = Manners(latency=(0.1, 0.2))
        async with Fake(manners) as one, Fake(manners) as two, Fake(manners) as three:
            gateway = Balanced([lane(fake.url, most=4) for fake in (one, two, three)])

            async def visit(person: int) -> list[str]:
                about = [f"You are Person {person}.\nThis is page {turn}." for turn in range(8)]
                wishes = [wish(0, messages=(ChatMessage("user", text),)) for text in about]
                return [(await gateway.ask(each)).endpoint for each in wishes]

            visits = await asyncio.gather(*(visit(person) for person in range(60)))
            await gateway.close()
            return visits

    visits = in_virtual_time(test())
    pairs = [pair for visit in visits for pair in pairwise(visit)]
    assert sum(before == after for before, after in pairs) > 0.8 * len(pairs)


def test_a_server_that_dies_loses_no_call_and_comes_back(
    wish: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async def test() -> None:
        async with Fake(Manners(latency=(0.1, 0.1))) as alive:
            mortal = Fake(Manners(latency=(0.1, 0.1)))
            await mortal.__aenter__()
            gateway = Retrying(Balanced([lane(mortal.url), lane(alive.url)]))
            wishes = [wish(number) for number in range(400)]
            asking = asyncio.create_task(ask_all(gateway, wishes, 12))
            await until(lambda: mortal.requests >= 40)
            before = mortal.requests
            await mortal.__aexit__(None, None, None)
            assert mortal.in_flight == 0
            await until(lambda: len(lines_of(caplog)) == 1)
            await mortal.__aenter__()
            await until(lambda: len(lines_of(caplog)) == 2)
            replies = await asking
            await gateway.close()
            await mortal.__aexit__()
        assert {(reply.outcome, reply.attempts) for reply in replies} == {("reply", 1)}
        assert mortal.requests > before + 10
        gone, back = lines_of(caplog)
        assert gone.startswith(f"{mortal.url} is set aside: ")
        assert back.startswith(f"{mortal.url} answers again, after ")

    in_virtual_time(test())


def test_a_server_that_hangs_is_set_aside(wish: Any, caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        calm = Manners(latency=(0.1, 0.1))
        async with Fake(Manners(latency=(0.1, 0.1), silent_after=30)) as mute, Fake(calm) as alive:
            gateway = Retrying(Balanced([lane(mute.url), lane(alive.url)]))
            replies = await ask_all(gateway, [wish(number) for number in range(300)], 12)
            await gateway.close()
        assert {(reply.outcome, reply.attempts) for reply in replies} == {("reply", 1)}
        assert lines_of(caplog)[0].startswith(f"{mute.url} is set aside: no answer ")
        assert mute.requests < 60

    in_virtual_time(test())


def test_a_server_that_breaks_is_set_aside_and_a_stray_error_is_not(
    wish: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async def test() -> None:
        stray, broken = Manners(faults=Faults({"500": 0.1})), Manners(faults=Faults({"500": 1.0}))
        async with Fake(broken) as ill, Fake(stray) as alive:
            gateway = Retrying(Balanced([lane(ill.url), lane(alive.url)]))
            replies = [await gateway.ask(wish(number)) for number in range(60)]
            assert {reply.outcome for reply in replies} == {"reply"}
            assert [line.partition(" ")[0] for line in lines_of(caplog)] == [ill.url]
            ill.manners = Manners()
            await until(lambda: len(lines_of(caplog)) == 2)
            await gateway.close()

    in_virtual_time(test())


def test_one_that_comes_and_goes_stays_away_longer_each_time(
    wish: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async def test() -> None:
        ill = Manners(faults=Faults({"500": 0.7}), latency=(0.05, 0.1))
        async with Fake(ill) as unsteady, Fake(Manners(latency=(0.05, 0.1))) as steady:
            gateway = Retrying(Balanced([lane(unsteady.url), lane(steady.url)]))
            replies = await ask_all(gateway, [wish(number) for number in range(2_000)], 12)
            await gateway.close()
        assert {reply.outcome for reply in replies} == {"reply"}
        assert {line.split()[0] for line in lines_of(caplog)} == {unsteady.url}
        # Some fifteen seconds: without growing pauses it would have gone twenty times or more.
        assert 2 <= len(lines_of(caplog)) <= 20

    in_virtual_time(test())


def test_a_call_that_is_always_late_goes_to_two_servers(wish: Any) -> None:
    async def test() -> tuple[Reply, list[int]]:
        slow = Manners(latency=(3600.0, 3600.0))
        async with Fake(slow) as one, Fake(slow) as two, Fake(slow) as three:
            fakes = (one, two, three)
            gateway = Balanced([lane(fake.url) for fake in fakes])
            reply = await gateway.ask(wish())
            await gateway.close()
            return reply, [fake.requests for fake in fakes]

    reply, asked = in_virtual_time(test())
    assert (reply.outcome, sorted(asked)) == ("timeout", [0, 1, 1])
    assert reply.seconds == pytest.approx(200.0, abs=1.0)


def test_one_that_stays_away_is_asked_ever_more_seldom(wish: Any) -> None:
    async def test() -> int:
        async with Fake(Manners(faults=Faults({"500": 1.0}))) as ill, Fake() as alive:
            gateway = Retrying(Balanced([lane(ill.url), lane(alive.url)]))
            for number in range(20):
                await gateway.ask(wish(number))
            asked = ill.requests
            await asyncio.sleep(130.0)
            await gateway.close()
            return ill.requests - asked

    # After 0.5 s, 0.55 s and so on to 30 s.
    assert in_virtual_time(test()) == 34


def test_a_run_halts_only_when_no_server_is_left(wish: Any) -> None:
    async def test() -> None:
        with nobody() as gone:
            async with Fake() as alive:
                gateway = Retrying(Balanced([lane(gone), lane(alive.url)]), halting=True)
                assert (await gateway.ask(wish(1))).outcome == "reply"
                await alive.__aexit__()
                with pytest.raises(Halt, match="everything so far is kept"):
                    await gateway.ask(wish(2))
                await alive.__aenter__()
                assert (await gateway.ask(wish(3))).outcome == "reply"
                await gateway.close()

    in_virtual_time(test())


def test_a_server_returns_though_its_loop_ended(wish: Any) -> None:
    with nobody() as url:
        gateway = Balanced([lane(url)])
        assert in_virtual_time(gateway.ask(wish(1))).outcome == "error"
        in_virtual_time(gateway.close())

    async def test() -> str:
        port = int(url.rpartition(":")[2].partition("/")[0])
        async with Fake(port=port):
            reply = await gateway.ask(wish(2))
            await gateway.close()
            return reply.outcome

    assert in_virtual_time(test()) == "reply"
