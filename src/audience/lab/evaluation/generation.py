"""Evaluation D: whole sequences of picks from ranked pages, against what people did next."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from audience.lab.evaluation.baselines import Ground
from audience.lab.evaluation.cases import (
    Case,
    Contestant,
    ItemSequences,
    Task,
    TaskSet,
    drawn_users,
)
from audience.lab.evaluation.contest import (
    AnswerStore,
    ContestAnswers,
    Entrant,
    Progress,
    StoredAnswers,
    features,
    joined,
    made_on,
    mixed_in,
    play,
    quiet,
    spent_by,
    task_digest,
)
from audience.lab.evaluation.mixes import (
    BOOSTED,
    FOLDS,
    MIX,
    BoostedTrees,
    Flat,
    MixWeights,
    Weigh,
    folds_of,
)
from audience.lab.evaluation.ratings import divergence
from audience.lab.evaluation.result import (
    Result,
    answers_in,
    aucs,
    order_of,
    remarks_in,
    with_rows,
)
from audience.lab.evaluation.source import Real
from audience.recommenders import ALS, Context, Ranker
from audience.world import Catalogue, Floats, Ints, dice, rng

PAGE = 5
"""Items shown at each step."""
_DRAWN = frozenset(("recsim",))
"""Contestants that choose by a draw in proportion to interest + 1, as in RecSim."""


class RankedPages:
    """Pages that matrix factorisation shows a person with a given history."""

    def __init__(self, ground: Ground) -> None:
        self.seed = ground.seed
        self.ranker: Ranker = ALS().fit(ground.interactions, rng(ground.seed, "fit", 0))

    def of(
        self,
        users: Ints,
        lived: Sequence[tuple[int, ...]],
        barred: Sequence[tuple[int, ...]],
        k: int,
    ) -> Ints:
        """Return [users, k] items, best first, without barred ones; -1 where none is left."""
        zeros = np.zeros(len(users), np.int64)
        draws = dice(self.seed, "eval", "page", users)
        context = Context(zeros, zeros, barred, draws, lived=lived)
        return np.asarray(self.ranker.rank(users, k, context))


async def walk(
    contestant: Contestant,
    name: str,
    pages: RankedPages,
    histories: Mapping[int, tuple[int, ...]],
    steps: int,
) -> list[tuple[int, ...]]:
    """Return the sequence each person is made to consume, one item per step.

    Pages follow from the picks so far. A step without a usable answer picks nothing.
    """
    users = np.array(list(histories), np.int64)
    taken: list[tuple[int, ...]] = [()] * len(users)
    seen: list[tuple[int, ...]] = [()] * len(users)
    past = list(histories.values())
    for step in range(steps):
        lived = [before + more for before, more in zip(past, taken, strict=True)]
        barred = [before + more for before, more in zip(lived, seen, strict=True)]
        shown = pages.of(users, lived, barred, PAGE)
        cases = [
            Case(user, history, *_shuffled(page, pages.seed, name, user, step))
            for user, history, page in zip(users.tolist(), lived, shown, strict=True)
        ]
        scores = await contestant.score(cases)
        for place, (case, each) in enumerate(zip(cases, scores, strict=True)):
            if np.isnan(each).any():
                seen[place] += case.candidates
                continue
            taken[place] += (case.candidates[_choice(name, case, each, pages.seed, step)],)
    return taken


def _shuffled(
    page: Ints, seed: int, name: str, user: int, step: int
) -> tuple[tuple[int, ...], tuple[bool, ...]]:
    items = page[page >= 0]
    order = np.argsort(dice(seed, "eval", "step", user, step, items).uniform("place"))
    return tuple(items[order].tolist()), (False,) * len(items)


def _choice(name: str, case: Case, scores: Floats, seed: int, step: int) -> int:
    if name not in _DRAWN:
        return int(np.argmax(scores))
    sums = np.cumsum(scores + 1.0 + 1e-9)
    draw = float(dice(seed, "eval", "choice", case.user, step).uniform(name)[0])
    return int(np.searchsorted(sums, draw * sums[-1], side="right").clip(0, len(sums) - 1))


class MixWalker:
    """A mix as a contestant: weights by fold, from other people's practice."""

    def __init__(
        self,
        name: str,
        parts: Sequence[Contestant],
        practice: Sequence[Case],
        scores: Mapping[str, Sequence[Floats]],
        seed: int,
        weigh: Weigh = MixWeights,
    ) -> None:
        """`scores`: those of the parts on the practice."""
        self.name = name
        self.parts = parts
        self.seed = seed
        flat, folds = Flat(practice, scores), folds_of(practice, seed)
        self.weights = [weigh(flat, folds != fold) for fold in range(FOLDS)]

    async def score(self, cases: Sequence[Case]) -> Sequence[Floats]:
        flat = Flat(cases, {part.name: await part.score(cases) for part in self.parts})
        folds = folds_of(cases, self.seed)
        scores = np.zeros(len(flat.truth))
        for fold, weights in enumerate(self.weights):
            mine = (folds == fold)[flat.owner]
            scores[mine] = weights.score(flat)[mine]
        return flat.split(scores)


