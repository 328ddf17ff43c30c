"""Numbers as models write them: 4, "4", "four", "4/5", "4 stars", "★★★★", "80%", "half"."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from audience.agents._fields import shown
from audience.agents._scan import Broken

_SMALL = "zero one two three four five six seven eight nine ten eleven twelve"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety hundred"
_WORDS = {word: str(number) for number, word in enumerate(_SMALL.split())}
_WORDS |= {word: str(10 * number) for number, word in enumerate(_TENS.split(), 2)}
_WORD = re.compile(r"[a-z]+")
_COMPOUND = re.compile(r"\b([2-9])0[ -]([1-9])\b")
_WRITTEN = re.compile(
    r"([+-]?\d{1,6})(?:[.,](\d{1,12}))?\s*(?:(?:/|out of)\s*(\d{1,6}))?\s*(%|percent|stars?|)"
)
_STARS = re.compile(r"[★⭐🌟]{1,9}☆{0,9}")
_SHARES = {"all": 100.0, "whole": 100.0, "full": 100.0, "fully": 100.0, "half": 50.0}
_STANCES = {"for": 1, "positive": 1, "against": -1, "negative": -1, "neutral": 0, "undecided": 0}


class Number(msgspec.Struct, frozen=True):
    """A number with what was written around it."""

    value: float
    pointed: bool
    """Written with a decimal point: 1.0, not 1."""
    of: int | None = None
    """4/5 is 4 of 5."""
    unit: str = ""


def number_of(value: Any, name: str) -> Number:  # noqa: ANN401
    """Return the number that a value is or spells."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Number(float(value), isinstance(value, float))
    if isinstance(value, str) and len(value) <= 40:
        text = value.strip().casefold().replace("\ufe0f", "")
        if _STARS.fullmatch(text):
            return Number(float(len(text.rstrip("☆"))), False, unit="stars")
        text = _WORD.sub(lambda word: _WORDS.get(word.group(), word.group()), text)
        text = _COMPOUND.sub(r"\1\2", text)
        if written := _WRITTEN.fullmatch(text):
            whole, part, of, unit = written.groups()
            number = float(f"{whole}.{part or 0}")
            return Number(number, bool(part), int(of) if of else None, unit.rstrip("s"))
    raise Broken(f"not a number: {name} is {shown(value)}")


def stars_of(value: Any) -> int:  # noqa: ANN401
    """Return 1 to 5 whole stars, or 0 for a value that says there is no rating."""
    if isinstance(value, str) and value.strip().casefold() in ("none", "n/a", "unrated", "-"):
        return 0
    found = number_of(value, "stars")
    if found.of not in (None, 5) or found.unit not in ("", "star", "stars"):
        raise Broken(f"out of range: stars is {shown(value)}; give 1 to 5 whole stars")
    if found.value not in (1, 2, 3, 4, 5):
        raise Broken(f"out of range: stars is {shown(value)}; give 1 to 5 whole stars")
    return int(found.value)


def percent_of(value: Any) -> float:  # noqa: ANN401
    """Return percent, 0 to 100.

    A number up to 1 written with a decimal point is a fraction: 0.8 is 80, 1.0 is 100. A plain 1
    is one percent, since whole percents are what is asked for. `true` is all of it.
    """
    if value is True or (isinstance(value, str) and value.strip().casefold() == "true"):
        return 100.0
    if isinstance(value, str) and value.strip().casefold() in _SHARES:
        return _SHARES[value.strip().casefold()]
    found = number_of(value, "watched")
    if found.unit not in ("", "%", "percent"):
        raise Broken(f"not a number: watched is {shown(value)}; give a percentage")
    percent = found.value
    if found.of is not None:
        percent = 100.0 * percent / found.of if found.of else -1.0
    elif found.pointed and not found.unit and 0.0 <= percent <= 1.0:
        percent = 100.0 * percent
    if not 0.0 <= percent <= 100.0:
        raise Broken(f"out of range: watched is {shown(value)}; give 0 to 100 percent")
    return round(percent, 3)


def satisfaction_of(value: Any) -> float:  # noqa: ANN401
    """Return 1 to 10."""
    found = number_of(value, "satisfaction")
    if found.of not in (None, 10) or found.unit or not 1.0 <= found.value <= 10.0:
        raise Broken(f"out of range: satisfaction is {shown(value)}; give 1 to 10")
    return found.value


def stance_of(value: Any) -> int:  # noqa: ANN401
    """Return -1, 0 or 1."""
    if isinstance(value, str) and value.strip().casefold() in _STANCES:
        return _STANCES[value.strip().casefold()]
    found = number_of(value, "stance")
    if found.of is not None or found.unit or found.value not in (-1, 0, 1):
        raise Broken(f"out of range: stance is {shown(value)}; give -1, 0 or 1")
    return int(found.value)
