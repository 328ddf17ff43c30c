"""Traits and habits that belong together: both come from one temper per person."""

from __future__ import annotations

import numpy as np

from audience.world.people import Habits
from audience.world.rng import Floats, Ints, rng

TEMPER = ("sociable", "open", "demanding", "steady")
"""What lies behind the traits: four independent numbers per person."""

AXES = (
    ("outgoing", "shy", (1.6, 0, 0, 0)),
    ("curious", "single-minded", (0, 1.6, 0, 0)),
    ("critical", "forgiving", (0, 0, 1.6, 0)),
    ("patient", "impulsive", (0, 0, 0, 1.4)),
    ("calm", "nervous", (0.3, 0, -0.3, 1.0)),
    ("optimistic", "gloomy", (0.7, 0.2, -0.5, 0.3)),
    ("generous", "thrifty", (0.5, 0.4, -0.4, 0)),
    ("practical", "dreamy", (0, -1.0, 0, 0.6)),
    ("organised", "untidy", (0, -0.3, 0.5, 1.0)),
    ("ambitious", "unassuming", (0.6, 0, 0.8, 0)),
    ("stubborn", "adaptable", (0, -0.8, 0.7, 0)),
    ("witty", "earnest", (0.8, 0.3, 0, -0.5)),
    ("sentimental", "unsentimental", (0, 0.4, -0.7, 0)),
    ("trusting", "sceptical", (0.5, 0, -1.0, 0)),
    ("competitive", "cooperative", (0, 0, 0.9, -0.4)),
    ("bookish", "sporty", (-0.8, 0.7, 0, 0)),
    ("artistic", "analytical", (0, 0.8, -0.4, -0.4)),
    ("independent", "loyal", (-0.4, 0.7, 0, -0.4)),
    ("old-fashioned", "trend-conscious", (-0.4, -0.8, 0, 0.9)),
    ("adventurous", "home-loving", (0.7, 1.0, 0, -0.6)),
    ("gentle", "blunt", (0, 0, -1.0, 0.4)),
)
"""Opposite traits with the temper that leads to the first. Nobody has two from one axis."""

TRAITS = tuple(word for first, second, _ in AXES for word in (first, second))

_HABIT_TEMPER = (
    (0.1, 0.0, 0.3, 0.4),  # watcher
    (0.0, 0.9, 0.0, -0.2),  # explorer
    (0.0, 0.0, 1.0, 0.0),  # critic
    (0.9, 0.0, -0.1, 0.0),  # chatter
    (0.6, 0.2, 0.2, -0.3),  # poster
)
_HABIT_START = (-0.3, -0.4, -0.5, -0.2, -0.9)
_HABIT_TRAITS = {
    "outgoing": (0, 0, 0, 0.9, 0.8),
    "shy": (0, 0, 0, -0.9, -0.9),
    "curious": (0, 1.1, 0, 0.2, 0),
    "single-minded": (0, -0.7, 0, 0, 0),
    "critical": (0.3, 0, 1.3, 0, 0.1),
    "forgiving": (0, 0, -0.9, 0, 0),
    "organised": (0.7, 0, 0, 0, 0),
    "untidy": (-0.5, 0, 0, 0, 0),
    "earnest": (0.5, 0, 0, 0, 0),
    "witty": (0, 0, 0, 0.4, 0.5),
    "trusting": (0, 0, -0.3, 0.5, 0),
    "sceptical": (0, 0, 0.6, -0.4, 0),
    "adventurous": (0, 0.8, 0, 0, 0),
    "home-loving": (0, -0.5, 0, 0, 0),
    "trend-conscious": (0, 0.4, 0, 0, 0.7),
    "old-fashioned": (0, -0.4, 0, 0, -0.6),
    "blunt": (0, 0, 0.5, 0, 0.4),
    "unassuming": (0, 0, 0, 0, -0.6),
}
_NOISE = 0.5
_HUNDREDTHS = tuple(step / 100 for step in range(101))


def draw_temper(ages: Ints, seed: int) -> Floats:
    """Return [people, 4]: one temper each; the older are steadier on average."""
    temper: Floats = rng(seed, "population", "temper").standard_normal((len(ages), len(TEMPER)))
    temper[:, 3] += (ages - 42) / 40.0
    return temper


def draw_traits(temper: Floats, seed: int) -> tuple[Ints, Ints]:
    """Return [people, 4] trait numbers from four different axes, and how many of them count."""
    people = len(temper)
    draws = rng(seed, "population", "traits").random((people, 9))
    axes = np.empty((people, 4), np.int64)
    for step in range(4):
        axis = (draws[:, step] * (len(AXES) - step)).astype(np.int64)
        for taken in np.sort(axes[:, :step], axis=1).T:
            axis += axis >= taken
        axes[:, step] = axis
    loads = np.array([load for _, _, load in AXES], np.float64)
    leaning = np.einsum("pkt,pt->pk", loads[axes], temper)
    second = draws[:, 4:8] > 1.0 / (1.0 + np.exp(-leaning))
    counts = 2 + (draws[:, 8] > 0.25).astype(np.int64) + (draws[:, 8] > 0.75)
    return 2 * axes + second, counts


def draw_habits(temper: Floats, traits: Ints, counts: Ints, seed: int) -> list[Habits]:
    """Return habits in hundredths that follow from temper and traits, with some noise."""
    noise = rng(seed, "population", "habits").standard_normal((len(temper), 5))
    bumps = np.array([_HABIT_TRAITS.get(trait, (0,) * 5) for trait in TRAITS], np.float64)
    score = np.einsum("pt,ht->ph", temper, np.array(_HABIT_TEMPER)) + np.array(_HABIT_START)
    score += _NOISE * noise
    for step in range(4):
        score += bumps[traits[:, step]] * (step < counts)[:, None]
    steps = np.rint(100.0 / (1.0 + np.exp(-score))).astype(np.int64).tolist()
    # Shared floats: a million people would otherwise hold five million of them.
    return [Habits(*[_HUNDREDTHS[step] for step in row]) for row in steps]
