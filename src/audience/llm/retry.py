"""How long a server asks us to wait, from its headers or its words."""

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
    """Return the seconds a server asks us to wait, 0 when it asks for nothing."""
    return _by_header(headers) or _by_words(text)


def _by_header(headers: Mapping[str, str]) -> float:
    exact = _number(headers.get("retry-after-ms", ""))
    if exact:
        return exact / 1000.0
    given = headers.get("Retry-After", "")
    return _number(given) or _until(given, headers.get("Date", ""))


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return value if 0.0 < value < 1e9 else 0.0


def _until(then: str, now: str) -> float:
    # The server's own clock is the only one that its date can be compared with.
    try:
        seconds = (parsedate_to_datetime(then) - parsedate_to_datetime(now)).total_seconds()
    except (TypeError, ValueError):
        return 0.0
    return max(0.0, seconds)


def _by_words(text: str) -> float:
    found = _WORDS.search(text)
    if found is None:
        return 0.0
    total = 0.0
    for number, unit in _PART.findall(found.group(1)):
        unit = unit.lower()
        milli = unit == "ms" or unit.startswith("milli")
        total += float(number) * (0.001 if milli else _SECONDS[unit[0]])
    return total


_LEAST, _LOST, _MOST = 0.1, 0.4, 20.0
"""Seconds before the second attempt, the same where the server is gone, and the most at all."""


_FIRST = 3
"""Tries at an endpoint that never answered, where a run shall halt: its address may be wrong."""


class Gone(Halt):
    """No endpoint can be reached, or all refuse our key. What was answered before is kept."""


class Retrying:
    """Asks again where that may help, at most `tries` times and within `overall` seconds.

    The time in a queue for a turn does not count: only answering and waiting between do.
    """

    def __init__(
        self, inner: Gateway, *, tries: int = 8, overall: float = 180.0, halting: bool = False
    ) -> None:
        """With `halting` an endpoint that is gone raises `Gone`: asking others would be no use."""
        self.inner = inner
        self.tries = tries
        self.overall = overall
        self.halting = halting
        self._answered = False

    async def ask(self, request: Request) -> Reply:
        """Return the first answer that asking again would not better."""
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
                        f"{_why(reply, attempt)}; everything so far is kept. Mend that, and go on"
                    )
                return settled(
                    reply, why=_why(reply, attempt), attempts=attempt, seconds=spent, usage=usage
                )
            await asyncio.sleep(wait)
            spent += wait

    async def close(self) -> None:
        await self.inner.close()

    def _wait(self, request: Request, reply: Reply, attempt: int, spent: float) -> float | None:
        """Return how long to wait before the next attempt, None to leave it at this."""
        if reply.outcome == "reply" or not isinstance(reply, Tried) or not reply.again:
            return None
        least = _LOST if reply.elsewhere else _LEAST
        wait = reply.after + pause(request.key, attempt, least)
        tries = self.tries if self._answered or not self.halting else min(self.tries, _FIRST)
        if attempt >= tries or spent + wait > self.overall:
            return None
        return wait


def pause(key: str, attempt: int, least: float = _LEAST) -> float:
    """Return the seconds before the next attempt: doubling, with jitter.

    The jitter belongs to the request and the attempt, so that nobody else's waits move it.
    """
    digest = blake2b(f"{key}/{attempt}".encode(), digest_size=8).digest()
    jitter = int.from_bytes(digest, "big") / 2**64
    return min(_MOST, least * 2.0 ** (attempt - 1)) * (0.5 + jitter)


def _why(reply: Reply, attempts: int) -> str:
    if not reply.why or attempts == 1:
        return reply.why
    return f"{reply.why} (after {attempts} attempts)"
