"""Cost estimates: a few rounds are simulated with made-up answers before anything is spent."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from audience.engine import Rules, Simulation, run, run_sync
from audience.llm import (
    FIRST,
    Meter,
    Reply,
    Request,
    Usage,
    answer,
    free,
    load_prices,
)
from audience.memory import is_idle
from audience.parts import Consolidates
from audience.plugins import find
from audience.runs.jobs import variants
from audience.scenario import (
    Scenario,
    asks_models,
    calls_at_once,
    changed,
    endpoints_of,
    genesis_of,
    parts_of,
    suited,
)
from audience.world import CLOSING, VISITS, Chapter, World

PEOPLE, ROUNDS = 100, 2
GROWING = 25, 8
"""People and rounds of the simulation with a memory: prompts grow, and insights take days."""
CHARACTERS = 4
WAYS = ("fused", "faithful", "rule")
"""Ways in which a memory may consolidate."""


class CostEstimate(msgspec.Struct, frozen=True):
    """Calls and tokens of a whole scenario, and their price if it is known."""

    calls: float = 0.0
    prompt: float = 0.0
    completion: float = 0.0
    visits: float = 0.0
    dollars: float | None = None
    by_purpose: dict[str, float] = {}
    memory_calls: float = 0.0
    """Calls for memories, included in all calls; tokens likewise."""
    memory_prompt: float = 0.0
    memory_completion: float = 0.0

    @property
    def calls_per_visit(self) -> float:
        return self.calls / self.visits if self.visits else 0.0

    @property
    def memory_calls_per_visit(self) -> float:
        return self.memory_calls / self.visits if self.visits else 0.0


class _MadeUp:
    """A gateway that answers at once with something that follows the schema."""

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
    """A log that only counts visits, and the calls up to the middle round."""

    def __init__(self, doors: Sequence[_Metered], middle: int) -> None:
        self.count = 0
        self.early = CostEstimate()
        self._doors, self._middle = doors, middle

    def append(self, chapter: Chapter, body: bytes = b"") -> None:
        self.count += chapter.phase == VISITS
        if chapter.phase == CLOSING and chapter.round == self._middle:
            self.early = self.sums()

    def commit(self) -> None: ...

    def sums(self) -> CostEstimate:
        """Return the calls so far of minds and, through the second gateway, of memories."""
        mind, memory = (door.meter.total() for door in self._doors)
        by_purpose = {
            name: float(one.calls)
            for door in self._doors
            for name, one in door.meter.by_purpose.items()
        }
        return CostEstimate(
            mind.calls + memory.calls,
            mind.prompt + memory.prompt,
            mind.completion + memory.completion,
            self.count,
            None,
            by_purpose,
            memory.calls,
            memory.prompt,
            memory.completion,
        )


def estimate(scenario: Scenario) -> CostEstimate:
    """Return what all arms and seeds of a scenario will cost, from a small simulation of each."""
    whole = CostEstimate()
    for variant in variants(scenario).values():
        if asks_models(variant):
            whole = _plus(whole, _one(variant, scenario.seeds))
    return _priced(whole, scenario)


DEEP = 3.0
"""The calls of a round that wait for each other, as multiples of the calls of a visit."""


def seconds_of(scenario: Scenario, whole: CostEstimate, latency: float) -> float:
    """Return roughly how long the calls of a scenario take if one takes `latency` seconds.

    A round takes as long as its calls at so many at a time, or as the longest row of calls that
    wait for each other: those of a visit, of conversations and of memories.
    """
    runs = [arm for arm in variants(scenario).values() if asks_models(arm)]
    rounds = max(1, len(runs) * scenario.seeds * scenario.rounds)
    endpoints = max(1, len(endpoints_of(scenario.llm)))
    at_once = calls_at_once(scenario.llm) or endpoints * (scenario.llm.concurrency or FIRST)
    at_once = max(1, min(at_once, scenario.run.concurrency or at_once))
    deep = min(DEEP * whole.calls_per_visit, whole.calls / rounds)
    return latency * rounds * max(whole.calls / rounds / at_once, deep)


def way_of(scenario: Scenario) -> str:
    """Return how a scenario's memory consolidates; "" if it has no ways to choose from."""
    make = find("memories", scenario.memory.kind)
    if not isinstance(make, Consolidates):
        return ""
    return make.way_with(scenario.memory.options, suited(scenario))


def with_way(scenario: Scenario, way: str) -> Scenario:
    """Return the scenario with another way of consolidation."""
    options = {**scenario.memory.options, "consolidation": way}
    return changed(scenario, memory={"kind": scenario.memory.kind, "options": options})


def _one(scenario: Scenario, seeds: int) -> CostEstimate:
    doors = _Metered(), _Metered()
    small, rules = _small(scenario)
    genesis = genesis_of(small, scenario.seed)
    parts = parts_of(small, genesis, doors[0])
    memory = parts_of(small, genesis, doors[1]).memory
    parts = msgspec.structs.replace(parts, memory=memory)
    keeper = _Visits(doors, rules.rounds // 2)
    sim = Simulation(World(genesis), keeper, parts, rules, scenario.seed)
    run_sync(lambda: run(sim))
    whole = keeper.sums()
    if not is_idle(memory):
        # Later rounds are like those of the second half, when memories have filled.
        late = _plus(whole, _times(keeper.early, -1.0))
        more = scenario.rounds - rules.rounds
        whole = _plus(whole, _times(late, more / max(rules.rounds - rules.rounds // 2, 1)))
    else:
        whole = _times(whole, scenario.rounds / rules.rounds)
    return _times(whole, seeds * scenario.agents / small.agents)


def _small(scenario: Scenario) -> tuple[Scenario, Rules]:
    """Return how many people and rounds are simulated with made-up answers."""
    idle = is_idle(find("memories", scenario.memory.kind))
    most, longest = (PEOPLE, ROUNDS) if idle else GROWING
    people, rounds = min(most, scenario.agents), min(longest, scenario.rounds)
    waking = scenario.activation
    if waking.at_most:
        few = max(1, round(waking.at_most * people / scenario.agents))
        waking = msgspec.structs.replace(waking, at_most=few)
    small = msgspec.structs.replace(scenario, agents=people, interventions=(), activation=waking)
    return small, msgspec.structs.replace(scenario.run, rounds=rounds)


_MEMORY = ("memory_calls", "memory_prompt", "memory_completion")
_SUMMED = ("calls", "prompt", "completion", "visits", *_MEMORY)


def _plus(one: CostEstimate, two: CostEstimate) -> CostEstimate:
    names = sorted({*one.by_purpose, *two.by_purpose})
    return CostEstimate(
        **{name: getattr(one, name) + getattr(two, name) for name in _SUMMED},
        by_purpose={
            name: one.by_purpose.get(name, 0) + two.by_purpose.get(name, 0) for name in names
        },
    )


def _times(one: CostEstimate, times: float) -> CostEstimate:
    return CostEstimate(
        **{name: getattr(one, name) * times for name in _SUMMED},
        by_purpose={name: calls * times for name, calls in one.by_purpose.items()},
    )


def _priced(whole: CostEstimate, scenario: Scenario) -> CostEstimate:
    endpoints = endpoints_of(scenario.llm)
    if not endpoints:
        return msgspec.structs.replace(whole, dollars=0.0)
    own = Path(scenario.llm.prices) if scenario.llm.prices else None
    price = load_prices(own).find(endpoints[0].price or endpoints[0].model)
    if price is None:
        return whole
    usage = Usage(round(whole.prompt), round(whole.completion))
    return msgspec.structs.replace(whole, dollars=price.of(usage))
