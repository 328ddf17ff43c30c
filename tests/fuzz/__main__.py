"""`make fuzz`: tries made-up input on every target until the time is over."""

from __future__ import annotations

import sys
import time
import traceback
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from tests.fuzz.corpus import keep
from tests.fuzz.targets import TARGETS

_AT_ONCE = 100
_LONGEST = 30.0
"""Seconds that one input may take."""


def fuzz(name: str, stop: float) -> tuple[int, bool]:
    """Try inputs on a target for a while; return how many, and whether one crashed."""
    strategy, target = TARGETS[name]
    tried, last = 0, [None]

    def once(value: Any) -> None:
        nonlocal tried
        if time.monotonic() > stop:
            return
        last[0] = value
        began = time.monotonic()
        target(value)
        took = time.monotonic() - began
        assert took < _LONGEST, f"{took:.0f} s for one input"
        tried += 1

    some = settings(
        max_examples=_AT_ONCE,
        deadline=None,
        database=None,
        derandomize=False,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],  # what crashes is kept as it came
    )
    try:
        some(given(strategy)(once))()
    except Exception:
        traceback.print_exc()
        sys.stdout.write(f"{name}: crashed; the input is kept in {keep(name, last[0])}\n")
        return tried, True
    return tried, False


def main(minutes: float, names: list[str]) -> int:
    """Fuzz all targets in turn, for so many minutes together; return how many crashed."""
    end = time.monotonic() + 60.0 * minutes
    counts, crashes = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    while time.monotonic() < end:
        for name in names:
            tried, crashed = fuzz(name, end)
            counts[name] += tried
            crashes[name] += crashed
    for name, count in counts.items():
        sys.stdout.write(f"{name}: {count:,} inputs, {crashes[name]} crashes\n")
    return sum(crashes.values())


if __name__ == "__main__":
    given_minutes, *targets = sys.argv[1:] or ["10"]
    sys.exit(1 if main(float(given_minutes), targets or list(TARGETS)) else 0)
