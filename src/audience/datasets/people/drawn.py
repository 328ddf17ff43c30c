"""A population of any size, drawn at random: genders, ages, careers and activity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import numpy as np

from audience.datasets.people.attributes import (
    TRAITS,
    Liking,
    draw_habits,
    draw_interests,
    draw_names,
    draw_temper,
    draw_traits,
)
from audience.errors import BadInput, unknown
from audience.world import Bools, Floats, Ints, Profile, rng

YOUNGEST, OLDEST = 12, 90
ACTIVITIES = ("equal", "lognormal", "pareto")
PARETO_SHAPE = 1.5
LOGNORMAL_SIGMA = 1.0


class ActivityLaw(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The law that activity levels are drawn from; `alpha` and `minimum` are those of `pareto`.

    A level is x - 1 + minimum with p(x) = alpha / x^(alpha+1) for x from 1 on. A minimum of 1 is
    the classical Pareto law, a minimum of 0 the one that RecAgent's program draws from.
    """

    law: str = "lognormal"
    alpha: float = PARETO_SHAPE
    minimum: float = 1.0

    def __post_init__(self) -> None:
        if self.law not in ACTIVITIES:
            raise unknown("activity", self.law, ACTIVITIES)
        if not self.alpha > 0.0 or not self.minimum >= 0.0:
            raise BadInput(
                f"activity: alpha {self.alpha} and minimum {self.minimum}: give an alpha above 0 "
                "and a minimum from 0 on"
            )


def activity_law(activity: str | Mapping[str, Any]) -> ActivityLaw:
    """Return the law that a name or a table stands for."""
    table = {"law": activity} if isinstance(activity, str) else dict(activity)
    try:
        return msgspec.convert(table, ActivityLaw, strict=False)
    except msgspec.ValidationError as error:
        raise BadInput(f"activity: {error}; give law, alpha and minimum") from None


EARLY_CAREERS = (
    "baker", "barista", "bartender", "beekeeper", "bricklayer", "bus driver", "butcher",
    "caretaker", "carpenter", "cashier", "cleaner", "cook", "courier", "dancer", "electrician",
    "farmer", "firefighter", "fisher", "florist", "gardener", "hairdresser", "home carer",
    "hotel clerk", "illustrator", "lorry driver", "mechanic", "miner", "musician",
    "nursery assistant", "office clerk", "painter", "photographer", "plumber", "postal worker",
    "receptionist", "roofer", "sailor", "seamstress", "security guard", "shop assistant",
    "soldier", "taxi driver", "tiler", "tour guide", "train driver", "waiter",
    "warehouse worker", "welder", "unemployed", "homemaker",
)  # fmt: skip
TRAINED_CAREERS = (
    "accountant", "actor", "archaeologist", "architect", "banker", "biologist", "chemist",
    "civil servant", "dentist", "doctor", "economist", "editor", "engineer", "estate agent",
    "film editor", "geologist", "graphic designer", "historian", "interpreter", "journalist",
    "judge", "laboratory technician", "lawyer", "lecturer", "librarian", "logistics planner",
    "mathematician", "midwife", "nurse", "optician", "paramedic", "pharmacist",
    "physiotherapist", "pilot", "police officer", "product designer", "programmer",
    "project leader", "psychologist", "researcher", "sales representative", "school principal",
    "social worker", "sociologist", "statistician", "surveyor", "teacher", "translator",
    "veterinarian", "writer",
)  # fmt: skip
OUTSIDE_WORK = ("pupil", "student", "retired")
CAREERS = (*OUTSIDE_WORK, *EARLY_CAREERS, *TRAINED_CAREERS)

_GENDERS = ("female", "male", "nonbinary")


