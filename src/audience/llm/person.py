"""A gateway behind which a person sits: shown words, it types an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from audience.llm.kinds import Reply, Request

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
