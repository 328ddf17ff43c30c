"""Whether an audience orders policies as real people did: values, pairs, tau, split halves."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import numpy as np

from audience.lab.verdicts import kendall
from audience.results import CORRELATION, Interval, bootstrap, percentile_interval
from audience.world import Bools, Floats, Ints, rng

RESAMPLES = 2_000
HALVES = 200
FALSE_DISCOVERIES = 0.05


class RealValues(msgspec.Struct, frozen=True):
    """What each policy was really worth to each person or in each test."""

    names: tuple[str, ...]
    outcomes: Floats
    """[policies, units]; the last policy is the random choice."""
    is_lift: bool = False
    """Whether values are relative: the mean over that of the random choice, less 1."""

    def values(self, units: Ints | None = None) -> Floats:
        """Return the value of each policy over some units, or over all."""
        chosen = self.outcomes if units is None else self.outcomes[:, units]
        means: Floats = chosen.mean(axis=1)
        return means / means[-1] - 1.0 if self.is_lift else means


class PolicyValue(msgspec.Struct, frozen=True):
    """One policy: what the audience said before, and what people really did."""

    name: str
    predicted: float
    real: Interval


class PredictorFit(msgspec.Struct, frozen=True):
    """How well one predictor ordered the policies."""

    predictor: str
    tau: Interval
    right: int
    pairs: int
    slope: float
    error: float


class PolicyTruth(msgspec.Struct, frozen=True):
    """The truth of a set of policies, with everything that is resampled from it."""

    real: RealValues
    intervals: tuple[Interval, ...]
    samples: Floats
    """[policies, resamples]."""
    pairs: tuple[tuple[int, int], ...]
    """Pairs that really differ."""
    compared: int
    split_half: float


def truth_of(real: RealValues, seed: int) -> PolicyTruth:
    """Return values with intervals, the pairs that differ, and the split-half tau."""
    units = real.outcomes.shape[1]
    samples = bootstrap(
        real.values, units, seed=seed, names=("backtest", "truth"), resamples=RESAMPLES
    )
    values = real.values()
    intervals = tuple(
        percentile_interval(value, drawn, count=units)
        for value, drawn in zip(values.tolist(), samples, strict=True)
    )
    pairs, compared = differing(real.outcomes)
    return PolicyTruth(real, intervals, samples, pairs, compared, _split_half(real, seed))


def differing(outcomes: Floats) -> tuple[tuple[tuple[int, int], ...], int]:
    """Return the pairs that differ by a paired t test, Benjamini-Hochberg at 5 %, and all pairs."""
    from scipy.special import stdtr

    many, units = outcomes.shape
    pairs = [(first, other) for first in range(many) for other in range(first)]
    chances = np.ones(len(pairs))
    for place, (first, other) in enumerate(pairs):
        apart = outcomes[first] - outcomes[other]
        spread = float(apart.std(ddof=1)) / math.sqrt(units) if units > 1 else 0.0
        if spread > 0.0:
            chances[place] = 2.0 * float(stdtr(units - 1, -abs(float(apart.mean())) / spread))
    kept = discoveries(chances)
    return tuple(pair for pair, there in zip(pairs, kept, strict=True) if there), len(pairs)


def discoveries(chances: Floats) -> Bools:
    """Return which hypotheses are rejected by Benjamini and Hochberg's procedure."""
    order = np.argsort(chances, kind="stable")
    many = len(chances)
    bars = FALSE_DISCOVERIES * np.arange(1, many + 1) / max(many, 1)
    below = np.flatnonzero(chances[order] <= bars)
    rejected = np.zeros(many, np.bool_)
    if len(below):
        rejected[order[: int(below[-1]) + 1]] = True
    return rejected


def _split_half(real: RealValues, seed: int) -> float:
    draw = rng(seed, "backtest", "halves")
    units = real.outcomes.shape[1]
    taus = []
    for _ in range(HALVES):
        order = draw.permutation(units)
        halves = (order[: units // 2], order[units // 2 :])
        taus.append(kendall(*(real.values(half) for half in halves)))
    return float(np.nanmean(taus))


def compared(name: str, predicted: Floats, truth: PolicyTruth) -> PredictorFit:
    """Return how well predicted values agree with the truth."""
    values = truth.real.values()
    taus = np.array([kendall(predicted, drawn) for drawn in truth.samples.T])
    tau = percentile_interval(kendall(predicted, values), taus, bounds=CORRELATION)
    right = sum(
        (predicted[first] - predicted[other]) * (values[first] - values[other]) > 0.0
        for first, other in truth.pairs
    )
    gain, real = (column[:-1] - column[-1] for column in (predicted, values))
    square = float((gain * gain).sum())
    slope = float((gain * real).sum()) / square if square else math.nan
    error = float(np.abs(gain - real).mean())
    return PredictorFit(name, tau, int(right), len(truth.pairs), slope, error)


def policy_values(predicted: Floats, truth: PolicyTruth) -> tuple[PolicyValue, ...]:
    """Return all policies, the best in truth first."""
    rows = [
        PolicyValue(name, value, interval)
        for name, value, interval in zip(
            truth.real.names, predicted.tolist(), truth.intervals, strict=True
        )
    ]
    return tuple(sorted(rows, key=lambda row: -row.real.mean))


def mean_choices(scores: Sequence[Floats], offered: Bools, values: Floats) -> Floats:
    """Return [policies + 1, units]: the value of each first choice, and of a random one last.

    Of equal scores the lower item is chosen.
    """
    worth = np.where(offered, values, 0.0)
    people = np.arange(len(offered))
    rows = [worth[people, np.argmax(np.where(offered, each, -np.inf), axis=1)] for each in scores]
    rows.append(worth.sum(axis=1) / offered.sum(axis=1))
    return np.stack(rows)
