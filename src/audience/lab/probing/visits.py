"""Sequences of actions: how far two are apart, and how far two heaps of them are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np

from audience.agents import Mind
from audience.agents.language import LLMMind
from audience.agents.rule import RuleMind
from audience.engine import Activation, Parts, Platform, Rules, Simulation, run
from audience.errors import BadInput
from audience.lab.evaluation import Real, edit_distance, read_real
from audience.lab.probing.questions import MINDED, Asker
from audience.lab.probing.result import Answer, ProbeRow, mean_of, row, statistic_row
from audience.lab.probing.town import Town
from audience.memory import NoMemory
from audience.plugins import known
from audience.recommenders import Popular
from audience.world import Floats, Ints, World, events as e, rng

Steps = tuple[str, ...]
"""What was done in a visit, in order."""
FIRST = 40
"""Actions of a visit that are compared; real visits to rate films can be very long."""
PAIRS = 2_000
"""Pairs of sequences that are compared at most."""


def sessions(real: Real, gap_minutes: float, seed: int, most: int = 2_000) -> list[Steps]:
    """Return what real people did from coming to leaving: a pause longer than the gap ends it.

    No more than `most` of them, by a named draw.
    """
    if gap_minutes <= 0:
        raise BadInput(f"--gap {gap_minutes:g}: give minutes greater than 0")
    order = np.argsort(real.users, kind="stable")
    users, at, stars = real.users[order], real.at[order], real.stars[order]
    starts = np.flatnonzero((np.diff(users) != 0) | (np.diff(at) > 60 * gap_minutes)) + 1
    bounds = np.concatenate([[0], starts, [len(users)]]).astype(np.int64)
    count = len(bounds) - 1
    chosen = rng(seed, "probe", "sessions").permutation(count)[:most]
    return [_steps(stars[bounds[one] : bounds[one + 1]]) for one in np.sort(chosen).tolist()]


def _steps(stars: Floats) -> Steps:
    done: list[str] = ["enter"]
    for one in stars.tolist():
        done += ["pick", "rate"] if one else ["pick"]
    return (*done, "leave")


def similarity(one: Steps, other: Steps) -> float:
    """Return 1 less the edits by the longer length; 1 for equal ones. Only their beginnings."""
    one, other = one[:FIRST], other[:FIRST]
    longest = max(len(one), len(other))
    return 1.0 - edit_distance(one, other) / longest if longest else 1.0


def transitions(visits: Sequence[Steps], actions: Sequence[str]) -> Floats:
    """Return [from, to] counts of one action following another."""
    places = {action: place for place, action in enumerate(actions)}
    counts = np.zeros((len(actions), len(actions)))
    for steps in visits:
        for one, other in pairwise(steps[:FIRST]):
            counts[places[one], places[other]] += 1
    return counts


def apart(simulated: Floats, real: Floats) -> float:
    """Return how far two tables of transitions are apart, 0 to 1.

    The share of next actions that differ, each action weighing as much as it does in reality.
    """
    weights = real.sum(axis=1) / max(real.sum(), 1.0)
    distance = np.abs(_rows(simulated) - _rows(real)).sum(axis=1) / 2
    # What never happens in the simulation has no next action: all of it differs.
    distance[simulated.sum(axis=1) == 0] = 1.0
    return float((weights * distance).sum())


def _rows(counts: Floats) -> Floats:
    shares: Floats = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    return shares


PART = "visits"
ACTIONS = ("enter", "page", "pick", "rate", "leave")
_SEEN = {e.SlateShown: "page", e.Picked: "pick", e.Rated: "rate", e.Left: "leave"}


class ProbedVisits(msgspec.Struct, frozen=True):
    """The visits of some people, and decisions that could not be read."""

    visits: tuple[tuple[int, Steps], ...]
    failed: int = 0


class _Diary:
    """A log that keeps chapters in mind only."""

    def __init__(self) -> None:
        self.chapters: list[e.Chapter] = []

    def append(self, chapter: e.Chapter) -> None:
        self.chapters.append(chapter)

    def commit(self) -> None: ...


async def walk(mind: Mind, town: Town) -> ProbedVisits:
    """Return one visit of everybody to a recommender of popular items."""
    diary = _Diary()
    recommender = Popular()
    parts = Parts(
        mind,
        NoMemory(),
        lambda swap: ("popular", recommender),
        Platform(),
        Activation("random", 1.0, 0.0),
        {},
    )
    world = World(town.genesis)
    rules = Rules(rounds=1, max_lines=0, deadline=0.0)
    await run(Simulation(world, diary, parts, rules, town.seed))
    chapters = [one for one in diary.chapters if one.phase == e.VISITS]
    chapters.sort(key=lambda one: one.agent)  # kept as they ended, which is a matter of chance
    failed = sum(isinstance(x.event, e.Failed) for one in chapters for x in one.entries)
    return ProbedVisits(tuple((one.agent, steps_of(one)) for one in chapters), failed)


def steps_of(chapter: e.Chapter) -> Steps:
    """Return the actions of a visit that has been recorded; a search counts as the page it gave."""
    found: list[str] = []
    for entry in chapter.entries:
        event = entry.event
        if isinstance(event, e.Entered):
            found += ["enter"] if event.surface == "recommender" else []
        elif type(event) in _SEEN:
            found.append(_SEEN[type(event)])
    return tuple(found)


async def walked(asker: Asker, town: Town, real: Sequence[Steps]) -> list[ProbeRow]:
    """Return what visits are made of, and how like real ones they are; rule minds beside."""
    by_model = await walk(
        LLMMind(asker, model=asker.model, prompts=prompts_of(asker), temperature=MINDED), town
    )
    by_rule = await walk(RuleMind(), town)
    found = _made_of("model", by_model, asker.seed) + _made_of("rule minds", by_rule, asker.seed)
    if real:
        halves = real[::2], real[1::2]
        for who, each in (("model", by_model), ("rule minds", by_rule)):
            found += compared(who, each, halves, asker.seed)
    return found


def prompts_of(asker: Asker) -> str:
    """Return the folder of a user's prompts, empty where there is none."""
    return str(asker.pack.folder) if asker.pack.folder else ""


