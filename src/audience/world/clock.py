"""Simulated time as a function of the round."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

import msgspec

from audience.errors import BadInput

_INTERVAL = re.compile(r"(\d+)\s*([smhdMy])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


class Clock(msgspec.Struct, frozen=True):
    """When each round happens: round 1 begins at `start`; `step` is e.g. `5h`, `1d` or `1M`."""

    start: str = "2025-01-01T00:00"
    step: str = "1d"

    def __post_init__(self) -> None:
        self.at(1)

    def at(self, round_: int, fraction: float = 0.0) -> int:
        """Return the moment `fraction` into a round, in seconds since 1970 (UTC)."""
        try:
            begin, end = _bound(self, round_ - 1), _bound(self, round_)
        except (ValueError, OverflowError):
            raise BadInput(
                f"round {round_} of {self.step!r} since {self.start!r} lies beyond the year 9999; "
                "use a shorter interval or fewer rounds"
            ) from None
        return begin + int((end - begin) * fraction)


@lru_cache(maxsize=64)
def _bound(clock: Clock, steps: int) -> int:
    interval = _INTERVAL.fullmatch(clock.step.strip())
    if not interval or int(interval[1]) == 0:
        raise BadInput(
            f"interval {clock.step!r} is not a number with a unit s, m, h, d, M or y, as in '5h'"
        )
    try:
        start = datetime.fromisoformat(clock.start)
    except ValueError:
        raise BadInput(f"start {clock.start!r} is not a date such as '2025-01-01'") from None
    start = start.replace(tzinfo=UTC) if start.tzinfo is None else start
    count, unit = int(interval[1]) * steps, interval[2]
    if unit in _SECONDS:
        return int((start + timedelta(seconds=count * _SECONDS[unit])).timestamp())
    months = start.month - 1 + (count if unit == "M" else 12 * count)
    year, month = start.year + months // 12, months % 12 + 1
    first = start.replace(year=year, month=month, day=1)
    following = first.replace(year=year + month // 12, month=month % 12 + 1)
    day = min(start.day, (following - first).days)
    return int(first.replace(day=day).timestamp())


def shown(moment: int) -> str:
    """Return a moment as `YYYY-MM-DD HH:MM`."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M")


def moment_of_day(moment: int) -> str:
    """Return the weekday and the part of the day, such as `Tuesday evening`."""
    when = datetime.fromtimestamp(moment, UTC)
    parts = ((5, "night"), (11, "morning"), (14, "noon"), (18, "afternoon"), (23, "evening"))
    part = next((name for hour, name in parts if when.hour < hour), "night")
    return f"{when:%A} {part}"
