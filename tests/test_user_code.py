from __future__ import annotations

import asyncio
import threading
import time
from contextlib import suppress

import pytest

from audience.user_code import Late, said, stepped, within


def _for_ever() -> None:
    while True:
        with suppress(Exception):
            sum(range(100))


def _stubborn() -> None:
    tries = 0
    while True:
        try:
            sum(range(100))
        except BaseException:
            tries += 1
            if tries == 2:
                raise


@pytest.mark.parametrize("work", [_for_ever, _stubborn, lambda: time.sleep(3600)])
def test_what_never_returns_is_interrupted(work: object) -> None:
    with pytest.raises(Late) as late, within(0.1):
        work()  # type: ignore[operator]
    assert said(late.value).startswith("took longer than 0.1 s in ")


def test_it_is_interrupted_in_another_thread() -> None:
    found: list[str] = []

    def work() -> None:
        try:
            with within(0.1):
                _for_ever()
        except Late as late:
            found.append(said(late))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(60.0)
    assert found
    assert found[0].startswith("took longer than 0.1 s in ")


def test_the_outer_deadline_holds_after_an_inner_one() -> None:
    def work() -> None:
        with within(30.0):
            pass
        _for_ever()

    with pytest.raises(Late), within(0.3):
        work()


def test_what_is_done_in_time_is_left_alone() -> None:
    for _ in range(50):
        with within(0.05):
            pass
    time.sleep(0.6)


def test_a_coroutine_may_wait_for_long_and_not_work_for_long() -> None:
    async def waits() -> int:
        await asyncio.sleep(0.6)
        return 3

    async def works() -> None:
        await asyncio.sleep(0.01)
        _for_ever()

    assert asyncio.run(_outer(waits())) == 3
    with pytest.raises(Late):
        asyncio.run(_outer(works()))


async def _outer(work: object) -> object:
    return await stepped(work, 0.2)  # type: ignore[arg-type]


def test_a_coroutine_can_be_cancelled() -> None:
    async def main() -> None:
        task = asyncio.ensure_future(_outer(asyncio.sleep(3600)))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())


def test_no_deadline_is_none() -> None:
    with within(0.0):
        pass
