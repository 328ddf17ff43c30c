"""That the conformance suite for metrics finds what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from audience.metrics import Metric
from audience.testing import check_metric
from audience.world import Record, View, events as e


class Picks:
    """Counts picks, soundly. Subclasses spoil one thing."""

    watches: tuple[type, ...] = (e.Picked,)

    def __init__(self) -> None:
        self.count = 0

    def update(self, record: Record, world: View) -> None:
        self.count += 1

    def value(self) -> dict[str, float]:
        return {"picks": float(self.count)}


class Meddling(Picks):
    def update(self, record: Record, world: Any) -> None:
        world.satisfaction[:] = 0.0
        world.agents[0] = world.agents[1]


class Restless(Picks):
    def value(self) -> dict[str, float]:
        self.count += 1
        return super().value()


class Blind(Picks):
    watches = ()


class Odd(Picks):
    watches = (int,)


class Wordy(Picks):
    def value(self) -> Any:
        return {"picks": "many"}


class Divides(Picks):
    def value(self) -> dict[str, float]:
        return {"share": 1 / self.count}


class Global(Picks):
    total = 0

    def update(self, record: Record, world: View) -> None:
        Global.total += 1

    def value(self) -> dict[str, float]:
        return {"picks": float(Global.total)}


class Shared(Picks):
    def taken(self) -> int:
        taken, self.count = self.count, 0
        return taken

    def merge(self, taken: int, world: View) -> None:
        self.count += taken


class Keeping(Shared):
    def taken(self) -> int:
        return self.count


class Forgetful(Shared):
    def merge(self, taken: int, world: View) -> None:
        self.count = taken


def test_a_sound_metric_passes() -> None:
    check_metric(Picks)
    check_metric(Shared)


ONE = Picks()


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (Meddling, "Meddling changed the world"),
        (Keeping, "when visits were counted elsewhere"),
        (Forgetful, "when visits were counted elsewhere"),
        (Restless, "changes when it is asked twice"),
        (Blind, "watches nothing"),
        (Odd, "which is not an event class"),
        (Wordy, "it must give numbers by name"),
        (Global, "during the run and"),
        (lambda: ONE, "must give a new one"),
        (object, "lacks one of `watches`, `update` and `value`"),
    ],
)
def test_a_bad_metric_is_found_out(make: Callable[[], Metric], sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_metric(make)


def test_a_metric_that_cannot_bear_an_empty_log_is_found_out() -> None:
    with pytest.raises(ZeroDivisionError):
        check_metric(Divides)
