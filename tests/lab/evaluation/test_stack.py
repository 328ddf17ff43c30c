"""Evidence and a model together: what the model adds, and what time it takes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from audience.errors import BadInput
from audience.lab.evaluation import (
    AnswerStore,
    Case,
    Real,
    Result,
    arenas,
    baseline_contestants,
    check_tuned,
    discrimination_result,
    kinds_of,
    models_for,
    play,
)
from audience.lab.evaluation.baselines import Ground
from audience.lab.evaluation.cases import Contestant
from audience.lab.evaluation.contest import Entrant, StoredAnswers
from audience.lab.evaluation.contestants import entrant, stack_entry
from audience.lab.evaluation.mixes import CONTENT_MIX
from audience.lab.evaluation.report import as_csv, footer, group_tables
from audience.lab.evaluation.result import with_rows
from audience.llm import Counts
from audience.scenario import Models, SpendingOptions
from audience.world import Floats, rng

STACK = "grounded+tuned"


class Half:
    """Knows the truth of every second person, and nothing of the others."""

    def __init__(self, name: str, parity: int, silent: int = -1) -> None:
        self.name, self.parity, self.silent = name, parity, silent
        self.spent = Counts()

    async def score(self, cases: Sequence[Case]) -> Sequence[Floats]:
        self.spent = self.spent.plus(Counts(calls=len(cases)))
        return [self._score(case) for case in cases]

    def _score(self, case: Case) -> Floats:
        if case.user == self.silent:
            return np.full(len(case.candidates), np.nan)
        noise = rng(7, self.name, case.user).normal(0.0, 0.1, len(case.candidates))
        return np.array(case.truth) * float(case.user % 2 == self.parity) + noise


def part(contestant: Half) -> Entrant:
    async def make(ground: Ground) -> Contestant:
        return contestant

    return Entrant(contestant.name, make, "mind")


def told(ring: Real, tuned: Half, keeper: AnswerStore) -> Result:
    entries = [*baseline_contestants(), part(Half("grounded", 0)), part(tuned), stack_entry(STACK)]
    played = [asyncio.run(play(arena, entries, keeper)) for arena in arenas(ring, shapes=((1, 5),))]
    return discrimination_result(ring, played, entries, seed=1, model="audience-135m")


@pytest.fixture(scope="module")
def result(ring: Real, tmp_path_factory: pytest.TempPathFactory) -> Result:
    return told(ring, Half("tuned", 1, silent=3), AnswerStore(tmp_path_factory.mktemp("stack")))


def test_two_that_know_different_people_know_more_together(result: Result) -> None:
    rows = {row.name: row.cells["matched"]["(1,5)"].value.mean for row in result.rows}
    assert rows[STACK] > rows["grounded"] + 0.2
    assert rows[STACK] > rows["tuned"] + 0.2
    [pair] = [pair for pair in result.pairs if pair.name == STACK]
    gain = pair.cells["matched"]["(1,5)"]
    assert pair.than == "grounded"
    assert gain.mean == pytest.approx(rows[STACK] - rows["grounded"])
    assert 0.0 < gain.low < gain.mean


def test_differences_of_shares_stay_within_what_is_possible() -> None:
    values = {"a": np.array([1.0, 0.0]), "b": np.array([0.0, 0.5])}
    empty = Result("x", "x", "x", 2, 1, "", ("uniform",), ("(1,5)",))
    table = {"uniform": {"(1,5)": values}}
    made = with_rows(empty, {"a": "mind", "b": "mind"}, table, [], pairs=[("a", "b"), ("a", "c")])
    [pair] = made.pairs
    apart = pair.cells["uniform"]["(1,5)"]
    assert (apart.low, apart.high) == (-1.0, 1.0)


def test_a_model_that_knows_nothing_adds_nothing(ring: Real) -> None:
    result = told(ring, Half("tuned", 7), AnswerStore(None))
    [pair] = [pair for pair in result.pairs if pair.name == STACK]
    assert pair.cells["uniform"]["(1,5)"].low <= 0.0


def test_a_model_stands_beside_the_mix_without_other_people(result: Result) -> None:
    [pair] = [pair for pair in result.pairs if pair.name == "tuned"]
    assert pair.than == CONTENT_MIX
    tables = [row[0] for table in group_tables(result) for row in table.rows]
    assert "tuned less content and popularity" in tables
    assert "grounded+tuned less grounded" in tables
    assert "tuned less content and popularity,pair" in as_csv(result)
    models = {row.name: row.model for row in result.rows}
    assert (models["tuned"], models["grounded"]) == ("audience-135m", "")


def test_whom_the_model_did_not_answer_is_judged_by_evidence_alone(result: Result) -> None:
    unread = {row.name: row.unreadable for row in result.rows}
    assert unread["tuned"] == 4, "two tasks, and practice"
    assert unread[STACK] == 0


def test_weights_of_a_person_come_from_others(ring: Real) -> None:
    """The practice of one person may change everybody's weights but their own."""
    arena = arenas(ring, shapes=((1, 5),))[0]
    entries = [
        entrant("popularity", _popularity),
        part(Half("grounded", 0)),
        part(Half("tuned", 1)),
        stack_entry(STACK),
    ]
    before = asyncio.run(play(arena, entries, AnswerStore(None), mixes=False))
    turned = [
        entrant("popularity", _popularity),
        part(Half("grounded", 0)),
        part(_Turned("tuned", 1)),
        stack_entry(STACK),
    ]
    after = asyncio.run(play(arena, turned, AnswerStore(None), mixes=False))
    key = (STACK, "uniform (1,5)")
    same = [
        np.array_equal(old, new)
        for old, new in zip(before.answers[key].scores, after.answers[key].scores, strict=True)
    ]
    users = [case.user for case in arena.tasks[0].cases]
    assert same[users.index(_Turned.whom)]
    assert not all(same)


