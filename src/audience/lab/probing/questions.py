"""Asks a model many small questions: limited, counted, and never repaired."""

from __future__ import annotations

import asyncio
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from audience.agents.language import PROMPTS
from audience.errors import Halt
from audience.llm import (
    ChatMessage,
    Gateway,
    Prompts,
    Reply,
    Request,
    Unreadable,
    ask_for,
    loose_json,
    unanswered,
)

AT_ONCE = 64
MINDED = 0.8
"""The temperature at which minds are asked; knowledge is asked at 0."""
_MARK = re.compile(r"[\W_]*([^\W_]+)(?:[\W_]*|[.):,\n-].*)", re.DOTALL)
_WORD = re.compile(r"[^\W_]+")
QuestionProgress = Callable[[int, int], None]
"""Called with how many questions are answered, and how many there are so far."""


class OptionChoice(msgspec.Struct, frozen=True):
    """Which of some options a model chooses."""

    place: int | None
    """None if the answer names none, or several."""
    shares: tuple[float, ...] = ()
    """The probability of each option, if the endpoint gives log-probabilities."""

    def share(self, option: int) -> float | None:
        """Return the share of an option: its probability, else all or nothing."""
        if self.shares:
            return self.shares[option]
        return None if self.place is None else float(self.place == option)


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
        answer = await ask_for(self, request, lambda reply: _choice_in(reply, options))
        self.chosen += 1
        if isinstance(answer.value, Unreadable):
            return OptionChoice(None)
        self.scored += bool(answer.value.shares)
        return answer.value


def _object_in(reply: Reply) -> dict[str, Any] | Unreadable:
    fields = unanswered(reply) or loose_json(reply.text)
    return fields if isinstance(fields, Unreadable | dict) else Unreadable("no JSON object")


def _choice_in(reply: Reply, options: Sequence[str]) -> OptionChoice | Unreadable:
    if wrong := unanswered(reply):
        return wrong
    if len(reply.scores) == len(options):
        shares = softmax(reply.scores)
        return OptionChoice(shares.index(max(shares)), shares)
    return OptionChoice(named(reply.text, options))


def softmax(scores: Sequence[float]) -> tuple[float, ...]:
    """Return log-probabilities as shares of one."""
    highest = max(scores)
    weights = [math.exp(max(score - highest, -700.0)) for score in scores]
    return tuple(weight / sum(weights) for weight in weights)


def named(text: str, options: Sequence[str]) -> int | None:
    """Return the only option that a text names; None if it names none or several."""
    places = {option.casefold(): place for place, option in enumerate(options)}
    first = _MARK.fullmatch(text.strip())
    if first and first[1].casefold() in places:
        return places[first[1].casefold()]
    words = (word for word in _WORD.finditer(text) if word[0].casefold() in places)
    matches = {places[word[0].casefold()] for word in words if not _is_prose(word, text)}
    return matches.pop() if len(matches) == 1 else None


def _is_prose(word: re.Match[str], text: str) -> bool:
    """Return True if a letter is a word of the sentence: lower case, or an article."""
    if len(word[0]) > 1:
        return False
    article = word[0] == "A" and re.match(r"\s+[^\W\d_]", text[word.end() :]) is not None
    return word[0].islower() or article


def whole(value: object, least: int, most: int) -> int | None:
    """Return a whole number within bounds as a reply gives it, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return int(number) if number.is_integer() and least <= number <= most else None
