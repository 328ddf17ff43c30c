"""Evaluation of memories: which planted facts they recall, keeping what matters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np

from audience.agents.rule import RuleMind
from audience.engine import Activation, Parts, Platform, Rules, Simulation, consolidate, run_sync
from audience.errors import BadInput, unknown
from audience.lab.evaluation.planted_facts import (
    OFTEN,
    AskedFact,
    Day,
    Design,
    Fact,
    MemoryScore,
    RecallCell,
    day_of,
    design,
    scored,
)
from audience.llm import open_embedder, together
from audience.memory import Life, Memory, Recollection, observations, tokens
from audience.parts import Consolidates
from audience.plugins import find, known
from audience.recommenders import Popular
from audience.results import MUTED, colour, finite, panels, styled_figure
from audience.runs import Attendant, Counted, Here, Pool, PoolTask, Stopping
from audience.scenario import Part, made
from audience.world import Agent, Dice, World, events as e

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROOM = 15
"""Thoughts recalled at once: as many as RecAgent's ten short-term and five long-term ones."""
_WEIGHT = 0.5


class Everything:
    """Keeps every observation; recalls what is most similar to the cue."""

    def __init__(self) -> None:
        self.embedder = open_embedder()

    async def recall(self, me: Agent, cue: str, now: int, limit: int) -> Recollection:
        """Return the most similar thoughts."""
        del now, limit
        if not me.thoughts:
            return Recollection()
        vectors = await self.embedder.embed([cue, *(thought.text for thought in me.thoughts)])
        near = np.einsum("td,d->t", vectors[1:], vectors[0])
        order = np.argsort(-np.round(near, 6), kind="stable")[:ROOM].tolist()
        return Recollection(tuple(me.thoughts[place] for place in order))

    async def consolidate(self, life: Life, dice: Dice) -> Sequence[e.Entry]:
        """Keep every observation."""
        del dice
        return _all_of(life)


class Last:
    """Keeps every observation; recalls the newest, whatever the cue."""

    async def recall(self, me: Agent, cue: str, now: int, limit: int) -> Recollection:
        """Return the newest thoughts."""
        del cue, now, limit
        return Recollection(me.thoughts[-ROOM:])

    async def consolidate(self, life: Life, dice: Dice) -> Sequence[e.Entry]:
        """Keep every observation."""
        del dice
        return _all_of(life)


def _all_of(life: Life) -> list[e.Entry]:
    me = life.me
    return [
        e.Entry(
            e.Remembered(
                me.profile.id,
                me.thoughts_had + place,
                seen.short,
                _WEIGHT,
                seen.at,
                "observation",
                "long",
                seen.items,
            )
        )
        for place, seen in enumerate(observations(life))
    ]


BASELINES: dict[str, Callable[[], Memory]] = {"everything": Everything, "last": Last}


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
"""Long-term thoughts that a cue may recall, as for a mind that is a language model."""
_WITHOUT = "-no-"
_PARTS = ("short", "long", "reflection")


class Evaluation(msgspec.Struct, frozen=True):
    """How each kind of memory did."""

    people: int
    rounds: int
    seeds: int
    seed: int
    facts: int
    """Facts asked for, per kind of memory."""
    scores: tuple[MemoryScore, ...]


def evaluate(
    kinds: Sequence[str] = KINDS,
    *,
    people: int = 20,
    rounds: int = 30,
    seeds: int = 3,
    seed: int = 1,
    counted: Counted = lambda rounds, runs: None,
    stopping: Stopping = lambda: False,
    pool: Pool | None = None,
) -> Evaluation:
    """Return what each kind of memory recalls of planted facts; all kinds live the same lives.

    A kind with a seed depends on no other, and is a task of the pool.
    """
    for kind in kinds:
        memory_of(kind)
    if seeds < 1:
        raise BadInput(f"--seeds {seeds}: give at least 1")
    plans = [design(people, rounds, number) for number in range(seed, seed + seeds)]
    tasks = [_task(kind, plan, people, rounds) for kind in kinds for plan in plans]
    ended = (pool or Here()).work(tasks, counted, stopping)
    answered = {task.name: msgspec.json.decode(body, type=list[AskedFact]) for task, body in ended}
    asked: dict[str, list[AskedFact]] = {kind: [] for kind in kinds}
    for task in tasks:
        asked[task.given["kind"]] += answered[task.name]
    facts = sum(len(plan.facts) for plan in plans)
    scores = tuple(scored(kind, asked[kind], seed) for kind in kinds)
    return Evaluation(people, rounds, seeds, seed, facts, scores)


def _task(kind: str, plan: Design, people: int, rounds: int) -> PoolTask:
    given = {"kind": kind, "people": people, "rounds": rounds, "seed": plan.seed}
    call = f"{__name__}:{perform_answers.__name__}"
    return PoolTask(f"{kind}, seed {plan.seed}", call, given, ".")


def perform_answers(root: Path, given: dict[str, Any], attendant: Attendant) -> bytes:
    """Return what one kind of memory recalls with one seed, as bytes."""
    del root, attendant  # nothing is written
    plan = design(given["people"], given["rounds"], given["seed"])
    return msgspec.json.encode(answers(memory_of(given["kind"]), plan))


def memory_of(kind: str) -> Memory:
    """Return a memory by name: a baseline, a registered kind, or e.g. `recagent-no-short`."""
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
    memory: Memory = made("memories", Part(name, options))
    return memory


