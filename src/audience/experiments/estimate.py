"""What a run will ask of models before anything is spent: rounds lived with made-up answers."""

from __future__ import annotations

from pathlib import Path

import msgspec

from audience.engine import Lives, Rules, Simulation, run, run_sync
from audience.experiments.build import asks_models, genesis_of, parts_of
from audience.experiments.experiment import variants
from audience.experiments.models import endpoints_of
from audience.experiments.scenario import Scenario
from audience.llm import Meter, Usage, load_prices
from audience.llm.fake_answers import answer, free
from audience.llm.kinds import Reply, Request
from audience.world import Chapter, World
from audience.world.events import VISITS

PEOPLE, ROUNDS = 100, 2
CHARACTERS = 4


class Estimate(msgspec.Struct, frozen=True):
    """Calls and tokens of a whole scenario, and their price where the model has one."""

    calls: float = 0.0
    prompt: float = 0.0
    completion: float = 0.0
    visits: float = 0.0
    dollars: float | None = None
    by_purpose: dict[str, float] = {}

    @property
    def calls_per_visit(self) -> float:
        return self.calls / self.visits if self.visits else 0.0


class _MadeUp:
    """Answers at once, with something that follows the schema."""

    async def ask(self, request: Request) -> Reply:
        if request.schema:
            text = msgspec.json.encode(answer(request.schema, request.key)).decode()
        else:
            text = free(request.messages[-1].content, request.key)
        sent = sum(len(message.content) for message in request.messages)
        usage = Usage(sent // CHARACTERS, request.candidates * len(text) // CHARACTERS)
        return Reply(request.key, "reply", (text,) * request.candidates, usage=usage)

    async def close(self) -> None: ...


class _Metered(_MadeUp):
    def __init__(self) -> None:
        self.meter = Meter(load_prices())

    async def ask(self, request: Request) -> Reply:
        reply = await super().ask(request)
        self.meter.count(request.purpose, reply)
        return reply


class _Visits:
    """A log that only counts."""

    def __init__(self) -> None:
        self.count = 0

    def append(self, chapter: Chapter) -> None:
        self.count += chapter.phase == VISITS

    def commit(self) -> None: ...


def estimate(scenario: Scenario) -> Estimate:
    """Return what all arms and seeds of a scenario will take, from a small made-up run of each."""
    whole = Estimate()
    for variant in variants(scenario).values():
        if asks_models(variant):
            whole = _plus(whole, _one(variant, scenario.seeds))
    return _priced(whole, scenario)


def _one(scenario: Scenario, seeds: int) -> Estimate:
    people, rounds = min(PEOPLE, scenario.agents), min(ROUNDS, scenario.rounds)
    waking = scenario.activation
    if waking.at_most:
        most = max(1, round(waking.at_most * people / scenario.agents))
        waking = msgspec.structs.replace(waking, at_most=most)
    small = msgspec.structs.replace(scenario, agents=people, interventions=(), activation=waking)
    genesis = genesis_of(small, scenario.seed)
    door, keeper = _Metered(), _Visits()
    parts = parts_of(small, genesis, door)
    rules: Rules = msgspec.structs.replace(scenario.run, rounds=rounds)
    listeners = [] if getattr(parts.memory, "idle", False) else [Lives()]
    sim = Simulation(World(genesis), keeper, parts, rules, scenario.seed, listeners=listeners)
    run_sync(lambda: run(sim))
    times = seeds * (scenario.agents / people) * (scenario.rounds / rounds)
    total = door.meter.total()
    by_purpose = {name: one.calls * times for name, one in door.meter.by_purpose.items()}
    return Estimate(
        total.calls * times,
        total.prompt * times,
        total.completion * times,
        keeper.count * times,
        None,
        by_purpose,
    )


def _plus(one: Estimate, two: Estimate) -> Estimate:
    names = {*one.by_purpose, *two.by_purpose}
    return Estimate(
        one.calls + two.calls,
        one.prompt + two.prompt,
        one.completion + two.completion,
        one.visits + two.visits,
        None,
        {name: one.by_purpose.get(name, 0) + two.by_purpose.get(name, 0) for name in sorted(names)},
    )


def _priced(whole: Estimate, scenario: Scenario) -> Estimate:
    endpoints = endpoints_of(scenario.llm)
    if not endpoints:
        return msgspec.structs.replace(whole, dollars=0.0)
    own = Path(scenario.llm.prices) if scenario.llm.prices else None
    price = load_prices(own).find(endpoints[0].price or endpoints[0].model)
    if price is None:
        return whole
    usage = Usage(round(whole.prompt), round(whole.completion))
    return msgspec.structs.replace(whole, dollars=price.of(usage))
