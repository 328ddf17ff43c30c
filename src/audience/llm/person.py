"""A gateway to a person at a terminal, who may take their time."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable

from audience.llm.request import Reply, Request
from audience.plain_text import without_controls

Terminal = Callable[[str], str | None]
"""Shows a prompt and returns what was typed; None at the end of input."""


def read_line(words: str) -> str | None:
    """Show words on standard output, and return the next line of standard input."""
    try:
        return input(without_controls(words))
    except EOFError:
        return None


async def typed_line(words: str) -> str | None:
    """Return the same, and leave nothing behind that reads on if nobody waits any longer.

    A thread that reads a terminal cannot be stopped, so Ctrl-C would wait for the next line.
    """
    loop = asyncio.get_running_loop()
    if not sys.stdin.isatty():
        return await asyncio.to_thread(read_line, words)
    sys.stdout.write(without_controls(words))
    sys.stdout.flush()
    has_line = asyncio.Event()
    loop.add_reader(sys.stdin.fileno(), has_line.set)
    try:
        await has_line.wait()
    finally:
        loop.remove_reader(sys.stdin.fileno())
    line = sys.stdin.readline()
    return line.removesuffix("\n") if line else None


class Person:
    """A gateway to whoever sits at the terminal, or to a `terminal` of one's own."""

    def __init__(self, terminal: Terminal | None = None) -> None:
        self.terminal = terminal

    async def ask(self, request: Request) -> Reply:
        words = request.messages[-1].content
        if self.terminal is None:
            answer = await typed_line(words)
        else:
            answer = await asyncio.to_thread(self.terminal, words)
        if answer is None:
            return Reply(request.key, "refusal", why="nobody answered", model="human")
        return Reply(request.key, "reply", (answer,), model="human")

    async def close(self) -> None: ...
