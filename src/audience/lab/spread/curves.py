"""Models of how news and opinions spread on a graph, error measures, and the curves of a run.

A tie goes from a follower to the person followed; news flows the other way. Draws are named by
seed and step; element i belongs to person or tie i.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from audience.errors import BadInput
from audience.log import Log
from audience.metrics import Cascades, standing, tone
from audience.world import (
    CLOSING,
    Bools,
    Chapter,
    Floats,
    Forwarded,
    Ints,
    Posted,
    Ties,
    View,
    World,
    dice,
)


class Network(msgspec.Struct, frozen=True):
    """Ties as two columns: who listens, and to whom."""

    people: int
    listener: Ints
    speaker: Ints

    @classmethod
    def of(cls, ties: Ties) -> Network:
        people = len(ties.starts) - 1
        listener = np.repeat(np.arange(people), np.diff(ties.starts))
        return cls(people, listener, ties.others.astype(np.int64))


def independent_cascade(
    network: Network,
    seeds: Sequence[int],
    chance: float,
    steps: int,
    seed: int,
    *,
    speed: float = 1.0,
) -> Floats:
    """Return how many are active after each step; the first entry is the seeds.

    A person who becomes active tries once to activate each follower, with `chance`. With `speed`
    below 1, each tie takes a geometric number of steps, of mean 1 / speed, to carry the news.
    """
    active = _seeded(network, seeds)
    ties = np.arange(len(network.listener))
    carries = dice(seed, "cascade", ties).uniform("carries") < chance
    when = np.full(len(ties), -1, np.int64)
    reached, counts = np.flatnonzero(active), [float(active.sum())]
    for step in range(1, steps + 1):
        fresh = np.zeros(network.people, np.bool_)
        fresh[reached] = True
        begin = fresh[network.speaker] & carries & (when < 0)
        when[begin] = step - 1 + _delays(seed, ties[begin], speed)
        listeners = np.unique(network.listener[when == step])
        reached = listeners[~active[listeners]]
        active[reached] = True
        counts.append(float(active.sum()))
    return np.array(counts)


def linear_threshold(
    network: Network,
    seeds: Sequence[int],
    threshold: float,
    steps: int,
    seed: int,
    *,
    speed: float = 1.0,
) -> Floats:
    """Return how many are active after each step; the first entry is the seeds.

    A person becomes active when the active share of those they follow reaches their threshold,
    uniform between 0 and 2 `threshold`; with `speed` below 1, with that chance in each step.
    """
    active = _seeded(network, seeds)
    people = np.arange(network.people)
    draws = dice(seed, "threshold", people)
    bounds = 2.0 * threshold * draws.uniform("threshold")
    follows = np.bincount(network.listener, minlength=network.people)
    counts = [float(active.sum())]
    for step in range(1, steps + 1):
        heard = np.bincount(
            network.listener, active[network.speaker].astype(np.float64), network.people
        )
        moved = (heard > 0.0) & (heard >= bounds * follows)
        if speed < 1.0:
            moved &= dice(seed, "slow", people, step).uniform("acts") < speed
        active |= moved
        counts.append(float(active.sum()))
    return np.array(counts)


def voter(network: Network, views: Floats, steps: int, seed: int) -> Floats:
    """Return [steps + 1, people] views: in each step everybody adopts one of those they follow."""
    starts, order = _listened(network)
    count = np.diff(starts)
    heard = np.append(network.speaker[order], 0)
    now = np.asarray(views, np.float64)
    rows = [now]
    people = np.arange(network.people)
    for step in range(1, steps + 1):
        draw = dice(seed, "voter", people, step).uniform("whom")
        chosen = np.minimum((draw * count).astype(np.int64), np.maximum(count - 1, 0))
        now = np.where(count > 0, now[heard[starts[:-1] + chosen]], now)
        rows.append(now)
    return np.array(rows)


def degroot(network: Network, views: Floats, steps: int, *, own: float = 0.5) -> Floats:
    """Return [steps + 1, people] views: `own` of one's view and the mean of those one follows."""
    return friedkin_johnsen(network, views, steps, stubborn=0.0, own=own)


def friedkin_johnsen(
    network: Network, views: Floats, steps: int, *, stubborn: float = 0.3, own: float = 0.5
) -> Floats:
    """Return [steps + 1, people] views, each keeping a share `stubborn` of the first one.

    The rest is as in DeGroot: `own` times the present view, and the mean of those one follows.
    """
    first = np.asarray(views, np.float64)
    follows = np.bincount(network.listener, minlength=network.people).astype(np.float64)
    now, rows = first, [first]
    for _ in range(steps):
        heard = np.bincount(network.listener, now[network.speaker], network.people)
        mean = np.divide(heard, follows, out=now.copy(), where=follows > 0.0)
        now = stubborn * first + (1.0 - stubborn) * (own * now + (1.0 - own) * mean)
        rows.append(now)
    return np.array(rows)


def _seeded(network: Network, seeds: Sequence[int]) -> Bools:
    active = np.zeros(network.people, np.bool_)
    active[np.asarray(seeds, np.int64)] = True
    return active


