from __future__ import annotations

import asyncio

import pytest

from audience.llm.together import together


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
