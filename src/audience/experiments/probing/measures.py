"""Rows of a table about a model: a value, its interval, and what could not be read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from audience.experiments.eval_scores import wilson
from audience.world.rng import rng

SAMPLES = 1_000
Answer = tuple[int, float | None]
"""Whose answer it is, and its number; None where it could not be read."""


class Row(msgspec.Struct, frozen=True):
    """One line of a table. What is not known is None."""

    part: str
    what: str
    value: float | None
    low: float | None
    high: float | None
    count: int
    """Answers that the value is over."""
    unreadable: int = 0
    chance: float | None = None
    """What comes out without what is measured: by guessing, or between strangers."""
    unit: str = "share"


def row(
    part: str,
    what: str,
    answers: Iterable[Answer],
    *,
    seed: int,
    chance: float | None = None,
    unread: float | None = None,
    unit: str = "share",
) -> Row:
    """Return the mean of answers with a 95 % interval over those who gave them.

    What could not be read is counted and left out, or scored as `unread` where that is given.
    """
    given = list(answers)
    lost = sum(value is None for _, value in given)
    known = [(whose, unread if value is None else value) for whose, value in given]
    kept = [(whose, value) for whose, value in known if value is not None]
    value, low, high = interval(kept, seed, is_share=unit == "share")
    return Row(part, what, value, low, high, len(kept), lost, chance, unit)


def interval(
    answers: Sequence[tuple[int, float]], seed: int, *, is_share: bool = True
) -> tuple[float | None, float | None, float | None]:
    """Return a mean with its bounds by a bootstrap over people.

    Where all agree: Wilson's for a share of none or all, else no bounds.
    """
    if not answers:
        return None, None, None
    # By number, not by who answered first: the bounds must not hang on that.
    places = {whose: place for place, whose in enumerate(sorted({w for w, _ in answers}))}
    sums, counts = np.zeros(len(places)), np.zeros(len(places))
    for whose, value in answers:
        sums[places[whose]] += value
        counts[places[whose]] += 1
    mean = float(sums.sum() / counts.sum())
    if is_share and mean in (0.0, 1.0):
        return mean, *wilson(mean, len(places))
    if len(set((sums / counts).tolist())) == 1:
        # Every sample is the same, which says nothing of how sure one may be.
        return mean, None, None
    drawn = rng(seed, "probe", "bootstrap").integers(len(places), size=(SAMPLES, len(places)))
    low, high = np.quantile(sums[drawn].sum(1) / counts[drawn].sum(1), (0.025, 0.975)).tolist()
    return mean, low, high


def number(part: str, what: str, value: float, samples: Sequence[float], count: int) -> Row:
    """Return the row of a statistic that is no mean, with the bounds of its own bootstrap."""
    if math.isnan(value):
        return Row(part, what, None, None, None, count)
    low, high = np.quantile(samples, (0.025, 0.975)).tolist() if len(samples) else (None, None)
    return Row(part, what, value, low, high, count)


def mean_of(values: Iterable[float | None]) -> float | None:
    """Return the mean of what is known, None of nothing."""
    kept = [value for value in values if value is not None]
    return sum(kept) / len(kept) if kept else None
