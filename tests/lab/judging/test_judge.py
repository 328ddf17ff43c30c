from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.lab.judging.sheets import (
    choices_of,
    key_of,
    memories_of,
    pairs_of,
    texts_of,
    write,
)

from audience.lab.judging import answers_file, judge, read_answers, turned
from audience.lab.judging.tasks import Paired
from audience.llm import GatewayStack, Reply, Request, Usage, compose

KEY = key_of(choices_of(2), texts_of(2), pairs_of("T1", 4), memories_of(1))


class Model:
    """Answers by a rule of the test; keeps what it was asked."""

    def __init__(self, say: Callable[[Request], str]) -> None:
        self.say = say
        self.asked: list[Request] = []

    async def ask(self, request: Request) -> Reply:
        self.asked.append(request)
        text = self.say(request)
        return Reply(request.key, "reply", (text,), model="m", usage=Usage(10, 2))

    async def close(self) -> None: ...


def door(model: Model, store: Path | None = None) -> GatewayStack:
    return compose(model, store=store)


def fair(request: Request) -> str:
    """Prefer what the agent made, wherever it stands."""
    said = request.messages[1].content
    match request.purpose:
        case "judge_choose":
            numbers = [
                line[0] for line in said.splitlines() if "Film 1" in line or "Film 2" in line
            ]
            return json.dumps({"chosen": [int(number) for number in numbers]})
        case "judge_pair":
            return json.dumps({"verdict": 1 if "first:\n- agent" in said else 5})
    return json.dumps({"informative": 4, "relevant": 2})


def test_every_pair_and_choice_is_asked_in_both_orders_and_texts_not_at_all() -> None:
    model = Model(fair)
    found = judge(KEY.sheet, door(model), model="m")
    purposes = [request.purpose for request in model.asked]
    assert {kind: purposes.count(kind) for kind in purposes} == {
        "judge_choose": 4, "judge_pair": 8, "judge_score": 4
    }  # fmt: skip
    assert len({request.key for request in model.asked}) == 16
    assert all(request.schema for request in model.asked)
    assert found.passed == 2
    assert (found.spent.calls, found.spent.tokens, found.unreadable) == (16, 16 * 12, {})
    assert [id_ for id_ in found.answers if id_ in ("t3", "t4")] == []


def test_a_fair_judge_says_the_same_in_both_orders(tmp_path: Path) -> None:
    found = judge(KEY.sheet, door(Model(fair)), model="m")
    path = write(tmp_path, "a.json", answers_file(KEY.sheet, found, "m"))
    answered, problems = read_answers([path], KEY)
    assert not problems
    (one,) = turned(KEY, answered)
    assert (one.pairs, one.other_side, one.choices, one.other_choice) == (4, 0, 2, 0)
    assert all(set(found.answers[id_].chosen or ()) == {1, 2} for id_ in ("t1", "t2"))
    for id_, seal in KEY.tasks.items():
        if isinstance(seal, Paired):
            assert found.answers[id_].verdict == (1 if seal.first == "agent" else 5)


def test_a_judge_who_likes_what_comes_first_is_found_out(tmp_path: Path) -> None:
    def first(request: Request) -> str:
        return '{"verdict": 1, "chosen": [1, 2], "informative": 3, "relevant": 3}'

    found = judge(KEY.sheet, door(Model(first)), model="m")
    path = write(tmp_path, "a.json", answers_file(KEY.sheet, found, "m"))
    (one,) = turned(KEY, read_answers([path], KEY)[0])
    assert (one.pairs, one.other_side, one.first_shown) == (4, 4, 1.0)
    assert (one.choices, one.other_choice) == (2, 2)


def test_what_cannot_be_read_is_counted_and_left_out() -> None:
    def odd(request: Request) -> str:
        turned_ = "second:\n- agent" in request.messages[1].content
        return "no idea" if turned_ or request.purpose == "judge_score" else fair(request)

    found = judge(KEY.sheet, door(Model(odd)), model="m")
    assert found.unreadable == {"pair: no JSON": 4, "score: no JSON": 4}
    assert set(found.answers) == {"t1", "t2"}


def test_kept_calls_cost_nothing_again(tmp_path: Path) -> None:
    store = tmp_path / "calls.db"
    first = judge(KEY.sheet, door(Model(fair), store), model="m")
    model = Model(fair)
    again = judge(KEY.sheet, door(model, store), model="m")
    assert not model.asked
    assert (again.spent.calls, again.spent.reused) == (0, 16)
    assert again.answers == first.answers
