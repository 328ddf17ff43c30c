from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from audience.errors import BadInput
from audience.llm import CallStore, Endpoint, GatewayStack, Request, open_gateway
from audience.llm.fake import Fake
from audience.llm.fake_model import Faults, Manners

# Without `hang`: what is given up after a time limit depends on how fast this machine is.
FAULTS = Faults(
    rates={
        "429": 0.03,
        "429-after": 0.02,
        "429-says": 0.02,
        "500": 0.05,
        "reset": 0.02,
        "garbage": 0.02,
        "half": 0.01,
        "empty": 0.01,
        "refusal": 0.02,
    }
)
SCHEMA = {"type": "object", "properties": {"rating": {"type": "integer"}}, "required": ["rating"]}


def door_to(fake: Fake, **more: Any) -> GatewayStack:
    return open_gateway([Endpoint(url=fake.url, model="fake")], deadline=100.0, **more)


async def all_of(door: GatewayStack, requests: list[Request]) -> list[tuple[str, tuple[str, ...]]]:
    replies = await asyncio.gather(*(door.ask(request) for request in requests))
    return [(reply.outcome, reply.texts) for reply in replies]


def test_one_at_a_time_equals_many_with_faults_and_from_the_store(
    tmp_path: Path, wish: Any
) -> None:
    requests = [wish(number, schema=SCHEMA if number % 2 else None) for number in range(120)]

    async def test() -> None:
        found = []
        for concurrency in (1, 64):
            path = tmp_path / f"{concurrency}.db"
            manners = Manners(faults=FAULTS, retry_after=0.05)
            async with Fake(manners) as fake:
                async with door_to(fake, store=path, concurrency=concurrency) as door:
                    found.append(await all_of(door, requests))
                    total = door.meter.total()
                    assert total.calls == 120
                    assert total.attempts > 120
                    assert total.failed == sum(outcome != "reply" for outcome, _ in found[-1])
                assert fake.in_flight == 0
        async with open_gateway(mode="stored", store=tmp_path / "64.db") as door:
            found.append(await all_of(door, requests))
            assert door.meter.total().reused == 120
        assert found[0] == found[1] == found[2]
        assert {outcome for outcome, _ in found[0]} == {"reply", "refusal"}

    asyncio.run(asyncio.wait_for(test(), 150.0))


def test_a_branch_pays_only_for_what_differs(tmp_path: Path, wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        parent, child = tmp_path / "parent.db", tmp_path / "child.db"
        async with door_to(fake, store=parent) as door:
            await all_of(door, [wish(number) for number in range(10)])
        async with door_to(fake, store=CallStore(child, [parent])) as door:
            await all_of(door, [wish(number) for number in range(5, 15)])
            total = door.meter.total()
        assert (total.calls, total.reused) == (5, 5)
        assert fake.requests == 15

    with_fake(test)


def test_calls_last_from_a_flush_on(tmp_path: Path, wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        path = tmp_path / "calls.db"
        async with door_to(fake, store=path) as door:
            await door.ask(wish(1))
            door.flush()
            reader = CallStore(path, read_only=True)
            assert len(reader) == 1
            reader.close()

    with_fake(test)


def test_a_door_may_rest_between_two_loops(tmp_path: Path, wish: Any, serving: Any) -> None:
    async def first(door: GatewayStack) -> None:
        await door.ask(wish(1))
        await door.rest()

    async def second(door: GatewayStack) -> None:
        assert (await door.ask(wish(2))).outcome == "reply"
        await door.close()

    with serving() as fake:
        door = door_to(fake, store=tmp_path / "calls.db")
        asyncio.run(first(door))
        asyncio.run(second(door))


def test_a_call_that_hangs_is_asked_again(wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        endpoint = Endpoint(url=fake.url, model="fake")
        async with open_gateway([endpoint], deadline=1.0, tries=100, overall=100.0) as door:
            reply = await door.ask(wish())
        assert reply.outcome == "reply"
        assert reply.attempts > 1

    with_fake(test, faults=Faults(script=("hang",)))


def test_two_endpoints_one_dead(wish: Any, with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        endpoints = [
            Endpoint(url="http://127.0.0.1:9/v1", model="fake", weight=4.0),
            Endpoint(url=fake.url, model="fake"),
        ]
        async with open_gateway(endpoints) as door:
            found = await all_of(door, [wish(number) for number in range(40)])
        assert {outcome for outcome, _ in found} == {"reply"}

    with_fake(test)


def test_what_is_missing_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--llm URL"):
        open_gateway()
    with pytest.raises(BadInput, match="calls were kept"):
        open_gateway(mode="stored")
    with pytest.raises(BadInput, match="concurrency is -1"):
        open_gateway([Endpoint(url="http://h")], concurrency=-1)


def test_stored_needs_no_key(tmp_path: Path, wish: Any) -> None:
    endpoint = Endpoint(url="http://h", key_env="NOT_A_KEY_OF_OURS")

    async def test() -> None:
        async with open_gateway([endpoint], mode="stored", store=tmp_path / "calls.db") as door:
            assert (await door.ask(wish())).outcome == "error"

    asyncio.run(test())
    with pytest.raises(BadInput, match="NOT_A_KEY_OF_OURS"):
        open_gateway([endpoint], folder=tmp_path)


def test_importing_the_room_loads_no_http_library() -> None:
    script = "import sys, audience.llm; sys.exit('aiohttp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
