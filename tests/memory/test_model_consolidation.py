from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from tests.memory.scene import DUE, LONG, NOW, SEEN, SHORT, Model, life

from audience.llm import Budget, BudgetSpent, CallStore, Endpoint, Outcome, compose, open_gateway
from audience.llm.fake import Fake
from audience.llm.fake_model import Faults
from audience.memory.consolidation import Due, Insight, Observed, Taken
from audience.memory.model_consolidation import FusedWay
from audience.world import dice

Serving = Callable[..., AbstractContextManager[Fake]]
MEMORIES = [
    {"n": 1, "sentence": "I opened the page.", "importance": 1},
    {"n": 2, "sentence": "I loved <Night Bus>.", "importance": 9},
    {"n": 3, "sentence": "Tom and I argued over <Salt>.", "importance": 6},
]
INSIGHTS = [{"n": "A", "insight": "Sad films move me."}]
REFLECTION = {"topic": "taste", "insight": "I trust slow films.", "sources": [1, 3]}


def said(**parts: Any) -> str:
    return json.dumps({"memories": MEMORIES, **parts})


def take_in(model: Model, due: Due = Due(), seen: tuple[Observed, ...] = SEEN) -> Taken:  # noqa: B008
    return asyncio.run(FusedWay(model, model="m").take_in(life(), seen, due, dice(7, "test", 1)))


def test_a_round_is_taken_in_by_one_call() -> None:
    model = Model(said())
    taken = take_in(model)
    assert [(one.text, one.importance) for one in taken.sensed] == [
        ("I opened the page.", 1),
        ("I loved <Night Bus>.", 9),
        ("Tom and I argued over <Salt>.", 6),
    ]
    assert [one.observed for one in taken.sensed] == list(SEEN)
    assert taken.sensed[1].weight == pytest.approx(0.81)
    assert (taken.insights, taken.reflections, taken.problems) == ({}, (), ())
    (request,) = model.requests
    assert taken.calls == (request.key,)
    assert (request.purpose, request.model, request.temperature) == ("memory", "m", 0.3)
    assert request.salt.endswith(".memory.0")
    assert request.schema is not None
    assert list(request.schema["properties"]) == ["memories"]


def test_what_is_due_is_asked_for_in_the_same_call() -> None:
    model = Model(said(insights=INSIGHTS, reflection=REFLECTION))
    taken = take_in(model, DUE)
    assert len(model.requests) == 1
    assert len(taken.sensed) == 3
    assert taken.insights == {3: Insight("Sad films move me.", (3, 5, 6))}
    assert taken.reflections == (Insight("I trust slow films.", (4, 9)),)
    assert taken.problems == ()


def test_an_insight_that_falls_due_later_waits() -> None:
    model = Model()
    waited = asyncio.run(FusedWay(model).insight(life(), SHORT, dice(7, "test")))
    assert waited == Taken()
    assert model.requests == []
    assert FusedWay(model).foresees


def test_nobody_is_asked_about_nothing() -> None:
    model = Model()
    assert take_in(model, seen=()) == Taken()
    assert model.requests == []


def test_a_partial_reply_is_not_asked_for_again() -> None:
    model = Model(json.dumps({"memories": [MEMORIES[2], {**MEMORIES[0], "importance": 40}]}))
    taken = take_in(model, DUE)
    assert len(model.requests) == 1
    assert [one.observed.kind for one in taken.sensed] == ["talked"]
    assert taken.insights == {}
    assert taken.problems == (
        "importance out of range",
        "too few memories",
        "too few insights",
        "no reflection",
    )


def test_a_reply_without_anything_usable_is_asked_for_once_more() -> None:
    model = Model("Nothing much happened.", said())
    taken = take_in(model)
    assert len(taken.sensed) == 3
    assert taken.problems == ("no JSON",)
    first, again = model.requests
    assert taken.calls == (first.key, again.key)
    assert again.messages[2].content == "Nothing much happened."
    assert "no JSON" in again.messages[3].content
    assert again.salt.endswith(".memory.1")
    assert again.schema == first.schema


