"""How many people and seeds a gate needs to see a loss, from a pilot."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import numpy as np

from audience.errors import BadInput
from audience.results import LEAST_SEEDS, Arm, Findings, t95, t_quantile
from audience.runs.gate import FAILED_SHARE, POWER, Condition
from audience.world import Floats

SEEDS = (3, 5, 8, 12, 20)
MOST_PEOPLE = 1_000_000


class Noise(msgspec.Struct, frozen=True):
    """Variances of paired differences, relative to the reference's mean."""

    between: float
    """Of seeds, beyond what people of a seed differ by."""
    people: float
    """Of the mean of a seed, times its people; 0 where the metric has no value for each person."""
    reference: float
    """The reference's mean, to which all is relative."""


class Need(msgspec.Struct, frozen=True):
    """How many people a number of seeds needs; 0: no number of people is enough."""

    seeds: int
    people: int


class PowerEstimate(msgspec.Struct, frozen=True):
    """What it takes to see a loss with 80 % power."""

    condition: str
    arm: str
    loss: float
    """The loss to be seen, as a share of the reference."""
    noise: Noise
    needs: tuple[Need, ...]
    pilot: int
    """How many people the pilot had."""

    @property
    def suggested(self) -> Need | None:
        """The fewest seeds that need no more people than the pilot; else the fewest visits."""
        possible = [need for need in self.needs if need.people]
        alike = [need for need in possible if need.people <= self.pilot]
        if alike:
            return alike[0]
        return min(possible, key=lambda need: need.seeds * need.people, default=None)


def power_estimates(
    conditions: Sequence[Condition], findings: Findings, loss: float
) -> list[PowerEstimate]:
    """Return what each condition needs for every arm of a pilot to see a loss.

    A run of S seeds with n people sees a loss L beyond the bound B in 80 % of cases if
    L - B >= (t(.975, S - 1) + t(.8, S - 1)) sqrt((between + people / n) / S).
    """
    if not conditions:
        raise BadInput('--estimate: say what is tested with --fail-if, as in "satisfaction < -2%"')
    seeds = min(len(arm.runs) for arm in findings.arms)
    if seeds < LEAST_SEEDS:
        raise BadInput(f"--estimate: the pilot has {seeds} seeds; run it with at least 3")
    return [
        _estimate(one, findings.arms[0], arm, loss)
        for one in conditions
        if one.metric != FAILED_SHARE
        for arm in findings.arms[1:]
    ]


def noise_of(reference: Arm, other: Arm, metric: str) -> Noise:
    """Return the variances of a pilot's paired differences by seed and by person."""
    first, second = reference.values(metric), other.values(metric)
    mean = float(np.nanmean(first)) if not np.isnan(first).all() else math.nan
    if math.isnan(mean) or not mean:
        raise BadInput(f"--estimate: {metric} is undefined or 0 in the pilot; choose another")
    whole = float(np.nanvar((second - first) / abs(mean), ddof=1))
    pairs = zip(reference.runs, other.runs, strict=True)
    errors = [_error(*(run.agents.get(metric) for run in pair)) for pair in pairs]
    if any(math.isnan(error) for error in errors):
        return Noise(whole, 0.0, mean)
    within = float(np.mean(errors))
    there = len(reference.runs[0].agents[metric])
    return Noise(max(0.0, whole - within), within * there, mean)


def _error(first: Floats | None, second: Floats | None) -> float:
    """Return the relative variance of the mean difference of people; NaN if they have none."""
    if first is None or second is None:
        return math.nan
    both = ~(np.isnan(first) | np.isnan(second))
    mean = float(first[both].mean()) if both.sum() > 1 else 0.0
    if not mean:
        return math.nan
    return float(((second - first)[both] / abs(mean)).var(ddof=1)) / int(both.sum())


def _estimate(asked: Condition, reference: Arm, other: Arm, loss: float) -> PowerEstimate:
    noise = noise_of(reference, other, asked.metric)
    bound = abs(asked.bound) / (100.0 if asked.relative else abs(noise.reference))
    margin = loss - bound
    if margin <= 0.0:
        raise BadInput(
            f"--estimate: a loss of {loss:.1%} is within {asked.text}, which cannot see it; give a "
            "larger loss, or a bound nearer to 0"
        )
    needs = tuple(Need(seeds, _people(noise, margin, seeds)) for seeds in SEEDS)
    values = other.runs[0].agents.values()
    pilot = max((len(people) for people in values), default=0)
    return PowerEstimate(asked.text, other.name, loss, noise, needs, pilot)


def _people(noise: Noise, margin: float, seeds: int) -> int:
    """Return how many people suffice; 0 if none do."""
    allowed = seeds * (margin / (t95(seeds - 1) + t_quantile(POWER, seeds - 1))) ** 2
    left = allowed - noise.between
    if left <= 0.0:
        return 0
    people = max(1, math.ceil(noise.people / left))
    return people if people <= MOST_PEOPLE else 0
