from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from tests.memory.scene import DUE, LONG, NOW, SEEN, SHORT, Model, life

from audience.llm import (
    Budget,
    BudgetSpent,
    Endpoint,
    Outcome,
    Reply,
    Request,
    compose,
    open_gateway,
)
from audience.llm.fake import Fake
from audience.memory.consolidation import Due, Insight, Observed, Taken
from audience.memory.model_consolidation import FaithfulWay
from audience.world import dice

Serving = Callable[..., AbstractContextManager[Fake]]
SAID: dict[str, Any] = {
    "memory_summary": {"sentence": "I loved it."},
    "memory_importance": {"importance": 8},
    "memory_insight": {"insight": "Sad films move me."},
    "memory_topics": {"topic": "taste"},
    "memory_reflection": {"insight": "I trust slow films.", "sources": [1, 3]},
}


def model(**said: Any) -> Model:
    return Model(says=lambda request: json.dumps({**SAID, **said}[request.purpose]))


def take_in(asked: Model, due: Due = Due(), seen: tuple[Observed, ...] = SEEN) -> Taken:  # noqa: B008
    return asyncio.run(FaithfulWay(asked).take_in(life(), seen, due, dice(7, "test", 1)))


def test_each_thing_lived_takes_a_summary_and_an_importance() -> None:
    asked = model()
    taken = take_in(asked)
    assert [one.observed for one in taken.sensed] == list(SEEN)
    assert {(one.text, one.importance) for one in taken.sensed} == {("I loved it.", 8)}
    assert Counter(asked.purposes) == {"memory_summary": 3, "memory_importance": 3}
    assert len(set(taken.calls)) == 6
    by_key = {request.key: request.purpose for request in asked.requests}
    assert [by_key[key] for key in taken.calls] == ["memory_summary", "memory_importance"] * 3
    assert taken.problems == ()


def test_what_is_due_takes_calls_of_its_own() -> None:
    asked = model()
    taken = take_in(asked, DUE)
    assert taken.insights == {3: Insight("Sad films move me.", (3, 5, 6))}
    assert taken.reflections == (Insight("I trust slow films.", (4, 9)),)
    assert Counter(asked.purposes)["memory_insight"] == 1
    topics = asked.purposes.index("memory_topics")
    assert topics < asked.purposes.index("memory_reflection")
    last = asked.requests[asked.purposes.index("memory_reflection")]
    assert "about this topic: taste?" in last.messages[0].content
    assert last.schema is not None
    assert last.schema["properties"]["sources"]["items"]["enum"] == [1, 2, 3]
    assert len(taken.calls) == 9


def test_an_insight_that_falls_due_later_is_asked_for_at_once() -> None:
    asked = model()
    taken = asyncio.run(FaithfulWay(asked).insight(life(), SHORT, dice(7, "test")))
    assert taken.insights == {3: Insight("Sad films move me.", (3, 5, 6))}
    assert taken.calls == (asked.requests[0].key,)
    assert not FaithfulWay(asked).foresees


def test_calls_that_do_not_need_each_other_are_made_together() -> None:
    class Waiting(Model):
        """Answers nobody before six are waiting."""

        def __init__(self) -> None:
            super().__init__(says=lambda request: json.dumps(SAID[request.purpose]))
            self.full = asyncio.Event()

        async def ask(self, request: Request) -> Reply:
            reply = await super().ask(request)
            if len(self.requests) == 6:
                self.full.set()
            await asyncio.wait_for(self.full.wait(), 120.0)
            return reply

    assert len(take_in(Waiting()).sensed) == 3


def test_which_answer_comes_first_changes_nothing() -> None:
    class Shuffled(Model):
        """Answers the later ones first."""

        async def ask(self, request: Request) -> Reply:
            reply = await super().ask(request)
            for _ in range(40 - 4 * len(self.requests)):
                await asyncio.sleep(0)
            return reply

    spoilt = {"memory_summary": {"sentence": ""}, "memory_importance": {"importance": 70}}

    def says(request: Request) -> str:
        return json.dumps({**SAID, **spoilt}[request.purpose])

    assert take_in(Shuffled(says=says), DUE) == take_in(Model(says=says), DUE)


@pytest.mark.parametrize(
    ("purpose", "said", "problem"),
    [
        ("memory_summary", {"sentence": " "}, "empty sentence"),
        ("memory_summary", {"sentence": 5}, "not a text"),
        ("memory_summary", "words", "entry is no object"),
        ("memory_importance", {"importance": 11}, "importance out of range"),
        ("memory_importance", {"importance": "much"}, "importance not a number"),
        ("memory_importance", {}, "importance missing"),
    ],
)
def test_half_an_answer_is_not_remembered(purpose: str, said: Any, problem: str) -> None:
    asked = model(**{purpose: said})
    taken = take_in(asked)
    assert taken.sensed == ()
    assert taken.problems == (problem,) * 3
    assert len(taken.calls) == len(asked.requests) == 6


def test_a_reflection_needs_a_topic_and_sources_that_were_shown() -> None:
    asked = model(memory_topics={"topic": ""})
    taken = take_in(asked, Due((), LONG), ())
    assert taken.reflections == ()
    assert asked.purposes == ["memory_topics"]
    assert taken.problems == ("empty topic",)
    unknown = model(memory_reflection={"insight": "I rest.", "sources": [3, 77]})
    taken = take_in(unknown, Due((), LONG), ())
    assert taken.reflections == (Insight("I rest.", (9,)),)
    assert taken.problems == ("unknown source",)
    none = model(memory_reflection={"insight": "I rest.", "sources": []})
    taken = take_in(none, Due((), LONG), ())
    assert taken.reflections == ()
    assert taken.problems == ("insight without sources",)


@pytest.mark.parametrize("outcome", ["refusal", "timeout", "unreadable", "error"])
def test_what_did_not_come_is_counted(outcome: Outcome) -> None:
    asked = Model(outcome=outcome)
    taken = take_in(asked, DUE, SEEN[:1])
    assert (taken.sensed, taken.insights, taken.reflections) == ((), {}, ())
    assert taken.problems == (f"no reply ({outcome})",) * 4
    assert len(taken.calls) == 4


def test_an_endless_observation_is_cut_and_counted_once() -> None:
    asked = model()
    taken = take_in(asked, seen=(Observed("heard", "word " * 20_000, "word", NOW),))
    assert len(taken.sensed) == 1
    assert taken.problems == ("observation cut",)
    assert max(len(one.messages[0].content) for one in asked.requests) < 1_200


def test_nothing_lived_and_nothing_due_asks_nobody() -> None:
    asked = model()
    assert take_in(asked, seen=()) == Taken()
    assert asked.requests == []


def test_a_spent_budget_is_no_problem_of_the_reply() -> None:
    door = compose(model(), budget=Budget(calls=2))
    with pytest.raises(BudgetSpent):
        asyncio.run(FaithfulWay(door).take_in(life(), SEEN, Due(), dice(7, "test")))


def test_a_server_that_keeps_to_the_schemas_leaves_nothing_out(serving: Serving) -> None:
    async def work(url: str) -> Taken:
        async with open_gateway([Endpoint(url=url)], tries=1) as door:
            return await FaithfulWay(door).take_in(life(), SEEN, DUE, dice(7, "wire"))

    with serving() as fake:
        taken = asyncio.run(work(fake.url))
        assert fake.requests == 9
    assert [one.observed for one in taken.sensed] == list(SEEN)
    assert list(taken.insights) == [3]
    assert len(taken.reflections) == 1
    assert set(taken.problems) <= {"sentence too long", "insight too long", "topic too long"}