def test_it_is_asked_for_only_once_more_and_nothing_is_invented() -> None:
    model = Model("No.", json.dumps({"memories": []}), said())
    taken = take_in(model, DUE)
    assert len(model.requests) == 2
    assert (taken.sensed, taken.insights, taken.reflections) == ((), {}, ())
    assert taken.problems == ("no JSON", "no memories", "too few insights", "no reflection")


@pytest.mark.parametrize("outcome", ["refusal", "timeout", "unreadable", "error"])
def test_what_did_not_come_is_counted_and_not_asked_for_again(outcome: Outcome) -> None:
    model = Model(outcome=outcome)
    taken = take_in(model)
    assert len(model.requests) == 1
    assert taken.sensed == ()
    assert taken.calls == (model.requests[0].key,)
    assert taken.problems == (f"no reply ({outcome})",)


def test_an_endless_observation_is_cut_and_counted() -> None:
    endless = Observed("heard", "word " * 20_000, "word", NOW)
    model = Model(said())
    taken = take_in(model, seen=(endless, *SEEN[1:]))
    assert taken.sensed[0].observed is endless
    assert taken.problems == ("observation cut",)
    assert sum(len(one.content) for one in model.requests[0].messages) < 3_600


def test_numbers_stand_for_what_was_shown_when_some_is_left_out() -> None:
    last = [{"n": 1, "sentence": "I slept.", "importance": 2}]
    taken = take_in(Model(json.dumps({"memories": last})), seen=SEEN * 100)
    left = taken.problems.count("observation left out")
    assert taken.sensed[0].observed is (SEEN * 100)[left]


def test_the_salt_belongs_to_the_round() -> None:
    models = [Model(said()), Model(said()), Model(said())]
    keys = [
        asyncio.run(FusedWay(model).take_in(life(), SEEN, Due(), dice(7, "test", round_))).calls
        for model, round_ in zip(models, (1, 1, 2), strict=True)
    ]
    assert keys[0] == keys[1] != keys[2]


def test_a_spent_budget_is_no_problem_of_the_reply() -> None:
    door = compose(Model(said()), budget=Budget(calls=0))
    with pytest.raises(BudgetSpent):
        asyncio.run(FusedWay(door).take_in(life(), SEEN, Due(), dice(7, "test")))


def over_the_wire(
    serving: Serving, path: Path, seen: tuple[Observed, ...], due: Due, **manners: Any
) -> tuple[Taken, list[Any]]:
    async def work(url: str) -> Taken:
        async with open_gateway([Endpoint(url=url)], store=path, tries=1) as door:
            return await FusedWay(door).take_in(life(), seen, due, dice(7, "wire"))

    with serving(**manners) as fake:
        taken = asyncio.run(work(fake.url))
    store = CallStore(path, read_only=True)
    made = list(store.calls())
    store.close()
    return taken, made


@pytest.mark.parametrize("schema", ["json_schema", "json_object", "none"])
def test_a_server_that_keeps_to_the_schema_leaves_nothing_out(
    serving: Serving, tmp_path: Path, schema: str
) -> None:
    taken, made = over_the_wire(serving, tmp_path / "calls.db", SEEN * 3, DUE, schema=schema)
    assert len(made) == 1
    assert [one.observed for one in taken.sensed] == list(SEEN * 3)
    assert list(taken.insights) == [3]
    assert set(taken.reflections[0].sources) <= {one.id for one in LONG}
    assert set(taken.problems) <= {"sentence too long", "insight too long"}
    assert taken.calls == (made[0].reply.key,)


@pytest.mark.parametrize(
    ("fault", "problem", "calls"),
    [
        ("refusal", "no reply (refusal)", 1),
        ("500", "no reply (error)", 1),
        ("garbage", "no reply (unreadable)", 1),
        ("broken", "cut off", 2),
    ],
)
def test_faults_of_a_server_are_counted(
    serving: Serving, tmp_path: Path, fault: str, problem: str, calls: int
) -> None:
    faults = Faults({fault: 1.0})
    taken, made = over_the_wire(serving, tmp_path / "calls.db", SEEN, DUE, faults=faults)
    assert taken.sensed == ()
    assert taken.problems == (problem,) * calls
    assert len(made) == calls
