"""Language minds on a real curve: whether and what to tell is the model's, not fitted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from audience.agents import LLMMind
from audience.engine import Rules, run_sync
from audience.lab.evaluation import Doors
from audience.lab.spread.curves import Curves
from audience.lab.spread.real import (
    FittedSpread,
    Truth,
    anybody,
    error_of,
    predicted,
    rising,
    society,
    spread_of,
)
from audience.scenario import name_of
from audience.world import Topic

LANGUAGE = "language minds"
SEEDS = 3
"""Graphs and dice that language minds live on at most: each is paid for."""


def language_minds(
    truth: Truth,
    like: Mapping[str, float],
    doors: Doors,
    topic: Topic,
    *,
    people: int,
    graph: str,
    seeds: Sequence[int],
    progress: Callable[[str], None] = lambda what: None,
) -> tuple[FittedSpread, list[Curves]]:
    """Return how well language minds predict a curve, and their whole curves, one for each seed.

    How often people look, and how many know at once, are those fitted for rule minds (`like`):
    fitting them anew would ask a model thousands of times.
    """
    given = {"attention": like["attention"], "at once": like["at once"]}
    courses: list[Curves] = []

    async def work() -> None:
        try:
            mind = LLMMind(doors.open(), model=name_of(doors.models))
            course = Rules(rounds=len(truth.counts), refit=0, deadline=0.0)
            for seed in seeds[:SEEDS]:
                progress(f"{LANGUAGE}: seed {seed}")
                first = anybody(people, max(1, round(given["at once"] * people)), seed)
                genesis = society(people, seed, graph)
                courses.append(
                    await spread_of(genesis, topic, first, course, seed, mind, given["attention"])
                )
        finally:
            await doors.close()

    run_sync(work)
    shapes = [rising(np.array(course.active)) for course in courses]
    error = error_of(truth, np.mean(shapes, axis=0))
    return predicted(truth, LANGUAGE, {"people": people, **given}, error, shapes), courses
