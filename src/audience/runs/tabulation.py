"""Tabulation of answers: how many chose each option, overall and by segment, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from audience.agents.language import Answer
from audience.results import Interval, t_interval, wilson

MOST_OPTIONS = 12
LONGEST_OPTION = 80
Segments = Mapping[int, Sequence[tuple[str, str]]]
"""By person, the segments they belong to, by kind and name."""


class OptionCount(msgspec.Struct, frozen=True):
    """How many chose an option, and their share with its 95 % interval (Wilson's)."""

    option: str
    count: int
    share: float | None
    low: float | None
    high: float | None


class AnswerCounts(msgspec.Struct, frozen=True):
    """What some people chose."""

    by: str
    """The kind of segment; empty for everybody who was asked."""
    name: str
    asked: int
    answered: int
    """How many chose one of the options."""
    options: list[OptionCount]
    mean: float | None = None
    """Of the numbers, where all options are numbers; with a t interval."""
    low: float | None = None
    high: float | None = None


class Tabulation(msgspec.Struct, frozen=True):
    """The answers to a question with options, of everybody asked and of each segment."""

    all: AnswerCounts
    segments: list[AnswerCounts]


def tabulated(
    answers: Sequence[Answer], options: Sequence[str], segments: Segments, fewest: int = 1
) -> Tabulation:
    """Return how many chose each option; segments of fewer people are left out."""
    groups: dict[tuple[str, str], list[Answer]] = {}
    for answer in answers:
        for segment in segments.get(answer.agent, ()):
            groups.setdefault(segment, []).append(answer)
    return Tabulation(
        _counts("", "everybody asked", answers, options),
        [
            _counts(by, name, members, options)
            for (by, name), members in sorted(groups.items())
            if len(members) >= fewest
        ],
    )


def _counts(by: str, name: str, answers: Sequence[Answer], options: Sequence[str]) -> AnswerCounts:
    chosen = [answer.choice for answer in answers if answer.choice]
    rows = [_option(option, chosen.count(option), len(chosen)) for option in options]
    mean = _mean(chosen) if all(option.isdecimal() for option in options) else Interval()
    low, high = (None if np.isnan(bound) else bound for bound in (mean.low, mean.high))
    centre = None if np.isnan(mean.mean) else mean.mean
    return AnswerCounts(by, name, len(answers), len(chosen), rows, centre, low, high)


def _option(option: str, count: int, of: int) -> OptionCount:
    if not of:
        return OptionCount(option, count, None, None, None)
    return OptionCount(option, count, count / of, *wilson(count / of, of))


def _mean(chosen: Sequence[str]) -> Interval:
    return t_interval(np.array([float(choice) for choice in chosen], np.float64))
