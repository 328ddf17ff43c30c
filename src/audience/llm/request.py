"""Requests, replies and attempts, and the one place that tries again."""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from functools import cached_property
from hashlib import blake2b
from typing import Any, Literal, Protocol

import msgspec

from audience.errors import Halt

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


MOST_TOKENS = 10_000_000
"""Tokens of one call; a server that counts more has miscounted."""


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
    starved: bool = False
    """Thinking used all tokens, so that there is no answer."""
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


_SAID = 2_000
"""Characters of a message in which a wait is looked for."""
_LONGEST_WAIT = 86_400.0
"""Seconds; whoever asks for more does not mean it."""
_WORDS = re.compile(
    r"(?i)(?:try again|retry|wait|retrydelay)\W{0,8}(?:in|after|for|about)?\W{0,8}"
    r"((?:\d{1,9}(?:\.\d{1,9})?\s{0,4}"
    r"(?:milliseconds?|ms|minutes?|min|m|hours?|h|seconds?|secs?|s)(?![a-z])\s{0,4}){1,4})"
)
_PART = re.compile(
    r"(?i)(\d{1,9}(?:\.\d{1,9})?)\s{0,4}(milliseconds?|ms|minutes?|min|m|hours?|h|seconds?|secs?|s)"
)
_SECONDS = {"m": 60.0, "h": 3600.0, "s": 1.0}


def asked_wait(headers: Mapping[str, str], text: str) -> float:
    """Return the seconds a server asks us to wait, in headers or words; 0 for none."""
    exact = _number(headers.get("retry-after-ms", "")) / 1000.0
    after = headers.get("Retry-After", "")
    said = exact or _number(after) or _until(after, headers.get("Date", "")) or _by_words(text)
    return said if 0.0 < said <= _LONGEST_WAIT else 0.0


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _until(then: str, now: str) -> float:
    # The server's date can only be compared with the server's own clock.
    try:
        seconds = (parsedate_to_datetime(then) - parsedate_to_datetime(now)).total_seconds()
    except (TypeError, ValueError, OverflowError):
        return 0.0
    return max(0.0, seconds)


def _by_words(text: str) -> float:
    phrase = _WORDS.search(text[:_SAID])
    if phrase is None:
        return 0.0
    total = 0.0
    for number, unit in _PART.findall(phrase.group(1)):
        unit = unit.lower()
        milli = unit == "ms" or unit.startswith("milli")
        total += float(number) * (0.001 if milli else _SECONDS[unit[0]])
    return total


_LEAST, _LOST, _MOST = 0.1, 0.4, 20.0
"""Seconds before the second attempt, the same if the server is unreachable, and the maximum."""
_FIRST = 3
"""Attempts at an endpoint that never answered, if the run is to halt: its address may be wrong."""


class Gone(Halt):
    """No endpoint is reachable, or all reject our key; earlier answers are kept."""


_RECENT, _FEWEST = 16, 4
"""The attempts by which an endpoint is judged, and the fewest that must have been turned away."""
_QUESTIONS = 10
_SOON = 0.05
"""Seconds before a harmless question is asked again, at first."""


class EndpointStanding:
    """What is known about an endpoint: a request that it turned away says little about others."""

    def __init__(self) -> None:
        self._recent: deque[bool] = deque(maxlen=_RECENT)

    def note(self, reply: Reply) -> bool:
        """Return True if a reply may mean that the endpoint is unusable, and remember it."""
        self._recent.append(isinstance(reply, Tried) and reply.elsewhere)
        return self._recent[-1]

    async def is_gone(self, gateway: Gateway, request: Request) -> bool:
        """Return True if most recent attempts were turned away, harmless questions included.

        Such a question is asked until it is answered, until there is no doubt, or ten times.
        """
        for attempt in range(1, _QUESTIONS + 1):
            if self._is_lost:
                return True
            if not self.note(await gateway.ask(harmless(request, attempt))):
                return False
            await asyncio.sleep(pause(request.key, min(attempt, 6), _SOON))
        return self._is_lost

    @property
    def _is_lost(self) -> bool:
        lost = sum(self._recent)
        return lost >= _FEWEST and 2 * lost > len(self._recent)


def harmless(request: Request, attempt: int) -> Request:
    """Return a question of the same sort that no filter can mind."""
    return Request(
        "probe",
        (ChatMessage("user", "Say OK."),),
        model=request.model,
        max_tokens=16,
        temperature=0.0,
        salt=f"harmless/{request.key}/{attempt}",
        embed=request.embed,
    )


class Retrying:
    """Retries where that may help, at most `tries` times and within `overall` seconds.

    Time spent in a queue does not count, only answering and waiting between attempts.
    """

    def __init__(
        self, inner: Gateway, *, tries: int = 8, overall: float = 180.0, halting: bool = False
    ) -> None:
        """With `halting`, an unusable endpoint raises `Gone` instead of a failed reply."""
        self.inner = inner
        self.tries = tries
        self.overall = overall
        self.halting = halting
        self._answered = False
        self._standing = EndpointStanding()

    async def ask(self, request: Request) -> Reply:
        """Return the first answer that a retry would not improve."""
        spent, usage, attempt = 0.0, Usage(), 0
        while True:
            attempt += 1
            reply = await self.inner.ask(request)
            spent += reply.seconds
            usage = added(usage, reply.usage)
            lost = self._standing.note(reply)
            self._answered = self._answered or not lost
            wait = self._wait(request, reply, attempt, spent)
            if wait is None:
                if lost and self.halting and await self._standing.is_gone(self.inner, request):
                    raise Gone(
                        f"{_why(reply, attempt)}; everything so far is kept. Fix that, then resume"
                    )
                return settled(
                    reply, why=_why(reply, attempt), attempts=attempt, seconds=spent, usage=usage
                )
            await asyncio.sleep(wait)
            spent += wait

    async def close(self) -> None:
        await self.inner.close()

    def _wait(self, request: Request, reply: Reply, attempt: int, spent: float) -> float | None:
        """Return how long to wait before the next attempt, None to stop."""
        if reply.outcome == "reply" or not isinstance(reply, Tried) or not reply.again:
            return None
        least = _LOST if reply.elsewhere else _LEAST
        wait = reply.after + pause(request.key, attempt, least)
        tries = self.tries if self._answered or not self.halting else min(self.tries, _FIRST)
        if attempt >= tries or spent + wait > self.overall:
            return None
        return wait


def pause(key: str, attempt: int, least: float = _LEAST) -> float:
    """Return the seconds before the next attempt: exponential backoff with jitter.

    The jitter depends on the request and the attempt alone.
    """
    digest = blake2b(f"{key}/{attempt}".encode(), digest_size=8).digest()
    jitter = int.from_bytes(digest, "big") / 2**64
    return min(_MOST, least * 2.0 ** (attempt - 1)) * (0.5 + jitter)


def _why(reply: Reply, attempts: int) -> str:
    if not reply.why or attempts == 1:
        return reply.why
    return f"{reply.why} (after {attempts} attempts)"
