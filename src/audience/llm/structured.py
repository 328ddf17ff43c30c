"""Asking a model for something that can be read: schema, question, reading, one repair.

This is the only repair loop. Minds, memories, evaluations, judges and probes all go through
`ask_for`; what they read, and whether they ask again, is theirs to say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import msgspec
from msgspec.structs import replace

from audience.llm.kinds import Gateway, Message, Reply, Request
from audience.llm.loose import Unreadable
from audience.llm.prompts import Prompts

T = TypeVar("T")
Schema = dict[str, Any]
Messages = tuple[Message, ...]


class Structured(msgspec.Struct, Generic[T], frozen=True):
    """What came of a question, and the replies behind it: one, or two after a repair."""

    value: T
    """What was read; mostly that may also be `Unreadable`."""
    replies: tuple[Reply, ...]

    @property
    def calls(self) -> tuple[str, ...]:
        """The keys of the calls, in order."""
        return tuple(reply.key for reply in self.replies)


async def ask_for(
    gateway: Gateway,
    request: Request,
    read: Callable[[Reply], T],
    repair: Callable[[Reply, Unreadable], Request] | None = None,
) -> Structured[T]:
    """Ask, read, and ask once more where a reply came that cannot be read.

    Without `repair` nothing is asked again; nor is it after a refusal, a timeout or an error.
    """
    reply = await gateway.ask(request)
    value = read(reply)
    if repair is None or not isinstance(value, Unreadable) or reply.outcome != "reply":
        return Structured(value, (reply,))
    repaired = await gateway.ask(repair(reply, value))
    return Structured(read(repaired), (reply, repaired))


class Questioner:
    """A gateway, a model, its prompts and its sampling: how one mind or memory asks."""

    def __init__(
        self,
        gateway: Gateway,
        prompts: Prompts,
        *,
        temperature: float,
        max_tokens: int = 0,
        repair: str = "repair",
        shown: int = 2000,
    ) -> None:
        """`repair` names the prompt that asks again; `shown`: characters of the reply it quotes."""
        self.gateway = gateway
        self.prompts = prompts
        self.temperature = temperature
        self.max_tokens = max_tokens
        self.repair = repair
        self.shown = shown

    async def ask_for(
        self,
        purpose: str,
        messages: Messages,
        decision: int,
        read: Callable[[Reply], T],
        schema: Schema,
        *,
        size: int = 0,
    ) -> Structured[T]:
        """Ask for something that `read` reads, with one repair.

        `decision` is the key of what is decided, and part of the salt, so that an equal branch
        asks nothing anew; `size`: tokens of the reply, if not as many as ever.
        """
        first = self._request(purpose, messages, f"{decision:016x}.{purpose}.0", schema, size)

        def again(reply: Reply, wrong: Unreadable) -> Request:
            asked = (
                *messages,
                Message("assistant", reply.text[: self.shown]),
                Message("user", self.prompts.fill(self.repair, {"why": wrong.why})),
            )
            return replace(first, messages=asked, salt=f"{decision:016x}.{purpose}.1")

        return await ask_for(self.gateway, first, read, again)

    async def ask_once(
        self,
        purpose: str,
        messages: Messages,
        decision: int,
        read: Callable[[Reply], T],
        schema: Schema | None = None,
        *,
        nth: int = 0,
        size: int = 0,
    ) -> Structured[T]:
        """Ask one of several questions of a decision, the `nth`, without a repair."""
        salt = f"{decision:016x}.{purpose}.{nth}"
        request = self._request(purpose, messages, salt, schema, size)
        return await ask_for(self.gateway, request, read)

    def _request(
        self, purpose: str, messages: Messages, salt: str, schema: Schema | None, size: int
    ) -> Request:
        return Request(
            purpose,
            messages,
            self.prompts.model,
            schema=schema,
            max_tokens=size or self.max_tokens,
            temperature=self.temperature,
            salt=salt,
        )


def unanswered(reply: Reply) -> Unreadable | None:
    """Return why there is nothing to read, None where there is."""
    if reply.outcome == "reply":
        return None
    return Unreadable(f"{reply.outcome}: {reply.why}" if reply.why else reply.outcome)


def object_of(**properties: Schema) -> Schema:
    """Return the schema of an object that has exactly these fields."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def text_of(longest: int) -> Schema:
    """Return the schema of a text of so many characters at most."""
    return {"type": "string", "maxLength": longest}


def one_of(values: Sequence[str] | Sequence[int]) -> Schema:
    """Return the schema of one of some words, or of one of some numbers."""
    numbers = bool(values) and isinstance(values[0], int)
    return {"type": "integer" if numbers else "string", "enum": list(values)}


def whole_of(least: int, most: int) -> Schema:
    """Return the schema of a whole number within bounds."""
    return {"type": "integer", "minimum": least, "maximum": most}


def list_of(
    items: Schema, least: int | None = None, most: int | None = None, *, unique: bool = False
) -> Schema:
    """Return the schema of a list of at least and at most so many."""
    listed: Schema = {"type": "array", "items": items}
    if least is not None:
        listed["minItems"] = least
    if most is not None:
        listed["maxItems"] = most
    if unique:
        listed["uniqueItems"] = True
    return listed
