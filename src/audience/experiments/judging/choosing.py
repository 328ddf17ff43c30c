"""Choices for people: the cases of the discrimination task, as they can be read on a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from audience.errors import BadInput
from audience.experiments.evaluation.cases import UNIFORM, Case
from audience.experiments.evaluation.discrimination import SHAPES, arenas, shape_name
from audience.experiments.evaluation.reading import Real
from audience.experiments.judging.kinds import Choose, Chosen, Shown
from audience.world.items import Catalogue
from audience.world.rng import rng

HISTORY = 30
"""Items of a history that are shown; of the others it is said how many and of which kind."""
_TASTES = 4


def choices(
    real: Real,
    *,
    cases: int,
    seed: int,
    shapes: Sequence[tuple[int, int]] = SHAPES,
    negatives: str = UNIFORM,
) -> Iterator[tuple[Choose, Chosen]]:
    """Yield `cases` choices of each shape, the same as `eval discrimination` makes with this seed.

    Nobody is asked about twice: the history of one shape would give the truth of another away.
    """
    if cases * len(shapes) > real.people:
        raise BadInput(
            f"--cases {cases}: {len(shapes)} shapes need {cases * len(shapes)} people and "
            f"{real.name} has {real.people}; ask for fewer"
        )
    found = arenas(real, shapes=shapes, agents=cases * len(shapes), seed=seed)
    tasks = {task.name: task for arena in found for task in arena.tasks}
    order = rng(seed, "judging", "users").permutation(cases * len(shapes))
    stars = _stars(real)
    for place, (a, b) in enumerate(shapes):
        task = tasks[f"{negatives} {shape_name(a, b)}"]
        for at in np.sort(order[place :: len(shapes)]).tolist():
            yield _choice(real, task.cases[at], stars, (a, b), negatives)


def _choice(
    real: Real,
    case: Case,
    stars: dict[tuple[int, int], float],
    shape: tuple[int, int],
    negatives: str,
) -> tuple[Choose, Chosen]:
    catalogue, user = real.catalogue, case.user
    shown = [
        shown_item(catalogue, item, stars.get((user, item), 0.0))
        for item in reversed(case.history[-HISTORY:])
    ]
    seen = Choose(
        "",
        tuple(shown),
        max(0, len(case.history) - HISTORY),
        tastes(catalogue, case.history),
        tuple(shown_item(catalogue, item) for item in case.candidates),
        sum(case.truth),
    )
    key = real.keys[user] if user < len(real.keys) else ""
    return seen, Chosen(user, key, *shape, negatives, case.candidates, case.truth)


def shown_item(catalogue: Catalogue, item: int, stars: float = 0.0) -> Shown:
    """Return an item as judges see it."""
    found = catalogue[item]
    return Shown(found.title, found.year, found.tags, stars)


def told_item(catalogue: Catalogue, item: int) -> str:
    """Return an item on one line."""
    found = catalogue[item]
    year = f" ({found.year})" if found.year else ""
    return f"{found.title}{year}" + (f" · {', '.join(found.tags)}" if found.tags else "")


def tastes(catalogue: Catalogue, history: Sequence[int]) -> str:
    """Return the commonest tags of a history with their shares, each item counted once a tag."""
    counts = Counter(tag for item in history for tag in catalogue[item].tags)
    common = sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:_TASTES]
    return ", ".join(f"{tag} {100 * many / len(history):.0f} %" for tag, many in common)


def _stars(real: Real) -> dict[tuple[int, int], float]:
    """Return what each person gave each item, the first time where there are several."""
    rated = np.flatnonzero(real.stars > 0)[::-1]
    columns = (real.users[rated], real.items[rated], real.stars[rated])
    users, items, stars = (column.tolist() for column in columns)
    return dict(zip(zip(users, items, strict=True), stars, strict=True))
