"""What is asked of a language model and what comes back. Nothing here knows of agents."""

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

    `salt` names the decision it belongs to (seed, agent, round, phase, turn, purpose, attempt) and
    never the run, so that a branch which changes nothing asks nothing anew.
    """

    purpose: str
    """What it is for, such as `page` or `feeling`; costs are told apart by it."""
    messages: tuple[ChatMessage, ...]
    model: str = ""
    """Empty: the endpoint's own."""
    schema: dict[str, Any] | None = None
    """JSON schema the reply must follow."""
    options: tuple[str, ...] = ()
    """Texts whose log-probability as a continuation is wanted, where the endpoint offers it."""
    candidates: int = 1
    max_tokens: int = 512
    temperature: float = 0.7
    top_p: float = 1.0
    stop: tuple[str, ...] = ()
    salt: str = ""
    embed: bool = False
    """Ask for the vector of the only message; the reply's text is base64 of float32, low first."""

    @cached_property
    def key(self) -> str:
        """The hash of all that matters to the answer; the purpose does not."""
        body = msgspec.structs.asdict(self)
        body.pop("purpose")
        if not self.embed:
            # Calls that were kept before there were embeddings keep their keys.
            body.pop("embed")
        return blake2b(msgspec.json.encode(body, order="deterministic"), digest_size=16).hexdigest()


class Usage(msgspec.Struct, frozen=True):
    """Tokens of one call; cached and reasoning ones are parts of the first two."""

    prompt: int = 0
    completion: int = 0
    cached: int = 0
    reasoning: int = 0


class Reply(msgspec.Struct, frozen=True):
    """What came back, of any outcome. An expected failure is a value, not an exception."""

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
    """Log-probability of each of the request's options, where offered."""
    reused: bool = False
    """Taken from the call store: it cost nothing now."""

    @property
    def text(self) -> str:
        return self.texts[0] if self.texts else ""


class Gateway(Protocol):
    """The one door to language models. Wrappers keep this protocol."""

    async def ask(self, request: Request) -> Reply:
        """Return what came of a request; raises only for bugs and spent budgets."""
        ...

    async def close(self) -> None:
        """Let go of connections and processes."""
        ...


class Tried(Reply, frozen=True):
    """A reply that also says whether asking again may help."""

    again: bool = False
    """The same request may fare better later."""
    after: float = 0.0
    """Seconds the server asked us to wait."""
    status: int = 0
    """HTTP status; 0 when there was no answer."""
    elsewhere: bool = False
    """The endpoint itself is of no use now: unreachable, or it refuses our key."""

    cut: bool = False
    """The server stopped at the most tokens allowed."""
    scored: bool = False
    """Log-probabilities came, whether or not they tell the options apart."""

    @property
    def throttled(self) -> bool:
        return self.status == 429 or self.after > 0.0


def settled(reply: Reply, **changes: Any) -> Reply:  # noqa: ANN401
    """Return a plain reply: what the layers above the retries see."""
    fields = {name: getattr(reply, name) for name in Reply.__struct_fields__}
    return Reply(**{**fields, **changes})


def changed(reply: Tried, **changes: Any) -> Tried:  # noqa: ANN401
    return msgspec.structs.replace(reply, **changes)


def added(one: Usage, other: Usage) -> Usage:
    """Return the tokens of two calls together."""
    return Usage(
        one.prompt + other.prompt,
        one.completion + other.completion,
        one.cached + other.cached,
        one.reasoning + other.reasoning,
    )