STEPS = (5, 10)
USERS = 1_000
"""People who are made to walk, unless told otherwise."""
SHOWN = 20
COLUMNS = ("genres", "popularity", "sequence", "AUC")
LOWER = COLUMNS[:3]
_NOTES = (
    "Each step picks one of five items ranked by matrix factorisation. genres: Jensen-Shannon "
    "divergence from what the user really consumed; popularity: distance of the log10 counts, "
    "sorted; sequence: Levenshtein distance of main genres per step. AUC: among the "
    f"{SHOWN} items ranked first, those really consumed against the others, for users with both.",
)


class Path(msgspec.Struct, frozen=True, eq=False):
    """One number of steps: what is known before, and what really came next."""

    steps: int
    arena: TaskSet
    """Its task: among the items ranked first, which were really consumed?"""
    truth: dict[int, tuple[int, ...]]
    histories: dict[int, tuple[int, ...]]
    pages: RankedPages


class GeneratedSteps(msgspec.Struct, frozen=True, eq=False):
    """Everybody's generated sequences."""

    path: Path
    played: ContestAnswers
    ways: dict[str, StoredAnswers]
    """By contestant: the items of each user, in order."""


def paths_of(
    real: Real,
    *,
    steps: Sequence[int] = STEPS,
    agents: int | None = None,
    most: int = USERS,
    seed: int = 1,
    only: int | None = None,
) -> list[Path]:
    """Return a path for each number of steps, same users in all; `most` users without `agents`.

    `only`: the path of one of these numbers.
    """
    sequences = ItemSequences(real)
    eligible = np.flatnonzero(sequences.sizes > 2 * max(steps))
    users = drawn_users(eligible, min(most, len(eligible)) if agents is None else agents, seed)
    wanted = steps if only is None else (only,)
    return [_path(real, sequences, users, count, seed) for count in wanted]


def _path(real: Real, sequences: ItemSequences, users: Ints, steps: int, seed: int) -> Path:
    items = {user: real.items[sequences.of(user)] for user in users.tolist()}
    parts = [sequences.without_last(cut * steps) for cut in (1, 2)]
    pages = [RankedPages(Ground(lives, seed)) for lives in parts]
    tasks = []
    for cut, page in enumerate(pages, 1):
        past = {user: each[: -cut * steps] for user, each in items.items()}
        next_ = {
            user: each[len(past[user]) : len(past[user]) + steps] for user, each in items.items()
        }
        tasks.append(_shown(f"N={steps}, shown", page, past, next_))
    truth = {user: tuple(each[-steps:].tolist()) for user, each in items.items()}
    histories = {user: tuple(each[:-steps].tolist()) for user, each in items.items()}
    arena = TaskSet(f"N={steps}", parts[0], (tasks[0],), parts[1], (tasks[1],), seed)
    return Path(steps, arena, truth, histories, pages[0])


def _shown(name: str, pages: RankedPages, past: dict[int, Ints], next_: dict[int, Ints]) -> Task:
    users = np.array(list(past), np.int64)
    lived = [tuple(each.tolist()) for each in past.values()]
    shown = pages.of(users, lived, lived, SHOWN)
    cases = []
    for user, history, page in zip(users.tolist(), lived, shown, strict=True):
        # In the order of their ids, since the order of a ranking would give it away.
        items = np.sort(page[page >= 0])
        truth = np.isin(items, next_[user])
        cases.append(Case(user, history, tuple(items.tolist()), tuple(truth.tolist())))
    return Task(name, tuple(cases))


async def walked(
    path: Path,
    entries: Sequence[Entrant],
    steppers: Sequence[Entrant],
    keeper: AnswerStore,
    progress: Progress = quiet,
    done: GeneratedSteps | None = None,
) -> GeneratedSteps:
    """Return everybody's answers and steps; `steppers` are those asked in steps.

    `done`: what other processes answered and walked.
    """
    answers, others = (done.played, done.ways) if done else (None, {})
    played = await play(path.arena, entries, keeper, progress, done=answers)
    ground = Ground(path.arena.lives, path.arena.seed)
    digest = task_digest(path.arena.tasks[0], path.arena.lives)
    ways: dict[str, StoredAnswers] = {}
    task = f"N={path.steps}"
    for place, entry in enumerate(with_mixes(steppers, entries, played)):
        progress(f"{entry.name}, {task}", place, len(steppers) + 1)
        key = joined(digest, task, entry.name, entry.recipe)
        stored = keeper.find(task, entry.name, key)
        if stored is None:
            stored = others.get(entry.name) or await way_of(entry, path, ground)
            keeper.keep(task, entry.name, key, stored)
        ways[entry.name] = stored
    return GeneratedSteps(path, played, ways)


