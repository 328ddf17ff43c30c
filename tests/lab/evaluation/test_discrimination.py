from __future__ import annotations

import asyncio

import numpy as np
import pytest
from msgspec.structs import replace

from audience.errors import BadInput
from audience.lab.evaluation import (
    SHAPES,
    AnswerStore,
    Real,
    Result,
    arenas,
    baseline_contestants,
    discrimination_result,
    play,
    shape_name,
)
from audience.lab.evaluation.baselines import Ground
from audience.lab.evaluation.cases import Contestant
from audience.lab.evaluation.contest import Entrant
from audience.lab.evaluation.contestants import Grounded
from audience.lab.evaluation.discrimination import HumanChoice, answered
from audience.lab.evaluation.mixes import MIX
from audience.lab.evaluation.result import PEOPLE


def test_all_shapes_and_both_kinds_of_negatives_with_the_same_users(ring: Real) -> None:
    found = arenas(ring, agents=20)
    tasks = {task.name: task for arena in found for task in arena.tasks}
    kinds = ("uniform", "matched")
    assert set(tasks) == {f"{kind} {shape_name(*shape)}" for kind in kinds for shape in SHAPES}
    users = {tuple(one.user for one in task.cases) for task in tasks.values()}
    assert len(users) == 1
    for a, b in SHAPES:
        for one in tasks[f"uniform {shape_name(a, b)}"].cases:
            assert (sum(one.truth), len(one.truth)) == (a, a + b)


def test_nothing_of_the_truth_is_in_history_or_training_and_practice_lies_before(
    ring: Real,
) -> None:
    for arena in arenas(ring):
        for lives, tasks in ((arena.lives, arena.tasks), (arena.before, arena.practice)):
            learnt = set(zip(lives.users.tolist(), lives.items.tolist(), strict=True))
            for task in tasks:
                for one in task.cases:
                    truth = [
                        item for item, yes in zip(one.candidates, one.truth, strict=True) if yes
                    ]
                    assert not set(truth) & set(one.history)
                    assert all((one.user, item) not in learnt for item in truth)
        ahead = {
            (one.user, item)
            for task in arena.tasks
            for one in task.cases
            for item, yes in zip(one.candidates, one.truth, strict=True)
            if yes
        }
        practised = {
            (one.user, item)
            for task in arena.practice
            for one in task.cases
            for item, yes in zip(one.candidates, one.truth, strict=True)
            if yes
        }
        assert not ahead & practised


def evaluated(real: Real) -> Result:
    entries = baseline_contestants()

    async def whole() -> Result:
        played = [await play(one, entries, AnswerStore(None)) for one in arenas(real)]
        return discrimination_result(real, played, entries, seed=1)

    return asyncio.run(whole())


@pytest.fixture(scope="module")
def table(ring: Real) -> Result:
    return evaluated(ring)


def test_baselines_are_told_apart_where_the_next_item_is_known(table: Result) -> None:
    means = {row.name: row.cells["uniform"]["(1,9)"].value.mean for row in table.rows}
    assert means["markov"] > 0.7
    assert means["random"] < 0.3
    assert means["random"] < means["item-knn"]
    assert means[MIX] > 0.6
    assert table.users == 60
    assert table.columns == ("(1,5)", "(3,3)", "(3,7)", "(1,9)")


def test_every_baseline_is_there_with_an_interval(table: Result) -> None:
    names = [row.name for row in table.rows]
    for name in ("random", "popularity", "genre profile", "recsim", "item-knn", "ease", "markov"):
        assert name in names
    assert any(name.startswith("text embedding") for name in names)
    for row in table.rows:
        cell = row.cells["matched"]["(3,3)"]
        assert cell.value.low <= cell.value.mean <= cell.value.high
        best = table.best["matched"]["(3,3)"]
        assert (cell.against_best is None) == (row.name == best)


def test_a_planted_future_interaction_moves_no_score(ring: Real) -> None:
    """What people do after the cut reaches nothing: neither fits, nor mixes, nor minds."""

    async def grounded(ground: Ground) -> Contestant:
        return Grounded(ground)

    entries = [*baseline_contestants(), Entrant("grounded", grounded, "mind", practises=False)]
    last = int(ring.at.max())
    held = np.flatnonzero(ring.at == last)
    # Everybody's last item becomes another one: as many rows, none of the training part touched.
    changed = ring.items.copy()
    for row in held.tolist():
        own = set(ring.items[ring.users == ring.users[row]].tolist())
        changed[row] = min(set(range(len(ring.catalogue))) - own)
    planted = replace(ring, items=changed)

    async def scores(real: Real) -> dict[tuple[str, str], list[float]]:
        arena = arenas(real, shapes=((1, 5),))[0]
        # The questions stay the same: only what could leak differs.
        asked = arenas(ring, shapes=((1, 5),))[0]
        arena = replace(arena, tasks=asked.tasks, practice=asked.practice)
        played = await play(arena, entries, AnswerStore(None))
        return {
            key: np.concatenate(list(kept.scores)).tolist() for key, kept in played.answers.items()
        }

    assert asyncio.run(scores(planted)) == asyncio.run(scores(ring))


def test_people_are_scored_on_the_cases_they_were_asked(ring: Real) -> None:
    arena = arenas(ring)[0]
    task = next(one for one in arena.tasks if one.name == "uniform (1,5)")
    first, second = task.cases[0], task.cases[1]
    right = first.candidates[first.truth.index(True)]
    wrong = second.candidates[second.truth.index(False)]
    given = [
        HumanChoice(first.user, task.name, first.candidates, (right,)),
        HumanChoice(
            first.user, task.name, first.candidates, (first.candidates[first.truth.index(False)],)
        ),
        HumanChoice(second.user, task.name, second.candidates, (wrong,)),
        HumanChoice(task.cases[2].user, task.name, (1, 2, 3), (1,)),
    ]
    found = answered(task, given)
    assert found is not None
    assert found[:2].tolist() == [0.5, 0.0]
    assert np.isnan(found[2:]).all()
    assert answered(arena.tasks[1], given) is None


def test_people_have_a_row_of_their_own(ring: Real) -> None:
    entries = baseline_contestants()
    found = arenas(ring, agents=10)
    task = found[0].tasks[0]
    right = [
        HumanChoice(one.user, task.name, one.candidates, (one.candidates[one.truth.index(True)],))
        for one in task.cases[:4]
    ]

    async def whole(people: list[HumanChoice]) -> Result:
        played = [await play(one, entries, AnswerStore(None)) for one in found]
        return discrimination_result(ring, played, entries, seed=1, people=people)

    [row] = [row for row in asyncio.run(whole(right)).rows if row.name == PEOPLE]
    column = task.name.removeprefix("uniform ")
    cell = row.cells["uniform"][column]
    assert (row.kind, cell.users, cell.value.mean) == ("people", 4, 1.0)
    with pytest.raises(BadInput, match="none of the 1 choices"):
        asyncio.run(whole([HumanChoice(3, "uniform (1,5)", (1, 2), (1,))]))
