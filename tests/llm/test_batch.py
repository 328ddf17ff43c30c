from __future__ import annotations

import asyncio

import pytest

from audience.llm import Batcher, together


async def _soon(number: int, came: list[int]) -> int:
    await asyncio.sleep(0.001 * number)
    if number == 1:
        raise ValueError("one")
    came.append(number)
    return number


def test_all_come_in_their_order() -> None:
    came: list[int] = []

    async def ask() -> list[int]:
        return await together(_soon(number, came) for number in (3, 2, 0))

    assert asyncio.run(ask()) == [3, 2, 0]
    assert came == [0, 2, 3]


def test_a_failure_is_raised_when_all_have_come() -> None:
    came: list[int] = []

    async def ask() -> list[int]:
        return await together(_soon(number, came) for number in (1, 5, 4))

    with pytest.raises(ValueError, match="one"):
        asyncio.run(ask())
    assert came == [4, 5]


def test_who_asks_in_one_turn_is_answered_in_one_batch() -> None:
    batches: list[list[int]] = []

    async def doubled(wants: list[int]) -> list[int]:
        batches.append(wants)
        await asyncio.sleep(0)
        return [2 * want for want in wants]

    async def main() -> list[int]:
        desk = Batcher(doubled)
        first = await asyncio.gather(*(desk.ask(number) for number in range(5)))
        return [*first, await desk.ask(9)]

    assert asyncio.run(main()) == [0, 2, 4, 6, 8, 18]
    assert batches == [[0, 1, 2, 3, 4], [9]]


def test_a_failing_batch_fails_for_all_in_it_and_no_other() -> None:
    async def picky(wants: list[int]) -> list[int]:
        if 3 in wants:
            raise ValueError("no threes")
        return wants

    async def main() -> list[object]:
        desk = Batcher(picky)
        came = await asyncio.gather(*map(desk.ask, (1, 3)), return_exceptions=True)
        return [*came, await desk.ask(4)]

    first, second, third = asyncio.run(main())
    assert isinstance(first, ValueError)
    assert isinstance(second, ValueError)
    assert third == 4


def test_who_has_gone_is_not_waited_for() -> None:
    async def slow(wants: list[int]) -> list[int]:
        await asyncio.sleep(0.05)
        return wants

    async def main() -> int:
        desk = Batcher(slow)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await asyncio.gather(desk.ask(1))
        return await desk.ask(2)

    assert asyncio.run(main()) == 2
