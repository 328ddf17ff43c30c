"""Agent4Rec's memory: facts and emotions apart, pauses, and options that make no sense."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace
from tests.memory.conftest import Words, life_of, person, some_dice

from audience.errors import BadInput
from audience.memory import Agent4RecMemory
from audience.world import events as e


def test_facts_and_emotions_are_kept_apart_and_coming_in_is_not_kept() -> None:
    memory = Agent4RecMemory(embedder=Words())
    lived = (
        e.Woke(0, 1),
        e.Entered(0, "recommender"),
        e.SlateShown(0, (0, 1), 0),
        e.Watched(0, 0, 1.0),
        e.Rated(0, 0, 5),
        e.Felt(0, 0, "It moved me."),
        e.SlateShown(0, (2, 3), 1),
        e.Watched(0, 3, 0.2),
        e.Left(0, 0.4),
    )
    entries = asyncio.run(memory.consolidate(life_of(person(), *lived), some_dice(1)))
    kept = [one.event for one in entries if isinstance(one.event, e.Remembered)]
    stores = {one.store for one in kept if "opened" in one.text}
    assert stores == {"sensory"}
    told = {one.kind: one.text for one in kept if one.store == "long"}
    assert set(told) == {"factual", "emotional"}
    moved = [one.kind for one in kept if "It moved me" in one.text]
    assert moved == ["emotional"]


@pytest.mark.parametrize(
    ("every", "pages", "pauses"),
    [(2, 0, False), (2, 1, False), (2, 2, True), (2, 4, True), (3, 4, False), (0, 2, False)],
)
def test_one_pauses_after_so_many_pages(every: int, pages: int, pauses: bool) -> None:
    me = person()
    me = replace(me, situation=replace(me.situation, pages=pages))
    assert Agent4RecMemory(embedder=Words(), every=every).pause(me) is pauses


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"every": -1}, "every is -1"),
        ({"decay": 0.0}, "decay is 0.0"),
        ({"decay": 1.5}, "decay is 1.5"),
        ({"budget": -5}, "budget is -5"),
        ({"consolidation": "fused"}, "asks a model"),
        ({"consolidation": "fusd"}, "did you mean 'fused'"),
    ],
)
def test_options_that_make_no_sense_are_refused(wrong: dict[str, object], why: str) -> None:
    with pytest.raises(BadInput, match=why):
        Agent4RecMemory(embedder=Words(), **wrong)  # type: ignore[arg-type]
