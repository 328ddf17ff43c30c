"""Trying a recommender on the embedded films before it serves anybody."""

from __future__ import annotations

import time

from audience.engine import RecommenderFault, Rules, Simulation, run, run_sync
from audience.experiments.build import genesis_of, parts_of
from audience.experiments.scenario import Part, Scenario
from audience.world import Chapter, World


class _Forgetful:
    """A log that keeps nothing."""

    def append(self, chapter: Chapter) -> None: ...
    def commit(self) -> None: ...


def try_recommender(kind: str, people: int = 200) -> str:
    """Let a recommender serve two rounds, check each slate and each batch, and time it."""
    scenario = Scenario(agents=people, recommender=Part(kind))
    genesis = genesis_of(scenario, 1)
    parts = parts_of(scenario, genesis)
    world = World(genesis)
    rules = Rules(rounds=2)
    sim = Simulation(world, _Forgetful(), parts, rules, 1)
    run_sync(lambda: run(sim))
    assert sim.stage is not None
    asked = [sim.stage.platform.want(world.agents[who]) for who in range(people)]
    began = time.perf_counter()
    batch = sim.stage.rank(asked)
    seconds = time.perf_counter() - began
    alone = [sim.stage.rank([one])[0] for one in asked[:20]]
    if alone != batch[:20]:
        who = next(number for number, slate in enumerate(alone) if slate != batch[number])
        raise RecommenderFault(
            f"{kind} serves, but user {who} alone gets another slate than in a batch; "
            "results will depend on how visits are batched"
        )
    return (
        f"{kind} served {people} people for 2 rounds, {len(world.interactions)} interactions, "
        f"no fault; {people / seconds:,.0f} users ranked per second"
    )
