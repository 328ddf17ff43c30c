"""Asking many at once, and answering many at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Generic, TypeVar

from audience.llm.request import Reply, Request

T = TypeVar("T")
W = TypeVar("W")


async def together(asks: Iterable[Awaitable[T]]) -> list[T]:
    """Return what came of many asks; what fails is raised when all have come: they are paid for."""
    came = await asyncio.gather(*asks, return_exceptions=True)
    found: list[T] = []
    for one in came:
        if isinstance(one, BaseException):
            raise one
        found.append(one)
    return found


class Batcher(Generic[W, T]):
    """Answers all who ask in one turn of the event loop as one batch."""

    def __init__(self, answer: Callable[[list[W]], Awaitable[Sequence[T]]]) -> None:
        """`answer` gives one answer for each that is wanted, in their order."""
        self._answer = answer
        self._waiting: list[tuple[W, asyncio.Future[T]]] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def ask(self, want: W) -> T:
        """Return the answer to one; a failure of the batch is raised for all in it."""
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
        for (_, answer), one in zip(waiting, answers, strict=True):
            if not answer.done():  # the deadline of an asker may have passed
                answer.set_result(one)


Terminal = Callable[[str], str | None]
"""Shows some words and returns what was typed; None when nobody is there any more."""


def typed(words: str) -> str | None:
    """Ask at the terminal."""
    try:
        return input(words)
    except EOFError:
        return None


class Person:
    """Answers as somebody at a terminal does, in its own time."""

    def __init__(self, terminal: Terminal = typed) -> None:
        self.terminal = terminal

    async def ask(self, request: Request) -> Reply:
        words = request.messages[-1].content
        answer = await asyncio.to_thread(self.terminal, words)
        if answer is None:
            return Reply(request.key, "refusal", why="nobody answered", model="human")
        return Reply(request.key, "reply", (answer,), model="human")

    async def close(self) -> None: ...