def _delays(seed: int, ties: Ints, speed: float) -> Ints:
    """Return delays from 1 step on, geometric with chance `speed` in each."""
    if speed >= 1.0:
        return np.ones(len(ties), np.int64)
    draw = 1.0 - dice(seed, "delay", ties).uniform("delay")
    steps: Ints = 1 + np.floor(np.log(draw) / np.log1p(-speed)).astype(np.int64)
    return steps


def _listened(network: Network) -> tuple[Ints, Ints]:
    order = np.argsort(network.listener, kind="stable")
    count = np.bincount(network.listener, minlength=network.people)
    return np.concatenate([[0], np.cumsum(count)]), order


Curve = Sequence[float] | Floats


def resampled(curve: Curve, length: int) -> Floats:
    """Return a curve with `length` points by linear interpolation."""
    values = np.asarray(curve, np.float64)
    if not len(values) or length < 1:
        raise BadInput("a curve needs at least one point")
    if len(values) == 1 or length == 1:
        return np.full(length, values[0])
    return np.interp(np.linspace(0.0, len(values) - 1.0, length), np.arange(len(values)), values)


def msed(actual: Curve, simulated: Curve, most: float = math.nan) -> float:
    """Return the mean over time of (actual - simulated)^2, both divided by the true maximum.

    Both are resampled to the same length first; `most` is the maximum if `actual` is only a part
    of the true curve.
    """
    truth, guess = _alike(actual, simulated)
    top = float(truth.max()) if math.isnan(most) else most
    if top <= 0.0:
        return math.nan
    return float((((truth - guess) / top) ** 2).mean())


def correlation(actual: Curve, simulated: Curve) -> float:
    """Return Pearson's correlation; NaN if either curve is constant."""
    truth, guess = _alike(actual, simulated)
    if len(truth) < 2 or np.ptp(truth) == 0.0 or np.ptp(guess) == 0.0:
        return math.nan
    return float(np.corrcoef(truth, guess)[0, 1])


def nrmse(actual: Curve, simulated: Curve) -> float:
    """Return the root of the mean squared error, divided by the true maximum."""
    squared = msed(actual, simulated)
    return math.sqrt(squared) if not math.isnan(squared) else math.nan


def _alike(actual: Curve, simulated: Curve) -> tuple[Floats, Floats]:
    truth = np.asarray(actual, np.float64)
    if not len(truth):
        raise BadInput("a curve needs at least one point")
    return truth, resampled(simulated, len(truth))


class Curves(msgspec.Struct, frozen=True):
    """How one topic spread, one number per round."""

    topic: str
    reach: tuple[float, ...]
    """Share of people who know."""
    active: tuple[float, ...]
    """Share of people who ever told others."""
    emotion: tuple[float, ...]
    emotion_words: tuple[float, ...]
    positive: tuple[float, ...]
    scale: tuple[float, ...]
    """Of the largest cascade so far; so are depth and breadth."""
    depth: tuple[float, ...]
    breadth: tuple[float, ...]


_ROW = tuple(name for name in Curves.__struct_fields__ if name != "topic")


class Following:
    """A listener that follows every topic round by round."""

    def __init__(self) -> None:
        self._rows: list[list[tuple[float, ...]]] = []
        self._names: list[str] = []
        self._tellers: list[set[int]] = []
        self._trees: list[Cascades] = []
        self._toned: list[list[float]] = []

    def __call__(self, chapter: Chapter, world: View) -> None:
        for topic in world.spread.topics[len(self._names) :]:
            self._names.append(topic.name)
            self._rows.append([])
            self._tellers.append(set())
            self._trees.append(Cascades())
            self._toned.append([])
        for entry in chapter.entries:
            event: Any = entry.event
            if isinstance(event, (Posted, Forwarded)) and event.topic >= 0:
                self._tellers[event.topic].add(event.agent)
                self._trees[event.topic].add(event)
                self._toned[event.topic].append(tone(event.text))
        if chapter.phase == CLOSING:
            for number in range(len(self._names)):
                self._close(number, world)

    def _close(self, number: int, world: View) -> None:
        now, most = standing(world.spread, number), self._trees[number].largest()
        toned = self._toned[number]
        self._rows[number].append(
            (
                now["reach"],
                len(self._tellers[number]) / len(world.agents),
                now["emotion"],
                sum(toned) / len(toned) if toned else 0.0,
                now["positive"],
                float(most.scale),
                float(most.depth),
                float(most.breadth),
            )
        )
        toned.clear()

    def curves(self) -> tuple[Curves, ...]:
        """Return the curves so far, one for each topic, from its first round on."""
        return tuple(
            Curves(name, *(tuple(column) for column in zip(*rows, strict=True)))
            if rows
            else Curves(name, *(() for _ in _ROW))
            for name, rows in zip(self._names, self._rows, strict=True)
        )


def curves_of(folder: Path) -> tuple[Curves, ...]:
    """Return the curves of a run's topics from its log alone."""
    following = Following()
    with Log.open(folder) as log:
        world = World(log.genesis())
        for chapter in log.chapters():
            for entry in chapter.entries:
                world.apply(entry.event)
            following(chapter, world)
    return following.curves()
