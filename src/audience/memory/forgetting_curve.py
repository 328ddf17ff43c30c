"""Forgetting: the paper's forgetting function, and which long-term thoughts fade in a round."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from audience.memory.memory import Draw
from audience.world import Agent, Floats, Ints

HOUR, DAY = 3_600, 86_400


class Forgetting(msgspec.Struct, frozen=True):
    """The parameters of forgetting."""

    beta: float = 1.5
    """How fast recency loses its effect, above 1: the higher, the sooner old thoughts fade."""
    delta: float = 0.01
    """The minimum hold of a thought, however old, between 0 and 1."""
    decay: float = 0.99
    """The share of recency left after an hour without access."""
    rate: float = 0.05
    """The probability per day that a thought without importance and recency is forgotten."""
    untouched: float = 24.0
    """Hours since its last access before a thought can be forgotten at all."""

    def __post_init__(self) -> None:
        for name, ok, required in (
            ("beta", self.beta > 1, "above 1"),
            ("delta", 0 < self.delta < 1, "between 0 and 1"),
            ("decay", 0 < self.decay <= 1, "above 0 and at most 1"),
            ("rate", 0 <= self.rate <= 1, "between 0 and 1"),
            ("untouched", self.untouched >= 0, "at least 0"),
        ):
            if not ok:
                raise ValueError(f"{name} is {getattr(self, name)}; it has to be {required}")


def recency(now: int | Ints, touched: Ints, decay: float) -> Floats:
    """Return the recency of thoughts, 1 now and decaying by the hour."""
    return np.asarray(np.exp(np.maximum(now - touched, 0) * (np.log(decay) / HOUR)), np.float64)


def forgetting(
    weight: Floats | float, recent: Floats | float, beta: float = 1.5, delta: float = 0.01
) -> Floats:
    """Return g(M) = 1 - (s + r)/2 * max(r^beta, delta): how ready a thought is to be forgotten."""
    hold = np.maximum(np.power(recent, beta), delta)
    return np.asarray(1.0 - (np.asarray(weight) + recent) / 2.0 * hold, np.float64)


def chance(weight: Floats, touched: Ints, since: int, now: int, laws: Forgetting) -> Floats:
    """Return the probability that each thought is forgotten between two moments.

    It depends on simulated time alone, not on the length of a round or the number of calls.
    """
    ready = forgetting(weight, recency(now, touched, laws.decay), laws.beta, laws.delta)
    days = (now - since) / DAY
    gone = 1.0 - np.power(1.0 - laws.rate * ready, days)
    return np.where(now - touched > laws.untouched * HOUR, gone, 0.0)


def fade(
    people: Sequence[Agent], since: int, now: int, draw: Draw, laws: Forgetting
) -> list[tuple[int, ...]]:
    """Return for each person the long-term thoughts that fade between two moments."""
    owners: list[int] = []
    ids: list[int] = []
    weights: list[float] = []
    touched: list[int] = []
    latest = now - laws.untouched * HOUR
    for place, me in enumerate(people):
        for thought in me.thoughts:
            moment = thought.accessed or thought.at
            if moment < latest and thought.store == "long":
                owners.append(place)
                ids.append(thought.id)
                weights.append(thought.weight)
                touched.append(moment)
    faded: list[tuple[int, ...]] = [()] * len(people)
    if not owners:
        return faded
    agents = np.array([people[place].profile.id for place in owners], np.int64)
    odds = chance(np.array(weights), np.array(touched, np.int64), since, now, laws)
    for row in np.flatnonzero(draw(agents, np.array(ids, np.int64)) < odds).tolist():
        faded[owners[row]] = (*faded[owners[row]], ids[row])
    return faded
