from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from audience.world import Agent, Lived, Profile, Situation, changed, with_change
from audience.world.agent import Heard
from audience.world.thoughts import Thought
from audience.world.topics import Message

LIVED = tuple(Lived(item, 100 + item, 0.5, 3, "fine") for item in range(40))
BEFORE = Agent(Profile(7, "Ada"), b"\x01\x02", history=LIVED, saved=(3,), satisfaction=0.4)
LETTER = Message("1-2-0", 2, "Hello", (5,), 0.5, 0, 2, "1-2-0", 1, 0.3, 0.1)
OTHER: dict[str, Any] = {
    "profile": Profile(7, "Ada", activity=3.0),
    "taste": b"\x05\x00",
    "situation": Situation(5, "home", (1, 2), shown=(1, 2), reasons=("new", "")),
    "history": (*LIVED, Lived(50, 900, 1.0)),
    "heard": (Heard(4, 2, -0.25),),
    "inbox": (LETTER,),
    "thoughts": (Thought(1, "It rained.", 0.2, 5, "visit"),),
    "satisfaction": 0.1 + 0.2,
    "visits": 9,
    "thoughts_had": 2,
    "brewing": 1.5,
    "pool": (LETTER,),
    "passed": ("1-2-0",),
    "saved": (),
    "came": 3 << 20 | 1,
}


def test_each_field_is_known_here() -> None:
    assert set(OTHER) == {field.name for field in msgspec.structs.fields(Agent)}


@pytest.mark.parametrize("name", OTHER)
def test_a_field_that_differs_arrives_and_the_others_stay(name: str) -> None:
    after = replace(BEFORE, **{name: OTHER[name]})
    found = with_change(BEFORE, changed(BEFORE, after))
    assert found == after
    for field in set(OTHER) - {name, "history"}:
        assert getattr(found, field) is getattr(BEFORE, field)


def test_all_fields_may_differ_and_none() -> None:
    after = Agent(**OTHER)
    assert with_change(BEFORE, changed(BEFORE, after)) == after
    assert with_change(after, changed(after, BEFORE)) == BEFORE
    assert with_change(BEFORE, changed(BEFORE, BEFORE)) == BEFORE


def test_what_was_lived_before_is_not_sent() -> None:
    after = replace(BEFORE, history=(*LIVED, Lived(50, 900, 1.0)))
    assert len(changed(BEFORE, after)) < 60


def test_stars_for_something_lived_before_arrive() -> None:
    first = replace(LIVED[0], stars=5)
    after = replace(BEFORE, history=(first, *LIVED[1:], Lived(50, 900, 1.0)))
    assert with_change(BEFORE, changed(BEFORE, after)) == after
