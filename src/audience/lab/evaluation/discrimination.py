"""Evaluation A: what did a person consume next, among items they never did (RecAgent's table 3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from audience.errors import BadInput
from audience.lab.evaluation.cases import (
    NEGATIVES,
    WINDOW,
    Case,
    Dealer,
    ItemSequences,
    Task,
    TaskSet,
    drawn_users,
)
from audience.lab.evaluation.contest import ContestAnswers, Entrant
from audience.lab.evaluation.mixes import CONTENT_MIX
from audience.lab.evaluation.result import (
    AREA,
    PEOPLE,
    Result,
    answers_in,
    asks_model,
    aucs,
    hits,
    order_of,
    remarks_in,
    with_rows,
)
from audience.lab.evaluation.source import Real
from audience.lab.evaluation.unseen import unseen_among
from audience.world import Floats, Ints

SHAPES = ((1, 5), (3, 3), (3, 7), (1, 9))
"""How many candidates were consumed, and how many were not."""
GROUPS = (*NEGATIVES, *(f"{kind}{AREA}" for kind in NEGATIVES))
_NOTES = (
    "Score: share of the items consumed among as many chosen; the last items of each user in time "
    "order against items they never consumed, uniform or of like popularity.",
)
_UNSEEN = "Only people whom audience-135m was not trained on are asked."


class HumanChoice(msgspec.Struct, frozen=True):
    """What a person chose in one case."""

    user: int
    task: str
    """Such as `uniform (1,5)`."""
    candidates: tuple[int, ...]
    chosen: tuple[int, ...]


def shape_name(a: int, b: int) -> str:
    """Return a shape as it heads a column."""
    return f"({a},{b})"


def arenas(
    real: Real,
    *,
    shapes: Sequence[tuple[int, int]] = SHAPES,
    agents: int | None = None,
    seed: int = 1,
    unseen: bool = False,
    window: int = WINDOW,
) -> list[TaskSet]:
    """Return a task set for each number of held-out items, with the same people in all.

    `unseen`: only people that `audience-135m` was not trained on; `window`: ranks of popularity
    that matched negatives are drawn from.
    """
    sequences = ItemSequences(real)
    most = max(a for a, _ in shapes)
    # Everybody needs as many again for practice, and a history.
    eligible = np.flatnonzero(sequences.sizes > 2 * most)
    if unseen and len(eligible):
        eligible = unseen_among(eligible, real.keys)
    users = drawn_users(eligible, agents, seed)
    known = [real.items[sequences.of(user)] for user in range(real.people)]
    pool = np.unique(real.items)
    weighed = sequences.without_last(most)
    notes = (f"Matched: windows of {window:,} ranks of popularity.", *([_UNSEEN] * unseen))
    made = []
    for held in sorted({a for a, _ in shapes}):
        parts = sequences.without_last(held), sequences.without_last(2 * held)
        asked = [(kind, b) for kind in NEGATIVES for a, b in shapes if a == held]
        tasks = []
        for cut, lives in enumerate(parts):
            dealer = Dealer(lives, known, pool, seed, window)
            tasks.append(_tasks(dealer, users, held, asked, cut))
        sides = (parts[0], tasks[0], parts[1], tasks[1])
        made.append(TaskSet(f"last {held}", *sides, seed, weighed, notes))
    return made


def _tasks(
    dealer: Dealer, users: Ints, a: int, asked: Sequence[tuple[str, int]], cut: int
) -> tuple[Task, ...]:
    """Return the tasks of one number of held-out items; `cut` 1: practice on earlier items."""
    names = [f"{kind} {shape_name(a, b)}" for kind, b in asked]
    cases: list[list[Case]] = [[] for _ in asked]
    for user in users.tolist():
        items = dealer.known[user]
        end = len(items) - cut * a
        history, taken = tuple(items[: end - a].tolist()), items[end - a : end]
        for place, (kind, b) in enumerate(asked):
            label = f"practice {names[place]}" if cut else names[place]
            cases[place].append(dealer.case(label, kind, user, history, taken, b))
    rows = zip(names, asked, cases, strict=True)
    return tuple(Task(name, tuple(made), kind) for name, (kind, _), made in rows)


def discrimination_result(
    real: Real,
    played: Sequence[ContestAnswers],
    entries: Sequence[Entrant],
    *,
    seed: int,
    model: str = "",
    people: Sequence[HumanChoice] = (),
) -> Result:
    """Return table A from everybody's answers, people's among them where there are any."""
    kinds = order_of(entries, played)
    values: dict[str, dict[str, dict[str, Floats]]] = {}
    for contest in played:
        for task in contest.arena.tasks:
            column = task.name.removeprefix(f"{task.negatives} ")
            scores = {
                name: kept.scores for (name, of), kept in contest.answers.items() if of == task.name
            }
            human = answered(task, people)
            shown = {name: scores[name] for name in kinds if name in scores}
            shares = {name: hits(task.cases, each) for name, each in shown.items()}
            if human is not None:
                shares[PEOPLE] = human
            values.setdefault(task.negatives, {})[column] = shares
            ranked = {name: aucs(task.cases, each) for name, each in shown.items()}
            values.setdefault(f"{task.negatives}{AREA}", {})[column] = ranked
    if any(PEOPLE in shares for group in values.values() for shares in group.values()):
        kinds |= {PEOPLE: "people"}
    elif people:
        raise BadInput(
            f"--people: none of the {len(people)} choices belongs to these cases; give the --data "
            "and --seed that the page was made with, and no --agents"
        )
    present = {column for group in values.values() for column in group}
    result = Result(
        "discrimination",
        f"Discrimination on {real.name}",
        real.name,
        len(played[0].arena.tasks[0].cases),
        seed,
        model,
        tuple(group for group in GROUPS if group in values),
        tuple(name for name in (shape_name(*shape) for shape in SHAPES) if name in present),
        notes=(*_NOTES, *played[0].arena.notes, *remarks_in(played)),
    )
    return with_rows(result, kinds, values, answers_in(played), pairs=_pairs(entries))


def _pairs(entries: Sequence[Entrant]) -> list[tuple[str, str]]:
    """Return the differences that a reader looks for.

    What a stack adds to its first part, and what models have over a mix without other people.
    """
    stacked = [(entry.name, entry.parts[0]) for entry in entries if entry.parts]
    asked = [entry.name for entry in entries if asks_model(entry.name)]
    return [*stacked, *((name, CONTENT_MIX) for name in asked)]


def answered(task: Task, people: Sequence[HumanChoice]) -> Floats | None:
    """Return the share people got right in each case: NaN if unasked, None if nobody answered."""
    shares: dict[int, list[float]] = {}
    cases = {case.user: case for case in task.cases}
    for choice in people:
        case = cases.get(choice.user)
        if (
            case is None
            or choice.task != task.name
            or set(choice.candidates) != set(case.candidates)
        ):
            continue
        truth = {item for item, taken in zip(case.candidates, case.truth, strict=True) if taken}
        shares.setdefault(choice.user, []).append(len(truth & set(choice.chosen)) / len(truth))
    if not shares:
        return None
    means = {user: float(np.mean(each)) for user, each in shares.items()}
    return np.array([means.get(case.user, math.nan) for case in task.cases])


PEOPLE_CHOICES = "audience-people-choices"


class JudgedChoice(msgspec.Struct, frozen=True):
    """What one judge chose in one case of the discrimination task."""

    by: str
    """`person` or `model`."""
    user: int
    a: int
    b: int
    negatives: str
    candidates: tuple[int, ...]
    chosen: tuple[int, ...]
    """Items, not places."""
    judge: str = ""
    key: str = ""
    """The id of the user in the source."""


class PeopleChoices(msgspec.Struct, frozen=True):
    """The file that `audience eval discrimination --people FILE` reads."""

    seed: int
    choices: tuple[JudgedChoice, ...]
    format: str = ""
    version: int = 1


def read_answers(path: Path, seed: int) -> tuple[HumanChoice, ...]:
    """Return what people chose; what models chose is left out, they have rows of their own."""
    remedy = "give the people.json that `audience eval people import` wrote"
    try:
        file = msgspec.json.decode(path.read_bytes(), type=PeopleChoices)
    except OSError as error:
        raise BadInput(f"--people {path}: {error.strerror or error}; {remedy}") from error
    except msgspec.MsgspecError as error:
        raise BadInput(f"--people {path}: {error}; {remedy}") from error
    if file.format != PEOPLE_CHOICES:
        raise BadInput(f"--people {path}: not a file of people's choices; {remedy}")
    if file.seed != seed:
        raise BadInput(
            f"--people {path}: the page was made with seed {file.seed}, which gives other cases; "
            f"use --seed {file.seed}"
        )
    choices = [choice for choice in file.choices if choice.by == "person"]
    tasks = [f"{choice.negatives} {shape_name(choice.a, choice.b)}" for choice in choices]
    return tuple(
        HumanChoice(choice.user, task, choice.candidates, choice.chosen)
        for choice, task in zip(choices, tasks, strict=True)
    )
