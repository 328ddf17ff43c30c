"""The JSON replies about experiments."""

from __future__ import annotations

import msgspec

from audience.results import Interval, Line


class ExperimentRow(msgspec.Struct, frozen=True):
    """An experiment's line in the list."""

    id: str
    title: str
    arms: list[str]
    seeds: int
    state: str
    """That of its runs together; `trying` while other audiences are tried after them."""
    done: int
    all: int
    made: int
    """When it last changed, in seconds since 1970."""
    verdict: str
    """In a few words; empty until it is known."""


class ExperimentRun(msgspec.Struct, frozen=True):
    """A run of an experiment; without an id it has not begun."""

    arm: str
    seed: int
    id: str
    state: str
    round: int
    rounds: int
    error: str


class ArmCurve(msgspec.Struct, frozen=True):
    """A metric of an arm by round: round, mean over seeds, and the ends of its 95 % interval."""

    arm: str
    points: list[tuple[int, float, float, float]]


class MetricCurves(msgspec.Struct, frozen=True):
    """A metric of every arm by round."""

    metric: str
    label: str
    unit: str
    arms: list[ArmCurve]


class SegmentContrast(msgspec.Struct, frozen=True):
    """Mean satisfaction of a segment in every arm, and its difference from the first arm."""

    by: str
    segment: str
    people: int
    means: dict[str, float | None]
    differences: dict[str, Interval | None]


class LeadReply(msgspec.Struct, frozen=True):
    """In how many other audiences the arm that leads stays ahead."""

    stays: int
    clear: int
    settings: int
    flips: list[str]


class ExperimentFindings(msgspec.Struct, frozen=True):
    """What a finished experiment shows."""

    verdict: str
    notes: list[str]
    lines: list[Line]
    first: list[str]
    """The metrics to show first."""
    curves: list[MetricCurves]
    segments: list[SegmentContrast]
    leads: dict[str, LeadReply]


class ExperimentReply(ExperimentRow, frozen=True, kw_only=True):
    """An experiment with its runs and, once all have ended, what they show."""

    runs: list[ExperimentRun]
    scenario: str
    findings: ExperimentFindings | None
