"""Own clocks: when each person comes next, from a law of gaps, a rhythm and their satisfaction.

A gap is drawn from a law with mean 1 and divided by the person's rate of visits. This is
*operational time*, which runs fast in busy hours and slowly in quiet ones, a week per week on
average. Mapped back through the cumulated rhythm it gives the moment of the next visit: one draw,
and exact. The law is lognormal, or Pareto of the second kind (Lomax), which starts at 0. The first
gap of a person is what is left of one that began before the run, so that the first days are as
busy as all others.

Everything is a function of what is folded: when they came last, and how satisfied they were then.
"""

from __future__ import annotations

from functools import lru_cache

import msgspec
import numpy as np

from audience.engine.activation import Activation
from audience.errors import BadInput, unknown
from audience.world import Bools, Dice, Floats, Ints, World, dice

ROUNDS, OWN = "rounds", "own"
TIMES = (ROUNDS, OWN)
GAPS = ("pareto", "lognormal")
HOUR, DAY, WEEK = 3_600, 86_400, 604_800
_MONDAY = 3 * DAY
"""1970 began on a Thursday: weeks are counted from the Monday before."""
_NEVER = 1e11
"""Seconds of operational time after which nobody comes in any run."""
_LEAST_PULL = 0.05
"""The share of their visits that the least satisfied still make."""


