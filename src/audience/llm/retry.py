"""Retrying: waits that servers ask for, backoff with jitter, and giving up."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from hashlib import blake2b

from audience.errors import Halt
from audience.llm.request import Gateway, Reply, Request, Tried, Usage, added, settled

_WORDS = re.compile(
    r"(?i)(?:try again|retry|wait|retrydelay)\W*(?:in|after|for|about)?\W*"
    r"((?:\d+(?:\.\d+)?\s*(?:milliseconds?|ms|minutes?|min|m|hours?|h|seconds?|secs?|s)(?![a-z])\s*)+)"
)
_PART = re.compile(
    r"(?i)(\d+(?:\.\d+)?)\s*(milliseconds?|ms|minutes?|min|m|hours?|h|seconds?|secs?|s)"
)
_SECONDS = {"m": 60.0, "h": 3600.0, "s": 1.0}


def asked_wait(headers: Mapping[str, str], text: str) -> float:
    """Return the seconds a server asks us to wait, in headers or words; 0 for none."""
    exact = _number(headers.get("retry-after-ms", ""))
    if exact:
        return exact / 1000.0
    after = headers.get("Retry-After", "")
    return _number(after) or _until(after, headers.get("Date", "")) or _by_words(text)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return value if 0.0 < value < 1e9 else 0.0


def _until(then: str, now: str) -> float:
    # The server's date can only be compared with the server's own clock.
    try:
        seconds = (parsedate_to_datetime(then) - parsedate_to_datetime(now)).total_seconds()
    except (TypeError, ValueError):
        return 0.0
    return max(0.0, seconds)


def _by_words(text: str) -> float:
    phrase = _WORDS.search(text)
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


class Retrying:
    """Retries where that may help, at most `tries` times and within `overall` seconds.

    Time spent in a queue does not count, only answering and waiting between attempts.
    """

    def __init__(
        self, inner: Gateway, *, tries: int = 8, overall: float = 180.0, halting: bool = False
    ) -> None:
        """With `halting`, an unreachable endpoint raises `Gone` instead of a failed reply."""
        self.inner = inner
        self.tries = tries
        self.overall = overall
        self.halting = halting
        self._answered = False

    async def ask(self, request: Request) -> Reply:
        """Return the first answer that a retry would not improve."""
        spent, usage, attempt = 0.0, Usage(), 0
        while True:
            attempt += 1
            reply = await self.inner.ask(request)
            spent += reply.seconds
            usage = added(usage, reply.usage)
            lost = isinstance(reply, Tried) and reply.elsewhere
            self._answered = self._answered or not lost
            wait = self._wait(request, reply, attempt, spent)
            if wait is None:
                if lost and self.halting:
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
