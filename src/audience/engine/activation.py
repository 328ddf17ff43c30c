"""Activation: which agents wake in a round, and when."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import numpy as np

from audience.errors import unknown
from audience.world import Floats, Ints, World, dice

METHODS = ("random", "sample", "marginal", "reached")


class Activation(msgspec.Struct, frozen=True):
    """How agents are woken.

    `random`: each with probability `share`. `sample`: each by its activity level, scaled so that
    the mean is `share`. `marginal`: the same times the rounds since the last visit, plus one.
    `reached`: only those who have news of a topic, who also come with every other method.
    """

    method: str = "sample"
    share: float = 0.5
    loyalty: float = 0.8
    """Effect of satisfaction s on the chance to return: times 1 + loyalty (2 s - 1)."""
    at_most: int = 0
    """The most agents per round, chosen by hash; 0 disables the limit."""
    attention: float = 1.0
    """Chance per round that an agent with news of a topic comes to read it."""

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise unknown("activation method", self.method, METHODS)


def chances(world: World, activation: Activation) -> Floats:
    """Return each agent's probability of waking in the current round."""
    people = len(world.activity)
    if activation.method == "reached":
        return np.zeros(people)
    if activation.method == "random":
        chance = np.full(people, activation.share)
    else:
        chance = world.activity * (activation.share / max(float(world.activity.mean()), 1e-12))
    if activation.method == "marginal":
        chance = chance * (world.round - world.last_visit)
    pull = 1.0 + activation.loyalty * (2.0 * world.satisfaction - 1.0)
    return np.minimum(chance * pull, 1.0)


def awake(world: World, activation: Activation, present: Iterable[int] = ()) -> tuple[Ints, Floats]:
    """Return who wakes in the current round, and when within it, 0 to 1.

    Those in `present` always come, regardless of `at_most`.
    """
    people = np.arange(len(world.activity))
    draws = dice(world.seed, "wake", people, world.round)
    woken = draws.uniform("wake") < chances(world, activation)
    for agent in world.silent:
        woken[agent] = False
    chosen = np.flatnonzero(woken)
    if activation.at_most and len(chosen) > activation.at_most:
        order = np.argsort(draws.keys[chosen], kind="stable")
        chosen = np.sort(chosen[order[: activation.at_most]])
    if extra := [agent for agent in present if agent < len(people)]:
        chosen = np.union1d(chosen, np.array(extra, np.int64))
    return chosen, draws.uniform("moment")[chosen]
