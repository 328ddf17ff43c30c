"""Faults on purpose: which request meets which is decided by its hash and its attempt alone."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from audience.errors import BadInput, unknown
from audience.llm.fake_answers import draw

KINDS = (
    "429",
    "429-after",
    "429-says",
    "500",
    "hang",
    "reset",
    "garbage",
    "half",
    "empty",
    "refusal",
    "filter",
    "drip",
    "broken",
)
"""What may go wrong. `half` is a body that ends too early, `broken` a text or a vector that does.
Asked for vectors, `refusal` gives some without numbers and `filter` none at all."""
FINE = "ok"


class Faults(msgspec.Struct, frozen=True):
    """By rate: each attempt draws. By script: the first attempt meets the first name, and so on."""

    rates: dict[str, float] = {}
    script: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in (*self.rates, *self.script):
            if name not in (*KINDS, FINE):
                raise unknown("fault", name, (*KINDS, FINE))
        if not 0.0 <= sum(self.rates.values()) <= 1.0:
            raise BadInput("the rates of all faults together must lie between 0 and 1")

    def choose(self, key: str, attempt: int) -> str:
        """Return what the nth attempt of a request meets; attempts count from 1."""
        if attempt <= len(self.script):
            return self.script[attempt - 1]
        left = draw(key, attempt, "fault")
        for name, rate in self.rates.items():
            left -= rate
            if left < 0.0:
                return name
        return FINE


def parse_faults(rates: Iterable[str], script: str = "") -> Faults:
    """Return the faults of a command line: `500=0.1` each, and `429,500,ok` for the script."""
    found = {}
    for one in rates:
        name, _, rate = one.partition("=")
        try:
            found[name] = float(rate)
        except ValueError:
            raise BadInput(f"--fault {one!r} is no rate; write it as 500=0.1") from None
    return Faults(found, tuple(part for part in script.split(",") if part))


def parse_latency(text: str) -> tuple[float, float]:
    """Return the least and the most seconds that `50ms`, `0.2s` or `20ms-200ms` means."""
    parts = [re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s)", part) for part in text.split("-")]
    found = [float(one[1]) * (0.001 if one[2] == "ms" else 1.0) for one in parts if one]
    if len(found) != len(parts) or len(found) > 2 or found[-1] < found[0]:
        raise BadInput(f"latency {text!r} is no duration; write 50ms, 0.2s or 20ms-200ms")
    return found[0], found[-1]
