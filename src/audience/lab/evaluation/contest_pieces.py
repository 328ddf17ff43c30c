"""Contests cut into pieces: baselines, and minds that compute, answer as tasks of a pool.

A process makes the task sets from the data once. Baselines and their mixes are a piece for each
task, minds that compute another one. Those that ask a model are no pieces: a server is kept busy by
concurrent calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from threadpoolctl import threadpool_limits

from audience.engine import run_sync
from audience.lab.evaluation.baselines import Ground
from audience.lab.evaluation.cases import NEGATIVES, WINDOW, TaskSet
from audience.lab.evaluation.contest import (
    AnswerStore,
    ContestAnswers,
    Entrant,
    StoredAnswers,
    grounds_for,
    play,
)
from audience.lab.evaluation.contestants import (
    GROUNDED,
    RULE,
    STACKS,
    ContestRules,
    Doors,
    baseline_contestants,
    mind_contestants,
)
from audience.lab.evaluation.discrimination import SHAPES, arenas, shape_name
from audience.lab.evaluation.language import CHOOSE, RATINGS, TASTE
from audience.lab.evaluation.ratings import (
    LATEST,
    RANDOM,
    baseline_raters,
    mind_raters,
    splits_of,
)
from audience.lab.evaluation.source import Real, read_parts, read_real
from audience.lab.evaluation.taste import BY_RECOMMENDER, RATIOS, arena_of, ratio_name
from audience.runs import Attendant, Counted, Pool, PoolTask, Stopping, packed, unpacked
from audience.scenario import Models, SpendingOptions
from audience.world import Floats

COMPUTING = (GROUNDED, RULE)
"""Minds that ask no model."""
_TASKS = {
    "discrimination": tuple(
        f"{kind} {shape_name(*shape)}" for shape in SHAPES for kind in NEGATIVES
    ),
    "taste": (*map(ratio_name, RATIOS), BY_RECOMMENDER),
    "ratings": (RANDOM, LATEST),
}
"""The tasks of each evaluation by name."""
_MINDS = "minds"
Scores = dict[str, dict[str, Floats]]
"""By contestant and task: the scores of all cases, one after another."""


class ContestSource(msgspec.Struct, frozen=True):
    """All that decides what is asked in an evaluation, and who computes."""

    evaluation: str
    data: str
    kinds: tuple[str, ...]
    agents: int | None = None
    seed: int = 1
    least: int = 0
    also: str = ""
    unseen: bool = False
    window: int = WINDOW


class Computed(msgspec.Struct, frozen=True):
    """What a piece answered."""

    answers: Scores
    practice: Scores


class _Contest(msgspec.Struct, frozen=True, eq=False):
    arenas: tuple[TaskSet, ...]
    grounds: tuple[tuple[Ground, Ground], ...]
    baselines: tuple[Entrant, ...]
    minds: tuple[Entrant, ...]


def pieces_of(source: ContestSource) -> tuple[str, ...]:
    """Return the pieces, the longest first: minds, and baselines by what they are asked."""
    tasks = _TASKS[source.evaluation]
    # Minds that rate fit each split anew, so that they belong to it.
    has_minds = set(COMPUTING) & set(source.kinds) and source.evaluation != "ratings"
    return (_MINDS, *tasks) if has_minds else tasks


def answered_by(
    pool: Pool, source: ContestSource, counted: Counted, stopping: Stopping
) -> list[Computed]:
    """Return what the processes of a pool answer; nothing where it is this process alone."""
    call = f"{__name__}:{perform_answers.__name__}"
    pieces = {name: {"piece": name} for name in pieces_of(source)}
    ended = done_by(pool, source, call, pieces, counted, stopping)
    return [unpacked(body, Computed) for body in ended]


def done_by(
    pool: Pool,
    source: ContestSource,
    call: str,
    pieces: Mapping[str, dict[str, Any]],
    counted: Counted,
    stopping: Stopping,
) -> Iterator[bytes]:
    """Yield what the pieces return, by name what each is given; nothing in this process alone."""
    if pool.is_here:
        return
    given = {"source": msgspec.to_builtins(source)}
    tasks = [PoolTask(name, call, {**given, **piece}, ".") for name, piece in pieces.items()]
    for _, body in pool.work(tasks, counted, stopping):
        yield body


def done_in(arena: TaskSet, computed: Sequence[Computed]) -> ContestAnswers:
    """Return what was answered of the tasks of one set."""
    done = ContestAnswers(arena, {}, {})
    sides = ((arena.tasks, done.answers, "answers"), (arena.practice, done.practice, "practice"))
    for tasks, answers, side in sides:
        cuts = {
            task.name: np.cumsum([len(case.candidates) for case in task.cases])[:-1].tolist()
            for task in tasks
        }
        for part in computed:
            for name, scores in getattr(part, side).items():
                for task, values in scores.items():
                    if task in cuts:
                        answers[name, task] = StoredAnswers(np.split(values, cuts[task]))
    return done


def perform_answers(root: Path, given: dict[str, Any], attendant: Attendant) -> bytes:
    """Return the answers of one piece, as bytes."""
    del root, attendant  # nothing is written
    source, piece = msgspec.convert(given["source"], ContestSource), given["piece"]
    contest = _contest_at(source)
    found = Computed({}, {})
    for arena, grounds in zip(contest.arenas, contest.grounds, strict=True):
        if piece == _MINDS:
            played = _played(arena, grounds, contest.minds, mixes=False)
        elif piece in [task.name for task in arena.tasks]:
            rates = source.evaluation == "ratings"
            entries = (*contest.baselines, *(contest.minds if rates else ()))
            played = _played(only_task(arena, piece), grounds, entries, mixes=not rates)
        else:
            continue
        add_to(found, played)
    return packed(found)


def add_to(found: Computed, played: ContestAnswers) -> None:
    """Add the answers to some tasks."""
    for answers, side in ((played.answers, found.answers), (played.practice, found.practice)):
        for (name, task), stored in answers.items():
            side.setdefault(name, {})[task] = np.concatenate(list(stored.scores))


def only_task(arena: TaskSet, name: str) -> TaskSet:
    """Return a set with one of its tasks."""
    place = [task.name for task in arena.tasks].index(name)
    practice = arena.practice[place : place + 1]
    return msgspec.structs.replace(arena, tasks=(arena.tasks[place],), practice=practice)


def _played(
    arena: TaskSet, grounds: tuple[Ground, Ground], entries: Sequence[Entrant], *, mixes: bool
) -> ContestAnswers:
    results: list[ContestAnswers] = []

    async def work() -> None:
        store = AnswerStore(None)
        results.append(await play(arena, entries, store, mixes=mixes, grounds=grounds))

    with threadpool_limits(limits=1):
        run_sync(work)
    return results[0]


@lru_cache(maxsize=1)
def _contest_at(source: ContestSource) -> _Contest:
    made, baselines, minds = _MAKERS[source.evaluation](source)
    grounds = tuple(grounds_for(arena) for arena in made)
    return _Contest(made, grounds, tuple(baselines), tuple(minds))


_Made = tuple[tuple[TaskSet, ...], Sequence[Entrant], Sequence[Entrant]]


def _discrimination(source: ContestSource) -> _Made:
    real = read_real(Path(source.data), least=source.least)
    made = arenas(
        real,
        agents=source.agents,
        seed=source.seed,
        unseen=source.unseen,
        window=source.window,
    )
    rules = rules_without_model(CHOOSE, real, source.seed)
    return tuple(made), baseline_contestants(), minds_that_compute(source.kinds, rules)


def _taste(source: ContestSource) -> _Made:
    also = Path(source.also) if source.also else None
    parted = read_parts(Path(source.data), also, source.seed, least=source.least)
    arena = arena_of(parted, agents=source.agents, seed=source.seed)
    rules = rules_without_model(TASTE, parted.real, source.seed, "spread")
    minds = minds_that_compute(source.kinds, rules, practises=True)
    return (arena,), baseline_contestants(), minds


def _ratings(source: ContestSource) -> _Made:
    real = read_real(Path(source.data), least=source.least)
    splits = splits_of(real, agents=source.agents, seed=source.seed)
    kinds = [kind for kind in source.kinds if kind == GROUNDED]
    minds = mind_raters(kinds, rules_without_model(RATINGS, real, source.seed))
    return tuple(split.arena for split in splits), baseline_raters(), minds


_MAKERS: Mapping[str, Callable[[ContestSource], _Made]] = {
    "discrimination": _discrimination,
    "taste": _taste,
    "ratings": _ratings,
}


def rules_without_model(form: str, real: Real, seed: int, held: str = "last") -> ContestRules:
    """Return what minds need that ask no model."""
    doors = Doors(Models(), SpendingOptions(), Path())
    return ContestRules(form, real.domain, seed, doors, held=held, profiles=real.profiles)


def minds_that_compute(
    kinds: Sequence[str], rules: ContestRules, *, practises: bool = False
) -> list[Entrant]:
    """Return the minds among `kinds` that ask no model; they practise where all kinds need it."""
    some = [kind for kind in kinds if kind in (*COMPUTING, *STACKS)]
    return [one for one in mind_contestants(some, rules, practises=practises) if not one.parts]
