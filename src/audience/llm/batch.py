"""Concurrent asking, and batching of requests."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")
W = TypeVar("W")


async def together(asks: Iterable[Awaitable[T]]) -> list[T]:
    """Return the results of many awaitables; an error is raised only when all have finished."""
    came = await asyncio.gather(*asks, return_exceptions=True)
    results: list[T] = []
    for result in came:
        if isinstance(result, BaseException):
            raise result
        results.append(result)
    return results


class Batcher(Generic[W, T]):
    """Answers all requests of one turn of the event loop as one batch."""

    def __init__(self, answer: Callable[[list[W]], Awaitable[Sequence[T]]]) -> None:
        """`answer` returns one answer per request, in order."""
        self._answer = answer
        self._waiting: list[tuple[W, asyncio.Future[T]]] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def ask(self, want: W) -> T:
        """Return the answer to one request; a failure of the batch is raised for all in it."""
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_soon(self._send)
        answer: asyncio.Future[T] = loop.create_future()
        self._waiting.append((want, answer))
        return await answer

    def _send(self) -> None:
        waiting, self._waiting = self._waiting, []
        task = asyncio.create_task(self._serve(waiting))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, waiting: list[tuple[W, asyncio.Future[T]]]) -> None:
        try:
            answers = await self._answer([want for want, _ in waiting])
        except Exception as error:
            for _, answer in waiting:
                if not answer.done():
                    answer.set_exception(error)
            return
        for (_, answer), result in zip(waiting, answers, strict=True):
            if not answer.done():  # the deadline of an asker may have passed
                answer.set_result(result)
