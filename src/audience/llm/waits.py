"""How long a server asks us to wait, from its headers or its words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

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
