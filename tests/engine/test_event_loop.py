"""Stopping at once, by a signal that arrives anywhere in what an event loop does."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import pytest

from audience.engine import run_sync, stop_at_once

TASKS = 8


@contextmanager
def stopped_at(call: int) -> Iterator[Callable[[], None]]:
    """Send a signal with one of the next calls of Python; yield what begins to count them."""
    left, told = call, list[int]()

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal left
        if event == "call":
            left -= 1
            if not left:
                sys.setprofile(None)
                signal.raise_signal(signal.SIGUSR1)

    def ask(number: int, frame: FrameType | None) -> None:
        told.append(number)
        if len(told) > 1:
            raise KeyboardInterrupt
        stop_at_once(number)

    before = signal.signal(signal.SIGUSR1, ask)
    try:
        yield lambda: sys.setprofile(count)
    finally:
        sys.setprofile(None)
        signal.signal(signal.SIGUSR1, before)


@pytest.mark.parametrize("call", range(1, 160, 3))
def test_it_stops_all_tasks_wherever_the_signal_comes(
    call: int, capsys: pytest.CaptureFixture[str]
) -> None:
    begun, ended = list[int](), list[int]()

    async def one(number: int) -> None:
        begun.append(number)
        try:
            for _ in range(4):
                await asyncio.sleep(0)
            await asyncio.Event().wait()
        finally:
            ended.append(number)

    async def work() -> None:
        begin()
        async with asyncio.timeout(20), asyncio.TaskGroup() as tasks:
            for number in range(TASKS):
                tasks.create_task(one(number))

    with stopped_at(call) as begin, pytest.raises(KeyboardInterrupt):
        run_sync(work)
    assert sorted(begun) == sorted(ended)
    assert capsys.readouterr().err == ""


def test_it_interrupts_what_computes_without_coming_back_to_the_loop() -> None:
    async def work() -> None:
        begin()
        while True:
            abs(sum(place for place in range(10)))

    with stopped_at(50) as begin, pytest.raises(KeyboardInterrupt):
        run_sync(work)


def test_it_stops_where_no_loop_runs() -> None:
    with pytest.raises(KeyboardInterrupt):
        stop_at_once(signal.SIGUSR1)
