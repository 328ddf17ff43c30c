"""Moments in seconds, milliseconds, microseconds, nanoseconds or ISO form, told apart or refused.

A number is read by its size: a moment up to the year 2100 in one unit lies before 1973 in the next
smaller one. What lies between, such as 2e10, is a moment of no unit and is refused, and so is a
column that mixes units.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import numpy as np

from audience.errors import BadInput
from audience.world import Floats, Ints

LATEST = 4_102_444_800.0
"""The year 2100 in seconds since 1970."""
EARLIEST = 1e8
"""The least moment that tells its unit, but for seconds: March 1973."""
UNITS = {"seconds": 1.0, "milliseconds": 1e3, "microseconds": 1e6, "nanoseconds": 1e9}
REMEDY = "write seconds since 1970 or a date such as 2025-01-31T18:00"
Complain = Callable[[int, str], BadInput]
"""Makes the error for a row of a column."""


def seconds_of(numbers: Floats, complain: Complain) -> Ints:
    """Return whole seconds since 1970 from numbers in one unit; refuse any other column."""
    sizes = np.abs(numbers)
    kinds = np.full(len(sizes), -1)
    for kind, per_second in enumerate(UNITS.values()):
        low = 0.0 if kind == 0 else EARLIEST * per_second
        kinds[(sizes >= low) & (sizes <= LATEST * per_second) & (kinds < 0)] = kind
    names = list(UNITS)
    odd = np.flatnonzero(kinds < 0)
    if len(odd):
        row = int(odd[0])
        raise complain(
            row, f"{numbers[row]:.0f} is a moment up to the year 2100 in no unit; {REMEDY}"
        )
    told = np.flatnonzero(sizes)
    mixed = told[kinds[told] != kinds[told[0]]] if len(told) else told
    if len(mixed):
        first, row = int(told[0]), int(mixed[0])
        raise complain(
            row,
            f"{numbers[row]:.0f} looks like {names[kinds[row]]} and {numbers[first]:.0f} like "
            f"{names[kinds[first]]}; use one unit in all lines",
        )
    if len(numbers) and _are_days(sizes):
        raise complain(
            0, f"{numbers[0]:.0f} may be a date or seconds since 1970; write dates as 2025-01-31"
        )
    per_second = np.array(list(UNITS.values()))[kinds]
    seconds: Ints = np.floor(numbers / per_second).astype(np.int64)
    return seconds


def _are_days(numbers: Floats) -> bool:
    """Return whether all numbers read as YYYYMMDD."""
    days = numbers.astype(np.int64)
    month, day = days // 100 % 100, days % 100
    fit = (days // 10_000 >= 1900) & (days // 10_000 <= 2100) & (month >= 1) & (month <= 12)
    return bool((fit & (day >= 1) & (day <= 31)).all())


def date_of(text: str) -> int:
    """Return seconds since 1970 from a date in ISO form, in UTC unless it says otherwise."""
    at = datetime.fromisoformat(text)
    return int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp())


def moments_of(cells: Sequence[str], complain: Complain) -> Ints:
    """Return seconds since 1970 from cells that are numbers, all in one unit, or dates."""
    try:
        plain = np.array(cells, np.float64)
    except ValueError:
        pass
    else:
        if np.isfinite(plain).all():
            return seconds_of(plain, complain)
    seconds = np.zeros(len(cells), np.int64)
    rows, numbers = list[int](), list[float]()
    for row, cell in enumerate(cells):
        number = _number(cell)
        if number is None:
            seconds[row] = _date(row, cell, complain)
        else:
            rows.append(row)
            numbers.append(number)
    seconds[rows] = seconds_of(np.array(numbers), lambda place, what: complain(rows[place], what))
    return seconds


def _number(cell: str) -> float | None:
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if np.isfinite(number) else None


def _date(row: int, cell: str, complain: Complain) -> int:
    try:
        return date_of(cell.strip())
    except ValueError:
        raise complain(row, f"{cell!r} is not a moment; {REMEDY}") from None
