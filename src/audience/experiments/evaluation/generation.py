"""D: a few steps from a history, beside what the person really did (the paper's tables 4, 5)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import numpy as np

from audience.experiments.evaluation.baselines import Ground
from audience.experiments.evaluation.cases import (
    Arena,
    Case,
    Contestant,
    Sequences,
    Task,
    drawn_users,
)
from audience.experiments.evaluation.contest import (
    MIX,
    Entry,
    Played,
    Progress,
    features,
    made_on,
    mixed_in,
    play,
    quiet,
    spent_by,
)
from audience.experiments.evaluation.framing import Frame, framed, order_of
from audience.experiments.evaluation.keeping import Keeper, Kept, joined, task_digest
from audience.experiments.evaluation.measuring import aucs
from audience.experiments.evaluation.ratings import divergence
from audience.experiments.evaluation.reading import Real
from audience.experiments.evaluation.results import Result
from audience.experiments.evaluation.walking import Mixed, Pages, walk
from audience.world.items import Catalogue
from audience.world.rng import Floats, Ints

STEPS = (5, 10)
SHOWN = 20
COLUMNS = ("genres", "popularity", "sequence", "AUC")
LOWER = COLUMNS[:3]
_NOTES = (
    "Each step picks one of five items ranked by matrix factorisation. genres: Jensen-Shannon "
    "divergence from what the user really took up; popularity: distance of the log10 counts, "
    "sorted; sequence: Levenshtein distance of main genres per step. AUC: among the "
    f"{SHOWN} items ranked first, those really taken up against the others, for users with both.",
)


class Path(msgspec.Struct, frozen=True, eq=False):
    """One number of steps: what is known before, and what really came."""

    steps: int
    arena: Arena
    """Its task is to tell, among what is shown first, what was really taken up."""
    truth: dict[int, tuple[int, ...]]
    histories: dict[int, tuple[int, ...]]
    pages: Pages


class Walked(msgspec.Struct, frozen=True, eq=False):
    """Everybody's steps."""

    path: Path
    played: Played
    ways: dict[str, Kept]
    """By contestant: the items of each user, in order."""


def paths_of(
    real: Real,
    *,
    steps: Sequence[int] = STEPS,
    agents: int | None = None,
    most: int = 1_000,
    seed: int = 1,
) -> list[Path]:
    """Return one path for each number of steps, the same users in all; `most` unless told."""
    sequences = Sequences(real)
    eligible = np.flatnonzero(sequences.sizes > 2 * max(steps))
    users = drawn_users(eligible, min(most, len(eligible)) if agents is None else agents, seed)
    return [_path(real, sequences, users, count, seed) for count in steps]


def _path(real: Real, sequences: Sequences, users: Ints, steps: int, seed: int) -> Path:
    items = {user: real.items[sequences.of(user)] for user in users.tolist()}
    parts = [sequences.without_last(cut * steps) for cut in (1, 2)]
    pages = [Pages(Ground(lives, seed)) for lives in parts]
    tasks = []
    for cut, page in enumerate(pages, 1):
        past = {user: each[: -cut * steps] for user, each in items.items()}
        next_ = {
            user: each[len(past[user]) : len(past[user]) + steps] for user, each in items.items()
        }
        tasks.append(_shown(f"N={steps}, shown", page, past, next_))
    truth = {user: tuple(each[-steps:].tolist()) for user, each in items.items()}
    histories = {user: tuple(each[:-steps].tolist()) for user, each in items.items()}
    arena = Arena(f"N={steps}", parts[0], (tasks[0],), parts[1], (tasks[1],), seed)
    return Path(steps, arena, truth, histories, pages[0])


def _shown(name: str, pages: Pages, past: dict[int, Ints], next_: dict[int, Ints]) -> Task:
    users = np.array(list(past), np.int64)
    lived = [tuple(each.tolist()) for each in past.values()]
    shown = pages.of(users, lived, lived, SHOWN)
    cases = []
    for user, history, page in zip(users.tolist(), lived, shown, strict=True):
        # In the order of their ids: the ranking would be told by the order.
        items = np.sort(page[page >= 0])
        truth = np.isin(items, next_[user])
        cases.append(Case(user, history, tuple(items.tolist()), tuple(truth.tolist())))
    return Task(name, tuple(cases))


