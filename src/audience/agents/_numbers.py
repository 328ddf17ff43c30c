"""The numbers of replies, in the range each field has: stars, percent, satisfaction, stance."""

from __future__ import annotations

from typing import Any

from audience.llm.fields import shown
from audience.llm.numbers import number_of
from audience.llm.scan import Broken

_SHARES = {"all": 100.0, "whole": 100.0, "full": 100.0, "fully": 100.0, "half": 50.0}
_STANCES = {"for": 1, "positive": 1, "against": -1, "negative": -1, "neutral": 0, "undecided": 0}


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
