"""A spread without a folder: the engine of every run, with rule minds, and only its curves kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from audience.agents import RuleMind
from audience.datasets.builtin import Films
from audience.datasets.follows import directed
from audience.engine import Activation, Parts, Platform, Rules, Simulation, run, run_sync
from audience.experiments.spread.measuring import Curves, Following
from audience.memory import NoMemory
from audience.recommenders import Popular, Recommender
from audience.world import Chapter, Clock, Genesis, Topic, World
from audience.world.changes import Raise, SwapRecommender
from audience.world.rng import dice


class Forgetting:
    """Keeps no chapter."""

    def append(self, chapter: Chapter) -> None: ...
    def commit(self) -> None: ...


@lru_cache(maxsize=16)
def society(people: int, seed: int, graph: str = "preferential", degree: float = 10.0) -> Genesis:
    """Return drawn people on a generated directed graph."""
    drawn = Films(past=0.0, degree=0).genesis(people, seed, Clock(step="1h"))
    ties = directed(people, seed, graph, degree)
    return Genesis(drawn.catalogue, drawn.profiles, ties, drawn.clock, drawn.domain)


def anybody(people: int, count: int, seed: int) -> tuple[int, ...]:
    """Return `count` people drawn by name."""
    order = np.argsort(dice(seed, "seeds", np.arange(people)).keys, kind="stable")
    return tuple(sorted(order[:count].tolist()))


def tried(
    genesis: Genesis,
    topic: Topic,
    seeds: Sequence[int],
    rounds: int,
    seed: int,
    *,
    attention: float = 1.0,
    rules: Mapping[str, float] | None = None,
) -> Curves:
    """Return how a topic spreads among rule minds; `rules` are parameters of theirs."""
    following = Following()

    def serve(swapped: SwapRecommender | None) -> tuple[str, Recommender]:
        return "popular", Popular()

    parts = Parts(
        RuleMind(**(rules or {})),
        NoMemory(),
        serve,
        Platform(),
        Activation("reached", attention=attention),
        {1: (Raise(topic, tuple(seeds)),)},
    )
    course = Rules(rounds=rounds, refit=0)
    sim = Simulation(World(genesis), Forgetting(), parts, course, seed, listeners=[following])
    run_sync(lambda: run(sim))
    return following.curves()[0]
