"""How far judges agree: Krippendorff's alpha and the share of equal judgements."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from audience.results import CORRELATION, bootstrap, percentile_interval
from audience.world.rng import Floats

Ratings = Sequence[Mapping[str, float]]
"""For each thing judged, the judgement of each judge who gave one."""


class Agreement(msgspec.Struct, frozen=True):
    """How far judges agree on what two or more of them judged."""

    alpha: float
    """1: wholly; 0: as by chance; NaN where all said the same throughout or none met."""
    low: float
    high: float
    """A 95 % interval by drawing anew among the things judged."""
    equal: float
    """Share of pairs of judgements of the same thing that are equal."""
    things: int
    judges: int


def agreement(ratings: Ratings, *, ordered: bool) -> Agreement:
    """Return how far judges agree; `ordered` where judgements are degrees and not mere names."""
    judges = len({judge for one in ratings for judge in one})
    shared = [tuple(one.values()) for one in ratings if len(one) > 1]
    if not shared:
        return Agreement(math.nan, math.nan, math.nan, math.nan, 0, judges)
    values = sorted({value for one in shared for value in one})
    counts = np.array([[one.count(value) for value in values] for one in shared], np.float64)
    alpha = _alpha(counts, ordered=ordered)
    samples = bootstrap(
        lambda things: _alpha(counts[things], ordered=ordered),
        len(counts),
        seed=0,
        names=("agreement",),
    )
    drawn = percentile_interval(alpha, samples, bounds=CORRELATION)
    return Agreement(alpha, drawn.low, drawn.high, _equal(counts), len(shared), judges)


def _equal(counts: Floats) -> float:
    sizes = counts.sum(axis=1)
    same = (counts * (counts - 1)).sum(axis=1) / (sizes * (sizes - 1))
    return float(same.mean())


def _alpha(counts: Floats, *, ordered: bool) -> float:
    """Return 1 - observed / expected disagreement from [things, values] counts."""
    sizes = counts.sum(axis=1)
    together = counts.T @ (counts / (sizes - 1)[:, None]) - np.diag(
        (counts / (sizes - 1)[:, None]).sum(axis=0)
    )
    totals = together.sum(axis=1)
    apart = _distances(totals) if ordered else 1.0 - np.eye(len(totals))
    expected = float((np.outer(totals, totals) * apart).sum() / (totals.sum() - 1))
    observed = float((together * apart).sum())
    return 1.0 - observed / expected if expected > 0 else math.nan


def _distances(totals: Floats) -> Floats:
    """Return how far degrees are apart: by how many judgements lie between them, squared."""
    upto = np.cumsum(totals)
    middle = upto - totals / 2
    found: Floats = (middle[:, None] - middle[None, :]) ** 2
    return found