def answers(memory: Memory, plan: Design) -> list[AskedFact]:
    """Return the answers for every fact, after everybody has lived with a memory."""
    results: list[AskedFact] = []

    async def work() -> None:
        world = await _lived(memory, plan)
        results.extend(await together(_ask(memory, world, plan, fact) for fact in plan.facts))

    run_sync(work)
    return results


async def _ask(memory: Memory, world: World, plan: Design, fact: Fact) -> AskedFact:
    me = world.agents[fact.agent]
    title = world.catalogue[fact.item].title
    cue, now = f"What do I know of <{title}>?", plan.genesis.clock.at(plan.rounds, 1.0)
    came = (await memory.recall(me, cue, now, LIMIT)).thoughts
    return AskedFact(
        (plan.seed, fact.agent),
        fact.important,
        fact.repeats,
        plan.age(fact),
        any(fact.item in thought.items or f"<{title}>" in thought.text for thought in came),
        sum(tokens(thought.text) for thought in came),
        len(me.thoughts),
    )


class NoLog:
    """A log that keeps no chapter."""

    def append(self, chapter: e.Chapter, body: bytes = b"") -> None: ...
    def commit(self) -> None: ...


async def _lived(memory: Memory, plan: Design) -> World:
    """Return the world after all rounds, each consolidated as in any run."""
    world = World(plan.genesis)
    parts = Parts(
        RuleMind(), memory, lambda swap: ("popular", Popular()), Platform(), Activation(), {}
    )
    rules = Rules(rounds=plan.rounds)
    sim = Simulation(world, NoLog(), parts, rules, plan.seed)
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
    """Return what is recalled at the first page of a visit; recall refreshes those thoughts."""
    woke = day.visit[0]
    page = next(event for event in day.visit if isinstance(event, e.SlateShown))
    assert isinstance(woke, e.Woke)
    titles = ", ".join(f"<{sim.world.catalogue[item].title}>" for item in page.items)
    recollection = await sim.parts.memory.recall(sim.world.agents[who], titles, woke.at, LIMIT)
    ids = tuple(thought.id for thought in recollection.thoughts)
    return [e.Recalled(who, ids, woke.at, recollection.cut)] if ids or recollection.cut else []


def _emit(sim: Simulation, phase: int, who: int, events: Sequence[e.AnyEvent]) -> None:
    if events:
        sim.emit(phase, who + 1, who, [e.Entry(event) for event in events])


def memory_values(evaluation: Evaluation) -> dict[str, object]:
    """Return an evaluation as plain values; what is not a number becomes None."""
    tree = finite(evaluation)
    assert isinstance(tree, dict)
    return tree


COLUMNS = 4
_LINES: dict[tuple[bool, bool], tuple[str, int, Literal["-", "--"]]] = {
    (True, True): (f"important, repeated {OFTEN} times or more", 0, "-"),
    (True, False): ("important, at most once again", 0, "--"),
    (False, True): (f"in passing, repeated {OFTEN} times or more", 1, "-"),
    (False, False): ("in passing, at most once again", 1, "--"),
}


@styled_figure
def recall_by_age(evaluation: Evaluation) -> Figure:
    """Return a panel for each kind: the share recalled, by how long ago it was lived."""
    scores = evaluation.scores
    columns = min(COLUMNS, len(scores))
    figure, grid = panels(
        len(scores),
        COLUMNS,
        (max(0.0, 5.2 - 2.3 * columns), 2.3),
        (1.3, 2.0),
        sharex=True,
        sharey=True,
    )
    for place, (axes, score) in enumerate(zip(grid, scores, strict=True)):
        _panel(axes, score)
        is_lowest = place + columns >= len(scores)
        axes.tick_params(labelbottom=is_lowest)
        if is_lowest:
            axes.set_xlabel("days ago")
    figure.supylabel("share recalled", fontsize=9, color=MUTED)
    _key(figure, narrow=columns < 3)
    return figure


def _panel(axes: Axes, score: MemoryScore) -> None:
    ages = sorted({cell.age for cell in score.cells})
    for (important, often), (_, place, dash) in _LINES.items():
        group = (important, often)
        cells = [cell for cell in score.cells if (cell.important, cell.often) == group]
        low, mean, high = _columns(cells)
        at = np.arange(len(cells))
        axes.fill_between(at, low, high, color=colour(place), alpha=0.13, linewidth=0)
        axes.plot(at, mean, dash, marker="o", markersize=3, color=colour(place))
    axes.set_xticks(range(len(ages)), [str(age) for age in ages])
    axes.set_ylim(-0.04, 1.04)
    axes.grid(False, axis="x")
    axes.set_title(score.kind, fontsize=9, pad=5.0)


def _columns(cells: list[RecallCell]) -> list[list[float]]:
    shares = [cell.recalled for cell in sorted(cells, key=lambda cell: cell.age)]
    return [[getattr(share, name) for share in shares] for name in ("low", "mean", "high")]


def _key(figure: Figure, *, narrow: bool) -> None:
    from matplotlib.lines import Line2D

    lines = [
        Line2D([], [], color=colour(place), linestyle=dash, label=label)
        for label, place, dash in _LINES.values()
    ]
    figure.legend(handles=lines, loc="outside lower left", ncols=1 if narrow else 2)