async def walked(
    path: Path,
    entries: Sequence[Entry],
    steppers: Sequence[Entry],
    keeper: Keeper,
    progress: Progress = quiet,
) -> Walked:
    """Return everybody's answers and steps; `steppers` are those asked in steps."""
    played = await play(path.arena, entries, keeper, progress)
    ground = Ground(path.arena.lives, path.arena.seed)
    digest = task_digest(path.arena.tasks[0], path.arena.lives)
    ways: dict[str, Kept] = {}
    task = f"N={path.steps}"
    for place, entry in enumerate(_with_mix(steppers, entries, played)):
        progress(f"{entry.name}, {task}", place, len(steppers) + 1)
        key = joined(digest, task, entry.name, entry.recipe)
        kept = keeper.find(task, entry.name, key)
        if kept is None:
            contestant = await made_on(ground, entry)
            found = await walk(contestant, entry.name, path.pages, path.histories, path.steps)
            rows = [np.array(one, np.float64) for one in found]
            kept = Kept(rows, spent_by(contestant))
            keeper.keep(task, entry.name, key, kept)
        ways[entry.name] = kept
    return Walked(path, played, ways)


def _with_mix(steppers: Sequence[Entry], entries: Sequence[Entry], played: Played) -> list[Entry]:
    """Return those who step, with the mix after the baselines."""
    names = mixed_in(entries)

    async def make(ground: Ground) -> Contestant:
        parts = [await made_on(ground, one) for one in entries if one.name in names]
        task = played.arena.practice[0]
        told = features(played.practice, names, task.name)
        return Mixed(MIX, parts, task.cases, told, played.arena.seed)

    baselines = [one for one in steppers if one.kind == "baseline"]
    minds = [one for one in steppers if one.kind not in ("baseline", "feature")]
    return [*baselines, Entry(MIX, make, practises=False), *minds]


def result_of(
    real: Real, found: Sequence[Walked], entries: Sequence[Entry], *, seed: int, model: str = ""
) -> Result:
    """Return the table of D."""
    kinds = order_of(entries)
    values: dict[str, dict[str, dict[str, Floats]]] = {}
    for one in found:
        columns: dict[str, dict[str, Floats]] = {}
        popularity = np.log10(1.0 + Ground(one.path.arena.lives, seed).popularity)
        for name in kinds:
            if name in one.ways:
                ways = [tuple(way.astype(np.int64).tolist()) for way in one.ways[name].scores]
                apart = distances(real.catalogue, popularity, ways, list(one.path.truth.values()))
                for column, each in apart.items():
                    columns.setdefault(column, {})[name] = each
            task = one.path.arena.tasks[0]
            scores = one.played.answers[name, task.name].scores
            columns.setdefault("AUC", {})[name] = aucs(task.cases, scores)
        values[one.path.arena.name] = columns
    frame = Frame(
        "generation",
        f"Generation on {real.name}",
        real.name,
        len(found[0].path.truth),
        seed,
        tuple(values),
        COLUMNS,
        model,
        LOWER,
        headline="",
        notes=_NOTES,
    )
    steps = [
        {(name, one.path.arena.name): kept for name, kept in one.ways.items()} for one in found
    ]
    answers = [each for one in found for each in (one.played.answers, one.played.practice)]
    return framed(frame, kinds, values, [*answers, *steps])


def distances(
    catalogue: Catalogue,
    popularity: Floats,
    ways: Sequence[tuple[int, ...]],
    truths: Sequence[tuple[int, ...]],
) -> dict[str, Floats]:
    """Return how far each way is from the truth; NaN where nothing was taken."""
    rows = [
        _distances(catalogue, popularity, way, truth)
        for way, truth in zip(ways, truths, strict=True)
    ]
    found = np.array(rows, np.float64).reshape(-1, len(LOWER)).T
    return dict(zip(LOWER, found, strict=True))


def _distances(
    catalogue: Catalogue, popularity: Floats, way: tuple[int, ...], truth: tuple[int, ...]
) -> tuple[float, float, float]:
    if not way:
        return math.nan, math.nan, 1.0
    weights = catalogue.weights
    genres = [weights[list(one)].sum(axis=0) for one in (way, truth)]
    apart = math.nan
    if all(one.sum() > 0 for one in genres):
        apart = float(divergence(genres[0][None], genres[1][None])[0])
    grid = (np.arange(len(truth)) + 0.5) / len(truth)
    one, other = (np.quantile(popularity[list(each)], grid) for each in (way, truth))
    main = weights.argmax(axis=1) if weights.shape[1] else np.arange(len(catalogue))
    edits = levenshtein(main[list(way)].tolist(), main[list(truth)].tolist())
    return apart, float(np.abs(one - other).mean()), edits / len(truth)


def levenshtein(one: Sequence[int], other: Sequence[int]) -> int:
    """Return how many insertions, deletions and changes lead from one to the other."""
    before = list(range(len(other) + 1))
    for row, first in enumerate(one, 1):
        now = [row]
        for column, second in enumerate(other, 1):
            changed = before[column - 1] + (first != second)
            now.append(min(before[column] + 1, now[-1] + 1, changed))
        before = now
    return before[-1]