def _made_of(who: str, came: ProbedVisits, seed: int) -> list[ProbeRow]:
    entered = [(agent, steps) for agent, steps in came.visits if "enter" in steps]
    found = [
        row(
            PART,
            f"{who}: go to the recommender",
            [(agent, float("enter" in steps)) for agent, steps in came.visits],
            seed=seed,
        )
    ]
    for action in ("page", "pick", "rate"):
        counts = [(agent, float(steps.count(action))) for agent, steps in entered]
        what = f"{who}: {action}s in a visit"
        found.append(row(PART, what, counts, seed=seed, unit="count"))
    return [msgspec.structs.replace(found[0], unreadable=came.failed), *found[1:]]


def compared(
    who: str, came: ProbedVisits, halves: tuple[Sequence[Steps], Sequence[Steps]], seed: int
) -> list[ProbeRow]:
    """Return how like real visits are those of somebody, by edits and by transitions."""
    ours = [
        (agent, tuple(step for step in steps if step != "page"))
        for agent, steps in came.visits
        if "pick" in steps
    ]
    real, other = halves
    if not ours or not other:
        return [row(PART, f"{who}: similarity to real visits", [], seed=seed)]
    draws = rng(seed, "probe", "pairs")
    each = max(1, PAIRS // len(ours))
    likeness: list[Answer] = []
    for agent, steps in ours:
        places = draws.integers(len(real), size=each).tolist()
        likeness.append((agent, mean_of(similarity(steps, real[place]) for place in places)))
    pairs = draws.integers((len(real), len(other)), size=(PAIRS, 2)).tolist()
    among = [similarity(real[one], other[two]) for one, two in pairs]
    similar = row(
        PART,
        f"{who}: similarity to real visits (edits)",
        likeness,
        seed=seed,
        chance=float(np.mean(among)),
    )
    return [similar, _transitions(who, [steps for _, steps in ours], halves, seed)]


def _transitions(
    who: str, ours: Sequence[Steps], halves: tuple[Sequence[Steps], Sequence[Steps]], seed: int
) -> ProbeRow:
    real, other = (transitions(half, ACTIONS) for half in halves)
    single: list[Floats] = [transitions([steps], ACTIONS) for steps in ours]
    stacked = np.stack(single)
    what = f"{who}: transitions apart from real ones"

    def distance(visits: Ints) -> float:
        return apart(stacked[visits].sum(axis=0), real)

    found = statistic_row(PART, what, distance, len(ours), seed=seed, count=len(ours))
    return msgspec.structs.replace(found, chance=apart(other, real))


def real_visits(wanted: str, gap_minutes: float, seed: int) -> tuple[list[Steps], str]:
    """Return real visits of a dataset; none, and why, where it does not tell of any."""
    if wanted in known("datasets"):
        return [], "its people are drawn; give --data real interactions"
    real = read_real(Path(wanted))
    if not real.dated:
        return [], "the dataset has no moments of its own"
    return sessions(real, gap_minutes, seed), ""
