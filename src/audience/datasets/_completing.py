"""People drawn around what is known of them: a name for a gender, a career for an age."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from audience.datasets._interests import Liking, draw_interests
from audience.datasets._names import draw_names
from audience.datasets._temper import TRAITS, draw_habits, draw_temper, draw_traits
from audience.datasets.handcrafted import Known
from audience.datasets.people import CAREERS, draw_ages, draw_careers, draw_genders
from audience.world.people import Profile


def drawn_around(
    known: Sequence[Known], tags: Sequence[tuple[str, ...]], seed: int
) -> tuple[Profile, ...]:
    """Return a whole person for each known one; the tags are those of each item."""
    people = len(known)
    ages = draw_ages(people, seed)
    genders, women = draw_genders(people, seed)
    for place, one in enumerate(known):
        if one.profile.age is not None and "age" in one.fields:
            ages[place] = one.profile.age
        letter = one.profile.gender[:1].lower() if "gender" in one.fields else ""
        women[place] = letter in ("f", "w") or (bool(women[place]) and letter != "m")
    temper = draw_temper(ages, seed)
    traits, counts = draw_traits(temper, seed)
    worded = [
        tuple(TRAITS[trait] for trait in row[:count])
        for row, count in zip(traits.tolist(), counts.tolist(), strict=True)
    ]
    liked: list[tuple[str, ...]] = [()] * people
    if any(tags):
        liked = draw_interests(Liking(tags), ages, temper[:, 1], seed)
    columns = (
        range(people),
        draw_names(np.asarray(women, bool), seed),
        genders,
        ages.tolist(),
        worded,
        [CAREERS[career] for career in draw_careers(ages, seed).tolist()],
        liked,
        draw_habits(temper, traits, counts, seed),
    )
    return tuple(map(Profile, *columns))
