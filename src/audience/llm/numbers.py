"""Numbers as models write them: 4, "4", "four", "4/5", "4 stars", "★★★★", "80%"."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from audience.llm.fields import shown
from audience.llm.scan import Broken

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
