"""What memories keep and lose, without a judge: facts are planted, time passes, cues are given."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from audience.agents import RuleMind
from audience.engine import Activation, Parts, Platform, Rules, Simulation, run_sync
from audience.engine.consolidation import consolidate
from audience.errors import BadInput, unknown
from audience.experiments.build import made
from audience.experiments.eval_baselines import BASELINES
from audience.experiments.eval_lives import Day, Design, Fact, day_of, design
from audience.experiments.eval_scores import Asked, Score, scored
from audience.experiments.scenario import Part
from audience.llm.together import together
from audience.memory import Memory
from audience.memory.sentences import tokens
from audience.parts import Consolidates
from audience.plugins import find, known
from audience.recommenders import Popular
from audience.world import events as e
from audience.world.world import World

KINDS = (
    "recagent",
    "recagent-no-short",
    "recagent-no-long",
    "recagent-no-reflection",
    "agent4rec",
    "none",
    *BASELINES,
)
LIMIT = 5
"""Long-term thoughts that a cue may bring to mind, as for a mind that is a language model."""
_WITHOUT = "-no-"
_PARTS = ("short", "long", "reflection")


class Evaluation(msgspec.Struct, frozen=True):
    """How each kind of memory did."""

    people: int
    rounds: int
    seeds: int
    seed: int
    facts: int
    """Facts asked for, of each kind."""
    scores: tuple[Score, ...]


def evaluate(
    kinds: Sequence[str] = KINDS,
    *,
    people: int = 20,
    rounds: int = 30,
    seeds: int = 3,
    seed: int = 1,
    progress: Callable[[str, int], None] = lambda kind, seed: None,
) -> Evaluation:
    """Return what each kind of memory keeps of planted facts; the lives of all kinds are equal."""
    for kind in kinds:
        memory_of(kind)
    if seeds < 1:
        raise BadInput(f"--seeds {seeds}: give at least 1")
    plans = [design(people, rounds, one) for one in range(seed, seed + seeds)]
    asked: dict[str, list[Asked]] = {kind: [] for kind in kinds}
    for kind in kinds:
        for plan in plans:
            progress(kind, plan.seed)
            asked[kind] += answers(memory_of(kind), plan)
    facts = sum(len(plan.facts) for plan in plans)
    scores = tuple(scored(kind, asked[kind], seed) for kind in kinds)
    return Evaluation(people, rounds, seeds, seed, facts, scores)


def memory_of(kind: str) -> Memory:
    """Return a memory by name: a baseline, a registered kind, or `recagent-no-short` and such."""
    if kind in BASELINES:
        return BASELINES[kind]()
    name, _, lacking = kind.partition(_WITHOUT)
    if kind.rpartition(":")[0].endswith(".py"):
        name, lacking = kind, ""
    elif name not in known("memories") or (_WITHOUT in kind and lacking not in _PARTS):
        listed = {*KINDS, *known("memories")}
        raise BadInput(f"--kinds: {unknown('memory', kind, listed)}")
    options = {lacking: False} if lacking else {}
    if isinstance(find("memories", name), Consolidates):
        options |= {"consolidation": "rule"}  # type: ignore[dict-item]
    found: Memory = made("memories", Part(name, options))
    return found


def answers(memory: Memory, plan: Design) -> list[Asked]:
    """Let everybody live with a memory, then ask for every fact."""
    found: list[Asked] = []

    async def work() -> None:
        world = await _lived(memory, plan)
        found.extend(await together(_ask(memory, world, plan, fact) for fact in plan.facts))

    run_sync(work)
    return found


async def _ask(memory: Memory, world: World, plan: Design, fact: Fact) -> Asked:
    me = world.agents[fact.agent]
    title = world.catalogue[fact.item].title
    cue, now = f"What do I know of <{title}>?", plan.genesis.clock.at(plan.rounds, 1.0)
    came = (await memory.recall(me, cue, now, LIMIT)).thoughts
    return Asked(
        (plan.seed, fact.agent),
        fact.important,
        fact.repeats,
        plan.age(fact),
        any(fact.item in one.items or f"<{title}>" in one.text for one in came),
        sum(tokens(one.text) for one in came),
        len(me.thoughts),
    )


class _Nowhere:
    """A log that keeps nothing."""

    def append(self, chapter: e.Chapter) -> None: ...
    def commit(self) -> None: ...


async def _lived(memory: Memory, plan: Design) -> World:
    """Return the world after all rounds, each consolidated as in any run."""
    world = World(plan.genesis)
    parts = Parts(
        RuleMind(), memory, lambda swap: ("popular", Popular()), Platform(), Activation(), {}
    )
    rules = Rules(rounds=plan.rounds)
    sim = Simulation(world, _Nowhere(), parts, rules, plan.seed)
    world.apply(e.RunStarted(plan.seed, plan.genesis.digest, rules.drift))
    facts: dict[int, list[Fact]] = {}
    for fact in plan.facts:
        facts.setdefault(fact.agent, []).append(fact)
    for round_ in range(1, plan.rounds + 1):
        days = {who: day_of(plan, who, round_, own) for who, own in facts.items()}
        await _one_round(sim, plan, round_, days)
    return world


async def _one_round(sim: Simulation, plan: Design, round_: int, days: dict[int, Day]) -> None:
    _emit(sim, e.OPENING, -1, [e.RoundStarted(round_, plan.genesis.clock.at(round_))])
    minded = await together(_recalled(sim, who, day) for who, day in days.items())
    for (who, day), recalled in zip(days.items(), minded, strict=True):
        _emit(sim, e.VISITS, who, [day.visit[0], *recalled, *day.visit[1:]])
    for who, day in days.items():
        _emit(sim, e.CONVERSATIONS, who, day.said)
    _emit(sim, e.DELIVERY, -1, [post for day in days.values() for post in day.heard])
    await consolidate(sim)
    _emit(sim, e.CLOSING, -1, [e.RoundEnded(round_)])


async def _recalled(sim: Simulation, who: int, day: Day) -> list[e.AnyEvent]:
    """Return what comes to mind at the first page of a visit; it refreshes those thoughts."""
    woke, page = day.visit[0], next(one for one in day.visit if isinstance(one, e.SlateShown))
    assert isinstance(woke, e.Woke)
    titles = ", ".join(f"<{sim.world.catalogue[item].title}>" for item in page.items)
    found = await sim.parts.memory.recall(sim.world.agents[who], titles, woke.at, LIMIT)
    ids = tuple(one.id for one in found.thoughts)
    return [e.Recalled(who, ids, woke.at, found.cut)] if ids or found.cut else []


def _emit(sim: Simulation, phase: int, who: int, events: Sequence[e.AnyEvent]) -> None:
    if events:
        sim.emit(phase, who + 1, who, [e.Entry(event) for event in events])


def plain(found: Evaluation) -> dict[str, object]:
    """Return an evaluation as plain values; what is not a number becomes None."""
    tree: dict[str, object] = msgspec.to_builtins(found)
    return {key: _finite(value) for key, value in tree.items()}


def _finite(value: object) -> object:
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value