async def way_of(entry: Entrant, path: Path, ground: Ground) -> StoredAnswers:
    """Return the items that one contestant picks for each user, in order."""
    contestant = await made_on(ground, entry)
    picks = await walk(contestant, entry.name, path.pages, path.histories, path.steps)
    rows = [np.array(row, np.float64) for row in picks]
    return StoredAnswers(rows, spent_by(contestant))


def with_mixes(
    steppers: Sequence[Entrant], entries: Sequence[Entrant], played: ContestAnswers
) -> list[Entrant]:
    """Return the contestants that generate, with the mixes after the baselines."""
    names = mixed_in(entries, played)

    def mix(label: str, weigh: Weigh) -> Entrant:
        async def make(ground: Ground) -> Contestant:
            parts = [await made_on(ground, entry) for entry in entries if entry.name in names]
            task = played.arena.practice[0]
            practised = features(played.practice, names, task.name)
            return MixWalker(label, parts, task.cases, practised, played.arena.seed, weigh)

        return Entrant(label, make, practises=False)

    mixes = [mix(MIX, MixWeights)]
    if BOOSTED not in played.aside:
        mixes.append(mix(BOOSTED, BoostedTrees))
    there = [entry for entry in steppers if entry.name not in played.aside]
    baselines = [entry for entry in there if entry.kind == "baseline"]
    minds = [entry for entry in there if entry.kind not in ("baseline", "feature")]
    return [*baselines, *mixes, *minds]


def generation_result(
    real: Real,
    generated: Sequence[GeneratedSteps],
    entries: Sequence[Entrant],
    *,
    seed: int,
    model: str = "",
) -> Result:
    """Return table D."""
    kinds = order_of(entries, [steps.played for steps in generated])
    values: dict[str, dict[str, dict[str, Floats]]] = {}
    for steps in generated:
        columns: dict[str, dict[str, Floats]] = {}
        popularity = np.log10(1.0 + Ground(steps.path.arena.lives, seed).popularity)
        for name in kinds:
            if name in steps.ways:
                picks = [tuple(way.astype(np.int64).tolist()) for way in steps.ways[name].scores]
                truths = list(steps.path.truth.values())
                apart = distances(real.catalogue, popularity, picks, truths)
                for column, each in apart.items():
                    columns.setdefault(column, {})[name] = each
            task = steps.path.arena.tasks[0]
            scores = steps.played.answers[name, task.name].scores
            columns.setdefault("AUC", {})[name] = aucs(task.cases, scores)
        values[steps.path.arena.name] = columns
    result = Result(
        "generation",
        f"Generation on {real.name}",
        real.name,
        len(generated[0].path.truth),
        seed,
        model,
        tuple(values),
        COLUMNS,
        LOWER,
        notes=(*_NOTES, *remarks_in([steps.played for steps in generated])),
    )
    ways = [
        {(name, steps.path.arena.name): stored for name, stored in steps.ways.items()}
        for steps in generated
    ]
    answers = answers_in([steps.played for steps in generated])
    return with_rows(result, kinds, values, [*answers, *ways])


def distances(
    catalogue: Catalogue,
    popularity: Floats,
    ways: Sequence[tuple[int, ...]],
    truths: Sequence[tuple[int, ...]],
) -> dict[str, Floats]:
    """Return how far each sequence is from the truth; NaN where nothing was picked."""
    rows = [
        _distances(catalogue, popularity, way, truth)
        for way, truth in zip(ways, truths, strict=True)
    ]
    table = np.array(rows, np.float64).reshape(-1, len(LOWER)).T
    return dict(zip(LOWER, table, strict=True))


def _distances(
    catalogue: Catalogue, popularity: Floats, way: tuple[int, ...], truth: tuple[int, ...]
) -> tuple[float, float, float]:
    if not way:
        return math.nan, math.nan, 1.0
    weights = catalogue.weights
    genres = [weights[list(items)].sum(axis=0) for items in (way, truth)]
    apart = math.nan
    if all(counts.sum() > 0 for counts in genres):
        apart = float(divergence(genres[0][None], genres[1][None])[0])
    grid = (np.arange(len(truth)) + 0.5) / len(truth)
    generated, real = (np.quantile(popularity[list(items)], grid) for items in (way, truth))
    main = weights.argmax(axis=1) if weights.shape[1] else np.arange(len(catalogue))
    edits = edit_distance(main[list(way)].tolist(), main[list(truth)].tolist())
    return apart, float(np.abs(generated - real).mean()), edits / len(truth)


def edit_distance(source: Sequence[object], target: Sequence[object]) -> int:
    """Return the Levenshtein distance: insertions, deletions and substitutions between the two."""
    before = list(range(len(target) + 1))
    for row, first in enumerate(source, 1):
        now = [row]
        for column, second in enumerate(target, 1):
            changed = before[column - 1] + (first != second)
            now.append(min(before[column] + 1, now[-1] + 1, changed))
        before = now
    return before[-1]
