"""Asks a model many small questions: limited, counted, and never repaired."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from audience.agents.language import PROMPTS
from audience.errors import Halt
from audience.llm import (
    ChatMessage,
    Gateway,
    OptionChoice,
    Prompts,
    Reply,
    Request,
    Unreadable,
    ask_for,
    choice_in,
    loose_json,
    unanswered,
)

AT_ONCE = 64
AT_ONCE_EMBEDDED = 2
"""Concurrent questions to the embedded model: more would only wait for each other."""
MINDED = 0.8
"""The temperature at which minds are asked; knowledge is asked at 0."""
QuestionProgress = Callable[[int, int], None]
"""Called with how many questions are answered, and how many there are so far."""


class Asker:
    """A gateway for questions that limits concurrency and stops after a halt."""

    def __init__(
        self,
        gateway: Gateway,
        *,
        model: str = "",
        prompts: str = "",
        seed: int = 1,
        at_once: int = AT_ONCE,
        where: str = "",
        progress: QuestionProgress = lambda done, planned: None,
    ) -> None:
        """`where` separates endpoints whose model has no name: they share no stored answers."""
        self.gateway = gateway
        self.model = model
        own = Path(__file__).parent / "prompts"
        self.pack = Prompts(own, PROMPTS, folder=prompts, model=model)
        """The prompts of probes, then those of minds: some probes ask as a mind does."""
        self.seed = seed
        self.where = where
        self.answered_by: Counter[str] = Counter()
        """Answers by the name that the model gives itself."""
        self.scored = 0
        """Choices that came with log-probabilities."""
        self.chosen = 0
        self._free = asyncio.Semaphore(at_once)
        self._halt: Halt | None = None
        self._done = self._planned = 0
        self._progress = progress

    async def ask(self, request: Request) -> Reply:
        """Return the reply to a request; after a halt nothing more is asked."""
        self._planned += 1
        if self.where:
            request = replace(request, salt=f"{self.where} {request.salt}")
        async with self._free:
            if self._halt:
                raise self._halt
            try:
                reply = await self.gateway.ask(request)
            except Halt as halt:
                self._halt = halt
                raise
        if reply.model and reply.outcome == "reply":
            self.answered_by[reply.model] += 1
        self._done += 1
        self._progress(self._done, self._planned)
        return reply

    async def close(self) -> None: ...

    def prompt(
        self, name: str, holes: Mapping[str, str], rules: Sequence[str] = ("probe_rules",)
    ) -> tuple[ChatMessage, ...]:
        """Return a prompt file as messages, with its rules."""
        return (
            ChatMessage("system", "\n\n".join(self.pack.fill(rule, holes) for rule in rules)),
            ChatMessage("user", self.pack.fill(name, holes)),
        )

    async def read(
        self,
        purpose: str,
        messages: tuple[ChatMessage, ...],
        salt: str,
        schema: dict[str, Any],
        *,
        temperature: float = 0.0,
    ) -> dict[str, Any] | Unreadable:
        """Return the object that a model answers with, or why there is none."""
        request = Request(
            purpose,
            messages,
            self.model,
            schema=schema,
            max_tokens=300,
            temperature=temperature,
            salt=f"{self.seed}/{salt}",
        )
        return (await ask_for(self, request, _object_in)).value

    async def choose(
        self, purpose: str, messages: tuple[ChatMessage, ...], salt: str, options: Sequence[str]
    ) -> OptionChoice:
        """Return which option a model chooses: by log-probability if offered, else by its words.

        Log-probabilities do not depend on sampling, so choices are asked at temperature 0.
        """
        request = Request(
            purpose,
            messages,
            self.model,
            options=tuple(options),
            max_tokens=64,
            temperature=0.0,
            salt=f"{self.seed}/{salt}",
        )
        answer = await ask_for(self, request, lambda reply: choice_in(reply, options))
        self.chosen += 1
        if isinstance(answer.value, Unreadable):
            return OptionChoice(None)
        self.scored += bool(answer.value.shares)
        return answer.value


def _object_in(reply: Reply) -> dict[str, Any] | Unreadable:
    fields = unanswered(reply) or loose_json(reply.text)
    return fields if isinstance(fields, Unreadable | dict) else Unreadable("no JSON object")


def whole(value: object, least: int, most: int) -> int | None:
    """Return a whole number within bounds as a reply gives it, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return int(number) if number.is_integer() and least <= number <= most else None
