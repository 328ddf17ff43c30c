from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest

from audience.lab.probing import Asker, Probed, ProbeTable, town_of
from audience.lab.probing.sensitivity import (
    PAGE,
    PagePick,
    by_letter,
    by_place,
    by_wording,
    overlap,
    page_of,
)
from audience.lab.probing.town import Town
from audience.llm import Request
from audience.llm.fake import Fake

Serving = Callable[..., AbstractContextManager[Fake]]


def answer(*places: int) -> str:
    picks = [{"place": one, "watched": "all", "stars": 4, "feeling": "Fine."} for one in places]
    reply = {"fits": "well", "picks": picks, "next": "leave", "search": "", "satisfaction": 7}
    return json.dumps(reply)


def shown(request: Request) -> list[str]:
    """Return the titles of the page in their order."""
    return re.findall(r"^\[\d+\] (<[^>]+>)", request.messages[-1].content, re.M)


def test_every_item_stands_everywhere_once(town: Town) -> None:
    pages = [page_of(town, 3, turn) for turn in range(PAGE)]
    assert all(len({page[place] for page in pages}) == PAGE for place in range(PAGE))
    lived = {one.item for one in town.person(3).history}
    assert not lived & set(pages[0])


def test_one_who_always_takes_the_first_shows(scripted: Any, town: Town) -> None:
    door = scripted(lambda _: answer(1))
    found = {one.what: one for one in asyncio.run(by_place(door.asker(), town))}
    assert found["picked at the first place"].value == 1.0
    assert found["picked at the fifth place"].value == 0.0
    assert found["picked at the fifth place"].chance == pytest.approx(0.2)
    assert found["first less last place"].value == 1.0
    assert found["overlap of picks in two orders"].value == 0.0


def test_one_who_follows_the_item_does_not(scripted: Any, town: Town) -> None:
    def says(request: Request) -> str:
        titles = shown(request)
        return answer(titles.index(min(titles)) + 1)

    door = scripted(says)
    found = {one.what: one for one in asyncio.run(by_place(door.asker(), town))}
    assert found["picked at the first place"].value == pytest.approx(0.2)
    assert found["first less last place"].value == pytest.approx(0.0)
    assert found["overlap of picks in two orders"].value == 1.0


def test_letters_are_scored_where_the_endpoint_scores(scripted: Any, town: Town) -> None:
    door = scripted(lambda _: "E", lambda request: (0.0, -50.0, -50.0, -50.0, -50.0))
    asker = door.asker()
    found = asyncio.run(by_letter(asker, town))
    assert [one.value for one in found] == pytest.approx([1.0, 0.0, 0.0, 0.0, 0.0])
    assert asker.scored == asker.chosen == PAGE * len(town.people)
    silent = asyncio.run(by_letter(scripted(lambda _: "hm").asker(), town))
    assert {(one.value, one.unreadable) for one in silent} == {(None, PAGE * len(town.people))}


def test_other_words_are_really_sent_and_a_change_shows(scripted: Any, town: Town) -> None:
    def says(request: Request) -> str | None:
        text = request.messages[-1].content
        if "Imagine that this is you" in text:
            return answer(1, 2)
        return None if "Your task" in text else answer(1)

    door = scripted(says)
    found = {one.what: one for one in asyncio.run(by_wording(door.asker(), town))}
    people = len(town.people)
    assert len({one.messages[-1].content for one in door.asked}) == 4 * people
    assert len({one.key for one in door.asked}) == 5 * people
    assert found["own words, asked twice: overlap of picks"].value == 1.0
    assert found["wording 1: overlap of picks"].value == 1.0
    assert found["wording 2: overlap of picks"].value == 0.5
    assert found["wording 2: share picked, less own words"].value == pytest.approx(0.2)
    assert found["wording 2: mean stars, less own words"].value == 0.0
    refused = found["wording 3: share picked, less own words"]
    assert (refused.value, refused.unreadable) == (None, people)


def test_nothing_picked_twice_is_the_same() -> None:
    def picked(*items: int) -> PagePick:
        return PagePick(0, (1, 2, 3), frozenset(items))

    assert overlap(picked(), picked()) == 1.0
    assert overlap(picked(1), picked()) == 0.0
    assert overlap(picked(1, 2), picked(2, 3)) == pytest.approx(1 / 3)
    assert overlap(picked(1), PagePick(0, (1,), None)) is None


def test_a_model_that_looks_at_nothing_picks_every_place_alike(
    serving: Serving, probed: Callable[..., Probed]
) -> None:
    many = town_of("films", 40, 1)

    async def work(asker: Asker) -> ProbeTable:
        return ProbeTable((*await by_place(asker, many), *await by_letter(asker, many)))

    with serving(scores="echo") as fake:
        found = probed(work, fake.url)
    places = [one for one in found.rows if one.what.startswith("picked at")]
    assert all(one.unreadable == 0 for one in places)
    for one in places:
        assert one.value == pytest.approx(one.chance, abs=0.14)
    gap = next(one for one in found.rows if one.what == "first less last place")
    # Four standard errors of what 200 pages show by chance.
    assert abs(gap.value or 0.0) < 0.2
    assert sum(one.value or 0.0 for one in found.rows if one.part == "letter") == pytest.approx(1.0)
