"""Requests to language models, replies, and the gateway protocol."""

from __future__ import annotations

from functools import cached_property
from hashlib import blake2b
from typing import Any, Literal, Protocol

import msgspec

Outcome = Literal["reply", "refusal", "timeout", "unreadable", "error"]
"""How a call ended. Only a `reply` is ever reused as an answer."""


class ChatMessage(msgspec.Struct, frozen=True):
    role: Literal["system", "user", "assistant"]
    content: str


class Request(msgspec.Struct, frozen=True, dict=True):
    """A logical request, before it is adapted to any provider.

    `salt` names the decision it belongs to (seed, agent, round, phase, turn, purpose, attempt) but
    not the run, so that a branch which changes nothing makes no new calls.
    """

    purpose: str
    """What it is for, such as `page` or `feeling`; costs are reported by purpose."""
    messages: tuple[ChatMessage, ...]
    model: str = ""
    """Empty: the endpoint's own model."""
    schema: dict[str, Any] | None = None
    """The JSON schema that the reply must follow."""
    options: tuple[str, ...] = ()
    """Texts to be scored by their log-probability as continuations, if supported."""
    candidates: int = 1
    max_tokens: int = 512
    temperature: float = 0.7
    top_p: float = 1.0
    stop: tuple[str, ...] = ()
    salt: str = ""
    embed: bool = False
    """Ask for the vector of the only message, as base64 of little-endian float32."""

    @cached_property
    def key(self) -> str:
        """The hash of all that affects the answer, which the purpose does not."""
        body = msgspec.structs.asdict(self)
        body.pop("purpose")
        if not self.embed:
            # Calls stored before there were embeddings keep their keys.
            body.pop("embed")
        return blake2b(msgspec.json.encode(body, order="deterministic"), digest_size=16).hexdigest()


class Usage(msgspec.Struct, frozen=True):
    """Tokens of one call; cached and reasoning tokens are included in the first two."""

    prompt: int = 0
    completion: int = 0
    cached: int = 0
    reasoning: int = 0


class Reply(msgspec.Struct, frozen=True):
    """The outcome of a request; an expected failure is a value, not an exception."""

    key: str
    outcome: Outcome
    texts: tuple[str, ...] = ()
    """One per candidate."""
    why: str = ""
    """What went wrong, scrubbed of keys."""
    model: str = ""
    endpoint: str = ""
    usage: Usage = Usage()
    seconds: float = 0.0
    attempts: int = 1
    scores: tuple[float, ...] = ()
    """Log-probability of each of the request's options, if supported."""
    reused: bool = False
    """Taken from the call store, at no cost."""

    @property
    def text(self) -> str:
        return self.texts[0] if self.texts else ""


class Gateway(Protocol):
    """Access to language models; wrappers implement the same protocol."""

    async def ask(self, request: Request) -> Reply:
        """Return the outcome of a request; raises only for bugs and spent budgets."""
        ...

    async def close(self) -> None:
        """Close connections and processes."""
        ...


class Tried(Reply, frozen=True):
    """A reply that also says whether a retry may help."""

    again: bool = False
    """The same request may succeed later."""
    after: float = 0.0
    """Seconds the server asked us to wait."""
    status: int = 0
    """HTTP status; 0 if there was no response."""
    elsewhere: bool = False
    """The endpoint itself is unusable now: unreachable, or it rejects our key."""
    cut: bool = False
    """The server stopped at the token limit."""
    scored: bool = False
    """Log-probabilities were returned, whether or not they distinguish the options."""

    @property
    def throttled(self) -> bool:
        return self.status == 429 or self.after > 0.0


def settled(reply: Reply, **changes: Any) -> Reply:  # noqa: ANN401
    """Return a plain reply, as seen by the layers above the retries."""
    fields = {name: getattr(reply, name) for name in Reply.__struct_fields__}
    return Reply(**{**fields, **changes})


def changed(reply: Tried, **changes: Any) -> Tried:  # noqa: ANN401
    return msgspec.structs.replace(reply, **changes)


def added(usage: Usage, other: Usage) -> Usage:
    """Return the tokens of two calls together."""
    return Usage(
        usage.prompt + other.prompt,
        usage.completion + other.completion,
        usage.cached + other.cached,
        usage.reasoning + other.reasoning,
    )
