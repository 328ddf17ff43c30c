from __future__ import annotations

import asyncio
import math
from typing import Any

import pytest

from audience.errors import Halt
from audience.lab.probing import Asker
from audience.lab.probing.questions import whole
from audience.llm import ChatMessage, OptionChoice, Reply, Request, Unreadable, together
from audience.llm.choice import named, softmax

ASK = (ChatMessage("user", "Which?"),)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("B", 1),
        (" b. ", 1),
        ("**C**", 2),
        ("A", 0),
        ("A) the first one", 0),
        ("The answer is B.", 1),
        ('{"answer": "C"}', 2),
        ("A quiet story about friends.", None),
        ("It is a film with a heart.", None),
        ("A good choice is C.", 2),
        ("B or C", None),
        ("", None),
        ("none of them", None),
    ],
)
def test_a_letter_is_read_only_where_it_is_meant(text: str, place: int | None) -> None:
    assert named(text, "ABC") == place


def test_words_are_read_like_letters() -> None:
    assert named("Yes, there is.", ("yes", "no")) == 0
    assert named("I think no", ("yes", "no")) == 1
    assert named("yes and no", ("yes", "no")) is None


def test_scores_become_shares() -> None:
    shares = softmax((-1.0, -1.0 + math.log(3.0)))
    assert shares == pytest.approx((0.25, 0.75))
    assert sum(softmax((-2000.0, 0.0, -3.0))) == pytest.approx(1.0)
    assert OptionChoice(1, shares).share(0) == pytest.approx(0.25)
    assert OptionChoice(1).share(1) == 1.0
    assert OptionChoice(None).share(0) is None


def test_only_whole_numbers_within_bounds_count() -> None:
    assert [whole(one, 1, 5) for one in (3, 3.0, "4", " 5 ")] == [3, 3, 4, 5]
    assert [whole(one, 1, 5) for one in (0, 6, 2.5, "many", None, True, [1])] == [None] * 7


def test_log_probabilities_go_before_words(scripted: Any) -> None:
    door = scripted(lambda _: "A", lambda request: (-3.0, -0.1, -4.0))
    asker = door.asker()
    found = asyncio.run(asker.choose("t", ASK, "1", "ABC"))
    assert found.place == 1
    assert (asker.chosen, asker.scored) == (1, 1)
    plain = scripted(lambda _: "A").asker()
    assert asyncio.run(plain.choose("t", ASK, "1", "ABC")) == OptionChoice(0)
    assert (plain.chosen, plain.scored) == (1, 0)


@pytest.mark.parametrize("said", ["no idea", "[1, 2]", None])
def test_what_is_no_object_is_unreadable_and_not_asked_again(scripted: Any, said: str) -> None:
    door = scripted(lambda _: said)
    found = asyncio.run(door.asker().read("t", ASK, "1", {"type": "object"}))
    assert isinstance(found, Unreadable)
    assert len(door.asked) == 1


def test_after_a_halt_nothing_more_is_asked() -> None:
    class Spent:
        asked = 0

        async def ask(self, request: Request) -> Reply:
            self.asked += 1
            raise Halt("the budget is spent")

        async def close(self) -> None: ...

    door = Spent()
    asker = Asker(door, at_once=1)
    with pytest.raises(Halt, match="budget"):
        asyncio.run(_all(asker))
    assert door.asked == 1


async def _all(asker: Asker) -> None:
    await together([asker.choose("t", ASK, str(number), "AB") for number in range(9)])


def test_endpoints_without_a_name_share_no_answers(scripted: Any) -> None:
    doors = [scripted(lambda _: "A") for _ in range(3)]
    for door, where in zip(doors, ("http://one/v1", "http://two/v1", ""), strict=True):
        asyncio.run(Asker(door, where=where).choose("t", ASK, "1", "AB"))
    assert len({door.asked[0].key for door in doors}) == 3


def test_a_model_is_known_by_what_it_replied_and_not_by_what_failed(scripted: Any) -> None:
    asker = scripted(lambda request: "A" if "good" in request.salt else None).asker()
    for salt in ("good", "bad", "good too"):
        asyncio.run(asker.choose("t", ASK, salt, "AB"))
    assert asker.answered_by == {"scripted": 2}
