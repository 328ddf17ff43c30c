"""A small world of people who are alike."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from audience.datasets.people.drawn import OUTSIDE_WORK
from audience.errors import BadInput
from audience.world import Bools, Floats, Generator, Ints, Profile, Ties, rng

KINDS = ("family", "friend", "colleague", "neighbour", "acquaintance")
CLOSENESS = (0.85, 0.7, 0.45, 0.4, 0.25)
"""The usual closeness of each kind."""

_SPREAD = 0.12
_LEAST = 0.05
_NO_AGE = 40


def small_world(
    profiles: Sequence[Profile],
    seed: int,
    degree: float = 8,
    rewire: float = 0.1,
    homophily: float = 0.7,
) -> Ties:
    """Return ties in both directions as in Watts and Strogatz, on two rings.

    On one ring people stand by interests and age, so that neighbours are alike; on the other they
    stand at random. `homophily` is the share of ties from the first, `degree` the mean number of
    ties, `rewire` the share of ties that lead anywhere instead.
    """
    check_shape(degree, rewire, homophily)
    people = len(profiles)
    draws = rng(seed, "ties", "ring")
    rings = (_alike(profiles, draws), draws.permutation(people))
    first, second = _pairs(rings, degree, homophily, draws)
    wired = rng(seed, "ties", "rewire")
    elsewhere = wired.random(len(first)) < rewire
    anywhere = wired.integers(0, people, len(first)) if people else first
    second = np.where(elsewhere, anywhere, second)
    first, second = _distinct(first, second, people)
    kinds, closeness = _labels(profiles, first, second, rng(seed, "ties", "kind"))
    return Ties.of(
        people,
        np.concatenate([first, second]),
        np.concatenate([second, first]),
        np.concatenate([kinds, kinds]),
        np.concatenate([closeness, closeness]).astype(np.float32),
        KINDS,
    )


def no_ties(people: int) -> Ties:
    """Return a graph without ties."""
    return Ties.of(people, (), (), (), ())


def check_shape(degree: object, rewire: object, homophily: object) -> None:
    """Raise `BadInput` unless a small world of this shape can be made."""
    if not _within(degree, 1000):
        raise BadInput(f"degree {degree!r} is not a number of ties from 0 to 1000")
    for name, share in (("rewire", rewire), ("homophily", homophily)):
        if not _within(share, 1):
            raise BadInput(f"{name} {share!r} is not a share from 0 to 1")


def _within(number: object, high: float) -> bool:
    return isinstance(number, int | float) and 0 <= number <= high


def _alike(profiles: Sequence[Profile], draws: Generator) -> Ints:
    """Return the people in an order in which neighbours are alike."""
    tags = sorted({tag for profile in profiles for tag in profile.interests[:2]})
    number = {tag: place for place, tag in enumerate(tags)}
    nothing = len(number)
    dearest = np.full((len(profiles), 2), nothing, np.int64)
    for place in range(2):
        dearest[:, place] = [
            number[profile.interests[place]] if len(profile.interests) > place else nothing
            for profile in profiles
        ]
    anyhow = draws.random(len(profiles))
    return np.lexsort((anyhow, _ages(profiles) // 5, dearest[:, 1], dearest[:, 0]))


def _pairs(
    rings: tuple[Ints, Ints], degree: float, homophily: float, draws: Generator
) -> tuple[Ints, Ints]:
    """Return pairs of people: each with the next half-degree people on a ring."""
    people = len(rings[0])
    half = min(degree / 2, people // 2)
    firsts, seconds = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for step in range(1, int(np.ceil(half)) + 1):
        here = draws.random(people) < half - (step - 1)
        alike = draws.random(people) < homophily
        for ring, chosen in ((rings[0], here & alike), (rings[1], here & ~alike)):
            places = np.flatnonzero(chosen)
            firsts.append(ring[places])
            seconds.append(ring[(places + step) % people])
    return np.concatenate(firsts), np.concatenate(seconds)


def _distinct(first: Ints, second: Ints, people: int) -> tuple[Ints, Ints]:
    low, high = np.minimum(first, second), np.maximum(first, second)
    codes = np.sort((low * people + high)[low != high])
    codes = codes[np.diff(codes, prepend=-1) != 0]
    return codes // max(1, people), codes % max(1, people)


def _labels(
    profiles: Sequence[Profile], first: Ints, second: Ints, draws: Generator
) -> tuple[Ints, Floats]:
    """Return a kind and a closeness per pair, plausible for their ages and careers."""
    ages, careers = _ages(profiles), _careers(profiles)
    gap = np.abs(ages[first] - ages[second])
    both_work = (careers[first] >= 0) & (careers[second] >= 0)
    same_career = both_work & (careers[first] == careers[second])
    shares = _shares(gap, both_work, same_career)
    heaped = np.cumsum(shares, axis=1)
    goal = draws.random(len(first))[:, None] * heaped[:, -1:]
    kinds = np.minimum((heaped <= goal).sum(axis=1), len(KINDS) - 1)
    usual = np.array(CLOSENESS)[kinds]
    closeness = np.clip(usual + _SPREAD * draws.standard_normal(len(first)), _LEAST, 1.0)
    return kinds, np.round(closeness, 2)


def _shares(gap: Ints, both_work: Bools, same_career: Bools) -> Floats:
    """Return [pairs, kinds]: parents and children are a generation apart, friends of an age."""
    shares = np.empty((len(gap), len(KINDS)))
    shares[:, 0] = np.where((gap >= 18) & (gap <= 45), 0.45, np.where(gap <= 12, 0.12, 0.05))
    shares[:, 1] = np.where(gap <= 7, 0.6, np.where(gap <= 18, 0.3, 0.08))
    shares[:, 2] = np.where(same_career, 2.0, np.where(both_work, 0.2, 0.0))
    shares[:, 3] = 0.15
    shares[:, 4] = 0.2
    return shares


def _ages(profiles: Sequence[Profile]) -> Ints:
    ages = [_NO_AGE if profile.age is None else profile.age for profile in profiles]
    return np.array(ages, np.int64)


def _careers(profiles: Sequence[Profile]) -> Ints:
    """Return a number per career; -1 for people who do not work or whose career is unknown."""
    number = dict.fromkeys(("", "unemployed", "homemaker", *OUTSIDE_WORK), -1)
    return np.array([number.setdefault(who.career, len(number)) for who in profiles], np.int64)
