"""Moves of those who play: read, checked, and asked for one at a time."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace

from audience.errors import BadInput, Halt
from audience.runs.play import Seat
from audience.runs.play.session import move_of, objection
from audience.testing import tiny_genesis
from audience.world import Observation, Situation, World, actions as a, observe

WORLD = World(tiny_genesis())


def on_page() -> Observation:
    me = replace(WORLD.agents[3], situation=Situation(0, "recommender", (4, 5, 6), 0, 1, (4, 5, 6)))
    return observe(WORLD, me, 0)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "unknown"),
        ({"type": "Fly"}, "unknown"),
        ({"type": "Shift", "tag": 1, "by": 1.0}, "unknown"),
        ({"type": "Pick"}, "item"),
        ({"type": "Pick", "item": "four"}, "int"),
        ({"type": ["Pick"]}, "unknown"),
    ],
)
def test_a_move_that_cannot_be_read_is_told(given: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        move_of(given)


def test_a_move_is_an_action() -> None:
    assert move_of({"type": "Pick", "item": 4, "fraction": 0.5}) == a.Pick(4, 0.5)
    assert move_of({"type": "Nothing"}) == a.Nothing()


def test_only_what_the_page_offers_can_be_done() -> None:
    seen = on_page()
    picked: list[a.AnyAction] = [a.Pick(4)]
    assert not objection(seen, [], a.Pick(4))
    assert not objection(seen, picked, a.Rate(4, 5))
    assert not objection(seen, [], a.NextPage())
    for taken, action in (
        ([], a.Pick(7)),
        (picked, a.Pick(4)),
        ([], a.Rate(4, 5)),
        (picked, a.Rate(4, 6)),
        ([], a.Post("Hello")),
        ([], a.Nothing()),
    ):
        assert objection(seen, taken, action), action


def asked(seat: Seat, *moves: Any) -> str | None:
    """Ask a seat for a move, while these things are done to it."""

    async def both() -> str | None:
        asking = asyncio.create_task(seat.asked({"page": 0}, lambda action: ""))
        while seat.question is None and not asking.done():
            await asyncio.sleep(0.001)
        for move in moves:
            move()
        return await asking

    return asyncio.run(both())


def test_a_seat_waits_for_a_move_its_deadline_or_its_end() -> None:
    seat = Seat("s", 3, "Zoe", None)
    with pytest.raises(BadInput, match="not your turn"):
        seat.move({"type": "Nothing"})
    assert asked(seat, lambda: seat.move({"type": "Nothing"})) == '{"type":"Nothing"}'
    assert asked(Seat("s", 3, "Zoe", 0.01)) is None
    assert asked(seat, seat.leave) is None
    assert asked(seat) is None, "nobody is there any more"
    other = Seat("s", 3, "Zoe", None)
    with pytest.raises(Halt, match="Zoe was still to move"):
        asked(other, other.withdraw)


def test_a_move_answers_one_question_only() -> None:
    seat = Seat("s", 3, "Zoe", None)

    def late() -> None:
        assert seat.question is not None
        with pytest.raises(BadInput, match="that question is over"):
            seat.move({"type": "Nothing"}, seat.question.number + 1)
        seat.move({"type": "Leave"}, seat.question.number)

    assert asked(seat, late) == '{"type":"Leave","satisfaction":null,"why":""}'
