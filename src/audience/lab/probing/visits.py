"""Visits as sequences of actions: simulated by a model and by rules, compared with real ones."""

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
"""The actions of a visit, in order."""
FIRST = 40
"""Actions of a visit that are compared; real visits to rate films can be very long."""
PAIRS = 2_000
"""Pairs of sequences that are compared at most."""


def sessions(real: Real, gap_minutes: float, seed: int, most: int = 2_000) -> list[Steps]:
    """Return the visits of real people: a pause longer than the gap ends one.

    At most `most` of them, by a named draw.
    """
    if gap_minutes <= 0:
        raise BadInput(f"--gap {gap_minutes:g}: give minutes greater than 0")
    order = np.argsort(real.users, kind="stable")
    users, at, stars = real.users[order], real.at[order], real.stars[order]
    starts = np.flatnonzero((np.diff(users) != 0) | (np.diff(at) > 60 * gap_minutes)) + 1
    bounds = np.concatenate([[0], starts, [len(users)]]).astype(np.int64)
    count = len(bounds) - 1
    chosen = rng(seed, "probe", "sessions").permutation(count)[:most]
    return [_steps(stars[bounds[place] : bounds[place + 1]]) for place in np.sort(chosen).tolist()]


def _steps(stars: Floats) -> Steps:
    done: list[str] = ["enter"]
    for star in stars.tolist():
        done += ["pick", "rate"] if star else ["pick"]
    return (*done, "leave")


def similarity(first: Steps, second: Steps) -> float:
    """Return 1 less the edits per action of the longer sequence; only their beginnings."""
    first, second = first[:FIRST], second[:FIRST]
    longest = max(len(first), len(second))
    return 1.0 - edit_distance(first, second) / longest if longest else 1.0


def transitions(visits: Sequence[Steps], actions: Sequence[str]) -> Floats:
    """Return [from, to] counts of one action following another."""
    places = {action: place for place, action in enumerate(actions)}
    counts = np.zeros((len(actions), len(actions)))
    for steps in visits:
        for before, after in pairwise(steps[:FIRST]):
            counts[places[before], places[after]] += 1
    return counts


def apart(simulated: Floats, real: Floats) -> float:
    """Return how far two tables of transitions are apart, 0 to 1.

    The share of next actions that differ, each action weighted by its real frequency.
    """
    weights = real.sum(axis=1) / max(real.sum(), 1.0)
    distance = np.abs(_rows(simulated) - _rows(real)).sum(axis=1) / 2
    # An action that never happens in the simulation has no next action: all of it differs.
    distance[simulated.sum(axis=1) == 0] = 1.0
    return float((weights * distance).sum())


def _rows(counts: Floats) -> Floats:
    shares: Floats = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    return shares


PART = "visits"
ACTIONS = ("enter", "page", "pick", "rate", "leave")
_SEEN = {e.SlateShown: "page", e.Picked: "pick", e.Rated: "rate", e.Left: "leave"}


class ProbedVisits(msgspec.Struct, frozen=True):
    """The visits of some people, and how many decisions could not be read."""

    visits: tuple[tuple[int, Steps], ...]
    failed: int = 0


class KeptChapters:
    """A log that keeps chapters in memory."""

    def __init__(self) -> None:
        self.chapters: list[e.Chapter] = []

    def append(self, chapter: e.Chapter, body: bytes = b"") -> None:
        self.chapters.append(chapter)

    def commit(self) -> None: ...


async def walk(mind: Mind, town: Town) -> ProbedVisits:
    """Return one visit of everybody to a recommender of popular items."""
    diary = KeptChapters()
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
    chapters = [chapter for chapter in diary.chapters if chapter.phase == e.VISITS]
    chapters.sort(key=lambda chapter: chapter.agent)  # they end in any order
    entries = [entry for chapter in chapters for entry in chapter.entries]
    failed = sum(isinstance(entry.event, e.Failed) for entry in entries)
    visits = tuple((chapter.agent, steps_of(chapter)) for chapter in chapters)
    return ProbedVisits(visits, failed)


def steps_of(chapter: e.Chapter) -> Steps:
    """Return the actions of a recorded visit; a search counts as the page it gave."""
    steps: list[str] = []
    for entry in chapter.entries:
        event = entry.event
        if isinstance(event, e.Entered):
            steps += ["enter"] if event.surface == "recommender" else []
        elif type(event) in _SEEN:
            steps.append(_SEEN[type(event)])
    return tuple(steps)


async def walked(asker: Asker, town: Town, real: Sequence[Steps]) -> list[ProbeRow]:
    """Return what visits consist of and how similar they are to real ones, beside rule minds."""
    by_model = await walk(
        LLMMind(asker, model=asker.model, prompts=prompts_of(asker), temperature=MINDED), town
    )
    by_rule = await walk(RuleMind(), town)
    rows = _made_of("model", by_model, asker.seed) + _made_of("rule minds", by_rule, asker.seed)
    if real:
        halves = real[::2], real[1::2]
        for who, each in (("model", by_model), ("rule minds", by_rule)):
            rows += compared(who, each, halves, asker.seed)
    return rows


def prompts_of(asker: Asker) -> str:
    """Return the folder of a user's prompts; empty if there is none."""
    return str(asker.pack.folder) if asker.pack.folder else ""


def _made_of(who: str, visited: ProbedVisits, seed: int) -> list[ProbeRow]:
    entered = [(agent, steps) for agent, steps in visited.visits if "enter" in steps]
    rows = [
        row(
            PART,
            f"{who}: go to the recommender",
            [(agent, float("enter" in steps)) for agent, steps in visited.visits],
            seed=seed,
        )
    ]
    for action in ("page", "pick", "rate"):
        counts = [(agent, float(steps.count(action))) for agent, steps in entered]
        what = f"{who}: {action}s in a visit"
        rows.append(row(PART, what, counts, seed=seed, unit="count"))
    return [msgspec.structs.replace(rows[0], unreadable=visited.failed), *rows[1:]]


def compared(
    who: str, came: ProbedVisits, halves: tuple[Sequence[Steps], Sequence[Steps]], seed: int
) -> list[ProbeRow]:
    """Return how similar visits are to real ones, by edits and by transitions."""
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
    among = [similarity(real[first], other[second]) for first, second in pairs]
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

    distances = statistic_row(PART, what, distance, len(ours), seed=seed, count=len(ours))
    return msgspec.structs.replace(distances, chance=apart(other, real))


def real_visits(source: str, gap_minutes: float, seed: int) -> tuple[list[Steps], str]:
    """Return real visits of a dataset, or none and why not."""
    if source in known("datasets"):
        return [], "its people are drawn; give real interactions with --data"
    real = read_real(Path(source))
    if not real.dated:
        return [], "the dataset has no times"
    return sessions(real, gap_minutes, seed), ""