class _Turned(Half):
    """Says the opposite in the practice of one person, which has longer histories ahead."""

    whom = 5

    def _score(self, case: Case) -> Floats:
        scores = super()._score(case)
        is_practice = len(case.history) < 17
        return -5.0 * scores if case.user == self.whom and is_practice else scores


def _popularity(ground: Ground) -> Contestant:
    from audience.lab.evaluation.baselines import PopularityBaseline

    return PopularityBaseline(ground)


def test_decisions_a_second_are_told_and_kept(ring: Real, tmp_path: Path) -> None:
    first = told(ring, Half("tuned", 1), AnswerStore(tmp_path))
    again = told(ring, Half("tuned", 1), AnswerStore(tmp_path))
    rows = {row.name: row for row in first.rows}
    assert rows["tuned"].decided == 4 * ring.people
    assert rows["tuned"].seconds > 0.0
    assert rows["popularity"].seconds == rows[STACK].seconds == 0.0
    assert again.rows == first.rows
    [line] = [line for line in footer(first) if "a second" in line]
    assert "tuned" in line


def test_stored_calls_are_no_decisions() -> None:
    scores = [np.zeros(2)] * 10
    assert StoredAnswers(scores, Counts(calls=20, reused=15), 2.0).decided == pytest.approx(2.5)
    assert StoredAnswers(scores).decided == 0.0


def test_a_stack_names_its_parts_and_only_minds_that_score_stack() -> None:
    assert kinds_of(STACK, stacks=True) == ("grounded", "tuned", STACK)
    assert kinds_of("rule,grounded+llm+score", stacks=True)[1:3] == ("grounded", "llm+score")
    with pytest.raises(BadInput, match="--mind"):
        kinds_of("grounded+llm", stacks=True)
    with pytest.raises(BadInput, match="--mind"):
        kinds_of(STACK)


def test_a_model_that_is_not_installed_is_told_before_anything_is_computed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("audience.lab.evaluation.contestants.tuned_missing", lambda: "it is gone")
    ask, stored = SpendingOptions(), SpendingOptions(calls="stored")
    with pytest.raises(BadInput, match="it is gone; or give a server"):
        check_tuned(["rule", "tuned"], Models(), ask)
    check_tuned(["tuned"], Models(), stored)
    check_tuned(["tuned"], Models(url="http://a/v1"), ask)
    check_tuned(["llm+score"], Models(), ask)


def test_tuned_asks_its_own_model_and_no_other() -> None:
    assert models_for(["rule"], Models(model="a")).model == "a"
    assert models_for(["tuned"], Models(url="http://a/v1")).model == "audience-135m"
    assert models_for(["tuned"], Models()).model == "audience-135m"
    versioned = Models(url="http://a/v1", model="us/Audience-135m-r64")
    assert models_for(["tuned"], versioned) == versioned
    with pytest.raises(BadInput, match="leave --model out"):
        models_for(["rule", "tuned"], Models(url="http://a/v1", model="other"))