def population(
    people: int,
    tags: Iterable[tuple[str, ...]],
    seed: int,
    law: str | Mapping[str, Any] = "lognormal",
) -> tuple[Profile, ...]:
    """Return `people` profiles for a catalogue, given the tags of each of its items.

    Person i does not depend on how many there are: a smaller population is the beginning of a
    larger one.
    """
    if people < 1:
        raise BadInput(f"{people} people were requested; ask for at least one")
    ages = draw_ages(people, seed)
    temper = draw_temper(ages, seed)
    traits, counts = draw_traits(temper, seed)
    genders, women = draw_genders(people, seed)
    columns = (
        range(people),
        draw_names(women, seed),
        genders,
        ages.tolist(),
        _worded(traits, counts),
        [CAREERS[career] for career in draw_careers(ages, seed).tolist()],
        draw_interests(Liking(tags), ages, temper[:, 1], seed),
        draw_habits(temper, traits, counts, seed),
        activity(people, law, seed).tolist(),
    )
    return tuple(map(Profile, *columns))


def activity(people: int, given: str | Mapping[str, Any], seed: int) -> Floats:
    """Return positive levels of expected value 1: how often each person comes.

    `lognormal` has sigma 1, `equal` is 1 for everybody. A Pareto law with an alpha up to 1 has no
    expected value; its levels are left as they are.
    """
    law = activity_law(given)
    draws = rng(seed, "population", "activity")
    if law.law == "pareto":
        alpha, shift = law.alpha, law.minimum - 1.0
        mean = shift + alpha / (alpha - 1.0) if alpha > 1.0 else 1.0
        levels = (shift + (1.0 - draws.random(people)) ** (-1.0 / alpha)) / mean
    elif law.law == "lognormal":
        bell = draws.standard_normal(people)
        levels = np.exp(LOGNORMAL_SIGMA * bell - 0.5 * LOGNORMAL_SIGMA**2)
    else:
        levels = np.ones(people)
    return np.maximum(np.round(levels, 4), 0.0001)


def draw_genders(people: int, seed: int) -> tuple[list[str], Bools]:
    """Return genders, and who has a woman's name."""
    draws = rng(seed, "population", "gender").random((people, 2))
    genders = (draws[:, 0] > 0.49).astype(np.int64) + (draws[:, 0] > 0.98)
    women = np.where(genders == 2, draws[:, 1] < 0.5, genders == 0)
    return [_GENDERS[gender] for gender in genders.tolist()], women


def draw_ages(people: int, seed: int) -> Ints:
    """Return ages as in a country: few teenagers, many of 20 to 60, fewer and fewer from 65 on."""
    ages = np.arange(YOUNGEST, OLDEST + 1)
    weights = np.interp(ages, (12, 18, 25, 45, 65, 78, 90), (0.6, 1.0, 1.4, 1.3, 1.0, 0.5, 0.08))
    heaped = np.cumsum(weights)
    draws = rng(seed, "population", "age").random(people)
    drawn: Ints = ages[np.searchsorted(heaped, draws * heaped[-1], side="right")]
    return drawn


def draw_careers(ages: Ints, seed: int) -> Ints:
    """Return career numbers: school, then study or work, then work, then retirement."""
    draws = rng(seed, "population", "career").random((len(ages), 2))
    early, trained = len(EARLY_CAREERS), len(TRAINED_CAREERS)
    choices = np.where(ages < 23, early, early + trained)
    working = len(OUTSIDE_WORK) + (draws[:, 0] * choices).astype(np.int64)
    pupil = np.interp(ages, (15, 16, 17, 18, 19), (1.0, 0.95, 0.9, 0.5, 0.0))
    student = np.interp(ages, (17, 18, 19, 22, 25, 30, 35), (0.4, 0.7, 0.6, 0.5, 0.2, 0.05, 0.0))
    retired = np.interp(ages, (56, 60, 63, 66, 70, 76), (0.0, 0.08, 0.3, 0.75, 0.95, 1.0))
    fate = draws[:, 1]
    rest = (fate - pupil) / np.maximum(1e-9, 1.0 - pupil)
    outside = np.where(ages < 45, np.where(rest < student, 1, -1), np.where(fate < retired, 2, -1))
    outside = np.where(fate < pupil, 0, outside)
    return np.where(outside < 0, working, outside)


def _worded(traits: Ints, counts: Ints) -> list[tuple[str, ...]]:
    rows = zip(traits.tolist(), counts.tolist(), strict=True)
    return [tuple([TRAITS[trait] for trait in row[:count]]) for row, count in rows]
