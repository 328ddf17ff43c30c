"""Checks of a recommender before it serves anybody."""

from __future__ import annotations

import time
from typing import Any

from audience.engine import Parts, RecommenderFault, Rules, Simulation, run, run_sync
from audience.recommenders import Check, Service, keys_in, probe, told_speed
from audience.scenario import Part, Scenario, addressed, genesis_of, is_service, made, parts_of
from audience.world import Chapter, Intervened, SwapRecommender, World

_TIMES = 20


class _Forgetful:
    """A log that stores nothing."""

    def append(self, chapter: Chapter, body: bytes = b"") -> None: ...
    def commit(self) -> None: ...


def try_recommender(
    kind: str,
    people: int = 200,
    *,
    options: dict[str, Any] | None = None,
    data: Any = None,  # noqa: ANN401
) -> list[Check]:
    """Return the checks of a recommender: a service's contract, or two rounds with any other.

    `data` is a dataset as in a scenario, by default the embedded films. Without it, the items that
    a service recommends are not checked.
    """
    part = Part(kind, options or {})
    if is_service(part):
        return _service(part, data)
    dataset = _dataset(data or "films")
    return _served(Scenario(agents=people, recommender=part, dataset=dataset), kind)


def try_swap(parts: Parts, world: World, change: SwapRecommender, seed: int) -> None:
    """Raise RecommenderFault if a recommender cannot take over in a world, which it may change."""
    world.apply(Intervened(change))
    sim = Simulation(world, _Forgetful(), parts, Rules(rounds=1), seed)
    sim.fit()
    assert sim.stage is not None
    sim.stage.rank([sim.stage.platform.want(me) for me in list(world.agents)[:_TIMES]])


def _service(part: Part, data: Any) -> list[Check]:  # noqa: ANN401
    service = made("recommenders", addressed(part))
    assert isinstance(service, Service)
    if data is None:
        return probe(service, [str(number) for number in range(1, 101)])
    genesis = genesis_of(Scenario(agents=100, dataset=_dataset(data)), 1)
    users = [profile.key or str(profile.id) for profile in genesis.profiles]
    return probe(service, users, keys_in(genesis.catalogue).ids)


def _dataset(data: Any) -> Part:  # noqa: ANN401
    if isinstance(data, str):
        return Part(data)
    return Part(data["kind"], {key: value for key, value in data.items() if key != "kind"})


def _served(scenario: Scenario, kind: str) -> list[Check]:
    people = scenario.agents
    genesis = genesis_of(scenario, 1)
    parts = parts_of(scenario, genesis)
    world = World(genesis)
    sim = Simulation(world, _Forgetful(), parts, Rules(rounds=2), 1)
    run_sync(lambda: run(sim))
    assert sim.stage is not None
    asked = [sim.stage.platform.want(world.agents[who]) for who in range(len(world.agents))]
    batch = sim.stage.rank(asked)
    alone = [sim.stage.rank([one])[0] for one in asked[:20]]
    if alone != list(batch[:20]):
        who = next(number for number, slate in enumerate(alone) if slate != batch[number])
        raise RecommenderFault(
            f"{kind} serves, but user {who} alone gets another slate than in a batch; "
            "results will depend on how visits are batched"
        )
    checks = [
        (
            "recommender",
            True,
            f"{kind} served {people} people for 2 rounds, {len(world.interactions)} "
            "interactions, no fault",
        ),
        ("alone as in a batch", True, f"{len(alone)} users get the same slates"),
    ]
    for count in (1, 100):
        took = []
        for _ in range(_TIMES):
            began = time.perf_counter()
            sim.stage.rank(asked[:count])
            took.append(time.perf_counter() - began)
        what = f"speed, {count} user{'s' * (count > 1)}"
        checks.append((what, True, f"{told_speed(took)} over {_TIMES} requests"))
    return checks