class Timetable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When people come: by `rounds`, or each by their `own` clock."""

    kind: str = ROUNDS
    window: int = 15
    """Minutes; visits of one window do not see each other, and its messages come after it."""
    visits: float = 0.0
    """Visits per person and week on average; 0: as many as `share` of [activation] gives."""
    gaps: str = "pareto"
    """The law of gaps: `pareto` or `lognormal`."""
    alpha: float = 4.0
    """The tail of Pareto gaps: the smaller, the more short and very long ones."""
    sigma: float = 1.2
    """The spread of lognormal gaps, as the standard deviation of their logarithm."""
    hours: tuple[float, ...] = (
        *(0.5, 0.3, 0.2, 0.15, 0.15, 0.2, 0.4, 0.6, 0.8, 0.9, 0.9, 1.0),
        *(1.1, 1.1, 1.0, 1.0, 1.1, 1.3, 1.6, 1.9, 2.1, 2.0, 1.6, 1.0),
    )
    """How busy each hour of the day is, from midnight (UTC); only proportions count."""
    weekdays: tuple[float, ...] = (1.0,) * 7
    """The same for the days of the week, from Monday."""

    def __post_init__(self) -> None:
        if self.kind not in TIMES:
            raise BadInput(f"time: {unknown('kind', self.kind, TIMES)}")
        if self.gaps not in GAPS:
            raise BadInput(f"time: {unknown('law of gaps', self.gaps, GAPS)}")
        for name, weights, count in (("hours", self.hours, 24), ("weekdays", self.weekdays, 7)):
            if len(weights) != count:
                raise BadInput(f"time: {name}: give {count} numbers, not {len(weights)}")
            if min(weights) < 0.0 or not sum(weights) > 0.0:
                raise BadInput(f"time: {name}: give numbers of at least 0 that are not all 0")


class Rhythm:
    """How busy each hour of the week is, and the operational time that passes in it."""

    def __init__(self, hours: tuple[float, ...], weekdays: tuple[float, ...]) -> None:
        weights = np.outer(np.array(weekdays), np.array(hours)).ravel()
        self.weights: Floats = weights / weights.mean()
        self._before: Floats = np.concatenate([[0.0], np.cumsum(self.weights) * HOUR])
        self._before[-1] = WEEK

    def elapsed(self, moments: Ints) -> Floats:
        """Return the operational time until some moments."""
        weeks, rest = np.divmod(moments + _MONDAY, WEEK)
        hour = rest // HOUR
        passed: Floats = self._before[hour] + self.weights[hour] * (rest - hour * HOUR)
        return weeks * float(WEEK) + passed

    def moments(self, elapsed: Floats) -> Ints:
        """Return when some operational time has passed, in whole seconds."""
        weeks, rest = np.divmod(elapsed, float(WEEK))
        hour = np.clip(np.searchsorted(self._before, rest, side="right") - 1, 0, 167)
        into = (rest - self._before[hour]) / np.maximum(self.weights[hour], 1e-12)
        within = hour * HOUR + np.clip(into, 0, HOUR - 1)
        found: Ints = (weeks * WEEK + within).astype(np.int64) - _MONDAY
        return found


@lru_cache(maxsize=8)
def rhythm_of(times: Timetable) -> Rhythm:
    """Return the rhythm of a timetable."""
    return Rhythm(times.hours, times.weekdays)


def drawn_gaps(times: Timetable, draws: Dice, first: Bools) -> Floats:
    """Return gaps with mean 1, one per die; those of `first` began before and are cut."""
    even = draws.uniform("gap")
    if times.gaps == "pareto":
        tail = np.where(first, times.alpha - 1.0, times.alpha)
        lomax: Floats = (times.alpha - 1.0) * ((1.0 - even) ** (-1.0 / tail) - 1.0)
        return lomax
    from scipy.special import ndtri

    # A gap that covers a given moment is a long one: its law is weighted by the length.
    middle = np.where(first, 0.5, -0.5) * times.sigma**2
    drawn: Floats = np.exp(middle + times.sigma * ndtri(even))
    return np.where(first, drawn * draws.uniform("left"), drawn)


def rates(world: World, activation: Activation, times: Timetable) -> Floats:
    """Return the visits per second that everybody would make, if they were neither glad nor not."""
    clock = world.genesis.clock
    mean = times.visits / WEEK if times.visits else activation.share / (clock.at(2) - clock.at(1))
    if activation.method == "random":
        return np.full(len(world.activity), mean)
    return world.activity * (mean / max(float(world.activity.mean()), 1e-12))


def pulled(activation: Activation, satisfaction: Floats) -> Floats:
    """Return the factor by which people come more often when they are satisfied."""
    return np.maximum(1.0 + activation.loyalty * (2.0 * satisfaction - 1.0), _LEAST_PULL)


def following(times: Timetable, since: Ints, rate: Floats, draws: Dice, first: Bools) -> Ints:
    """Return when people come next who came last at `since`; nobody twice within a window."""
    rhythm = rhythm_of(times)
    with np.errstate(divide="ignore"):
        wait = np.minimum(drawn_gaps(times, draws, first) / rate, _NEVER)
    return np.maximum(
        rhythm.moments(rhythm.elapsed(since) + wait),
        np.where(first, since, since + times.window * 60),
    )


def due(world: World, activation: Activation, times: Timetable) -> tuple[Ints, Ints]:
    """Return who comes in the current round by their own clock, and when.

    Who is late, because they were silent or a change from outside made them come more often, comes
    at a drawn moment.
    """
    people = np.arange(len(world.came_at))
    if world.silent:
        people = np.setdiff1d(people, np.array(sorted(world.silent)))
    begin, end = bounds(world)
    since, first = world.came_at[people], world.last_visit[people] == 0
    rate = rates(world, activation, times)[people]
    rate *= pulled(activation, world.satisfaction[people])
    draws = dice(world.seed, "gap", people, since)
    moments = following(times, since, rate, draws, first)
    late = np.flatnonzero(moments < begin)
    if len(late):
        draws = dice(world.seed, "late", people[late], world.round)
        moments[late] = drawn_in(times, begin, end, draws.uniform("moment"))
    now = moments < end
    return people[now], moments[now]


class Returns:
    """When people who come in a round come again; their rates are those at its start."""

    def __init__(self, world: World, activation: Activation, times: Timetable) -> None:
        self._seed = world.seed
        self._activation = activation
        self._times = times
        self._rates = rates(world, activation, times)

    def after(self, people: Ints, came: Ints, satisfaction: Floats) -> Ints:
        """Return the next moments of people who came at `came` and left with a satisfaction."""
        rate = self._rates[people] * pulled(self._activation, satisfaction)
        draws = dice(self._seed, "gap", people, came)
        return following(self._times, came, rate, draws, np.zeros(len(people), np.bool_))


def drawn_in(times: Timetable, begin: int, end: int, places: Floats) -> Ints:
    """Return moments of an interval by its rhythm, from numbers of 0 to 1."""
    rhythm = rhythm_of(times)
    first, last = rhythm.elapsed(np.array([begin, end])).tolist()
    return np.clip(rhythm.moments(first + places * (last - first)), begin, end - 1)


def bounds(world: World) -> tuple[int, int]:
    """Return when the current round begins and when it ends."""
    clock = world.genesis.clock
    return clock.at(world.round), clock.at(world.round, 1.0)
