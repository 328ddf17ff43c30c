"""Sequences of actions: how far two are apart, and how far two heaps of them are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from audience.errors import BadInput
from audience.experiments.evaluation.reading import Real
from audience.world.rng import Floats, rng

Steps = tuple[str, ...]
"""What was done in a visit, in order."""
FIRST = 40
"""Actions of a visit that are compared; real visits to rate films can be very long."""
PAIRS = 2_000
"""Pairs of sequences that are compared at most."""


def sessions(real: Real, gap_minutes: float, seed: int, most: int = 2_000) -> list[Steps]:
    """Return what real people did from coming to leaving: a pause longer than the gap ends it.

    No more than `most` of them, by a named draw.
    """
    if gap_minutes <= 0:
        raise BadInput(f"--gap {gap_minutes:g}: give minutes greater than 0")
    order = np.argsort(real.users, kind="stable")
    users, at, stars = real.users[order], real.at[order], real.stars[order]
    starts = np.flatnonzero((np.diff(users) != 0) | (np.diff(at) > 60 * gap_minutes)) + 1
    bounds = np.concatenate([[0], starts, [len(users)]]).astype(np.int64)
    count = len(bounds) - 1
    chosen = rng(seed, "probe", "sessions").permutation(count)[:most]
    return [_steps(stars[bounds[one] : bounds[one + 1]]) for one in np.sort(chosen).tolist()]


def _steps(stars: Floats) -> Steps:
    done: list[str] = ["enter"]
    for one in stars.tolist():
        done += ["pick", "rate"] if one else ["pick"]
    return (*done, "leave")


def edits(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many insertions, deletions and exchanges make one sequence the other."""
    before = list(range(len(other) + 1))
    for row, mine in enumerate(one, 1):
        now = [row]
        for column, theirs in enumerate(other, 1):
            exchanged = before[column - 1] + (mine != theirs)
            now.append(min(exchanged, before[column] + 1, now[-1] + 1))
        before = now
    return before[-1]


def similarity(one: Steps, other: Steps) -> float:
    """Return 1 less the edits by the longer length; 1 for equal ones. Only their beginnings."""
    one, other = one[:FIRST], other[:FIRST]
    longest = max(len(one), len(other))
    return 1.0 - edits(one, other) / longest if longest else 1.0


def transitions(visits: Sequence[Steps], actions: Sequence[str]) -> Floats:
    """Return [from, to] counts of one action following another."""
    places = {action: place for place, action in enumerate(actions)}
    counts = np.zeros((len(actions), len(actions)))
    for steps in visits:
        for one, other in pairwise(steps[:FIRST]):
            counts[places[one], places[other]] += 1
    return counts


def apart(simulated: Floats, real: Floats) -> float:
    """Return how far two tables of transitions are apart, 0 to 1.

    The share of next actions that differ, each action weighing as much as it does in reality.
    """
    weights = real.sum(axis=1) / max(real.sum(), 1.0)
    distance = np.abs(_rows(simulated) - _rows(real)).sum(axis=1) / 2
    # What never happens in the simulation has no next action: all of it differs.
    distance[simulated.sum(axis=1) == 0] = 1.0
    return float((weights * distance).sum())


def _rows(counts: Floats) -> Floats:
    shares: Floats = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    return shares
