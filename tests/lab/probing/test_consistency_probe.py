from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest

from audience.errors import BadInput
from audience.lab.probing import consistency
from audience.lab.probing.consistency_probe import (
    PersonaAnswer,
    agreement,
    as_of,
    enough,
    rated_before,
)
from audience.lab.probing.town import Town
from audience.llm import Request


def test_who_answers_like_everybody_is_no_better_than_strangers() -> None:
    constant = [
        PersonaAnswer(who, "stars", round_, 0, "4") for who in range(6) for round_ in range(3)
    ]
    own = [
        PersonaAnswer(who, "age", round_, 0, str(who)) for who in range(6) for round_ in range(3)
    ]
    found = {one.what: one for one in agreement([*constant, *own], 1)}
    stars, age = (found[f"{name}: same answer rounds later"] for name in ("stars", "age"))
    assert (stars.value, stars.chance) == (1.0, 1.0)
    assert (age.value, age.chance) == (1.0, 0.0)
    assert found["age: same answer at once"].value is None


def test_answers_that_cannot_be_read_agree_with_nothing() -> None:
    said = [PersonaAnswer(0, "age", 0, nth, None) for nth in range(2)] + [
        PersonaAnswer(0, "age", 1, 0, "30")
    ]
    found = {one.what: one for one in agreement(said, 1)}
    assert found["age: same answer at once"].value is None
    assert found["age: same answer at once"].unreadable == 2


def test_what_is_lived_later_is_not_there_before(town: Town) -> None:
    me = next(town.person(who) for who in town.people if enough(town.person(who), 3))
    lengths = [len(as_of(me, round_, 3).history) for round_ in range(3)]
    assert lengths == [len(me.history) - 4, len(me.history) - 2, len(me.history)]
    assert rated_before(me, 3)[0] in {one.item for one in as_of(me, 0, 3).history}
    short = me.__class__(me.profile, me.taste, history=me.history[:2])
    assert as_of(short, 0, 3).history == short.history


def test_one_who_plays_its_part_is_true_to_it(scripted: Any, town: Town) -> None:
    def says(request: Request) -> str:
        text = request.messages[-1].content
        if request.purpose == "stars":
            critic = "ou have high standards" in text
            stars = 4 if "delighted" in text else 3 if "divided" in text else 1 + (not critic)
            return json.dumps({"feeling": "So it is.", "stars": stars})
        age, likes = (
            re.search(r", (\d+),", text),
            re.search(r"You like these [^:]+: ([^,.]+)", text),
        )
        assert age
        if "How old" in text:
            return json.dumps({"answer": int(age[1])})
        if "Which kind" in text:
            assert likes
            return json.dumps({"answer": likes[1]})
        if "How many stars" in text:
            asked = re.search(r"give <([^<>]+)>", text)
            assert asked
            given = re.search(rf"^- <{re.escape(asked[1])}>, (\d) stars", text, re.MULTILINE)
            return json.dumps({"answer": int(given[1]) if given else 3})
        two = re.findall(r"<([^<>]+)>", text.rpartition("rather")[2])
        return json.dumps({"answer": sorted(two)[0]})

    rows = asyncio.run(consistency(scripted(says).asker(), town)).rows
    found = {f"{one.part}: {one.what}": one for one in rows}
    assert found["persona: age: its own"].value == 1.0
    assert found["persona: kind: one of its own"].value == 1.0
    assert found["persona: stars: as it gave them"].value == 1.0
    for question in ("kind", "age", "rather", "stars"):
        assert found[f"persona: {question}: same answer rounds later"].value == 1.0
    kind = found["persona: kind: same answer rounds later"]
    assert kind.chance is not None
    assert kind.chance < 0.6
    assert found["stars: bad item, Critic: mean stars"].value == 1.0
    assert found["stars: bad item, no Critic: mean stars"].value == 2.0
    assert found["stars: bad item: Critic less no Critic"].value == -1.0
    assert found["stars: Critic: good less bad item"].value == 3.0
    assert found["scale: 5 stars"].value == 0.0
    assert found["scale: 1 star"].chance is None  # these people are drawn, and so are their stars


def test_one_round_has_no_later_one(scripted: Any, town: Town) -> None:
    with pytest.raises(BadInput, match="--rounds 1"):
        asyncio.run(consistency(scripted(lambda _: "").asker(), town, rounds=1))
