from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from msgspec.structs import replace

from audience.errors import BadInput
from audience.lab.probing import Asker, Probed, ProbeTable, knowledge
from audience.lab.probing.knowledge_probe import (
    FreeAnswer,
    bucket,
    by_heart,
    chosen_next,
    drawn,
    has_numbers,
    recognised,
    rows_of,
)
from audience.lab.probing.result import ProbeRow
from audience.lab.probing.town import DRESSES, Town, listed
from audience.llm import Request
from audience.llm.fake import Fake
from audience.world import Catalogue, Genesis, Item, World, same

Serving = Callable[..., AbstractContextManager[Fake]]


def by_name(rows: list[ProbeRow] | tuple[ProbeRow, ...]) -> dict[str, ProbeRow]:
    return {f"{one.part}: {one.what}": one for one in rows}


def text_of(request: Request) -> str:
    return request.messages[-1].content


@pytest.fixture(scope="module")
def numbered(town: Town) -> Town:
    """The same people with items that bear numbers, as MovieLens does."""
    old = town.genesis
    items = tuple(replace(item, key=str(item.id + 1)) for item in old.catalogue.items)
    catalogue = Catalogue(items, old.catalogue.tags)
    made = Genesis(catalogue, old.profiles, old.ties, old.clock, old.domain, old.past)
    return Town("MovieLens 1M", made, World(made), 1)


class Oracle:
    """Knows every real title, and nothing else."""

    def __init__(self, town: Town) -> None:
        self.items = {item.title: item for item in town.genesis.catalogue.items}
        self.lines = [listed(item) for item in town.genesis.catalogue.items]
        self.by_key = {item.key: item for item in town.genesis.catalogue.items}

    def __call__(self, request: Request) -> str:
        text = text_of(request)
        title = re.search(r"<([^<>]+)>", text)
        item = self.items.get(title[1]) if title else None
        match request.purpose:
            case "year":
                return json.dumps({"year": (item.year if item else 0) or 0})
            case "kinds":
                return json.dumps({"kinds": list(item.tags) if item else []})
            case "exists":
                return "yes" if item else "no"
            case "by heart" if "number" in text.splitlines()[0]:
                key = re.search(r"number (\d+) there", text)
                assert key
                return json.dumps({"title": self.by_key[key[1]].title})
            case "by heart":
                last = text.split("\n\n")[0].splitlines()
                shown = [line for line in last if "::" in line]
                return json.dumps({"line": self.lines[self.lines.index(shown[-1]) + 1]})
        return "A"


def test_who_knows_the_real_titles_knows_no_others(scripted: Any, town: Town) -> None:
    items = drawn(town, 20, None)
    door = scripted(Oracle(town))
    found = by_name(asyncio.run(recognised(door.asker(), town, items, None)))
    assert found["real titles: year is right"].value == 1.0
    assert found["real titles: overlap of kinds"].value == 1.0
    assert found["real titles: is taken to exist"].value == 1.0
    for dress in ("masked", "invented"):
        assert found[f"{dress} titles: year is right"].value == 0.0
        assert found[f"{dress} titles: says it does not know the year"].value == 1.0
    assert found["invented titles: is taken to exist"].value == 0.0
    assert found["real less invented: is taken to exist"].value == 1.0
    assert "masked titles: is taken to exist" not in found


def test_each_dress_is_asked_about_under_its_own_name(scripted: Any, town: Town) -> None:
    items = drawn(town, 4, None)
    door = scripted(Oracle(town))
    asyncio.run(recognised(door.asker(), town, items, None))
    asyncio.run(chosen_next(door.asker(), town))
    years = [text_of(one) for one in door.asked if one.purpose == "year"]
    assert len(set(years)) == len(DRESSES) * len(items)
    assert sum(f"<{item.title}>" in text for item in items for text in years) == len(items)
    choices = [text_of(one) for one in door.asked if one.purpose == "choice"]
    assert len(set(choices)) == len(choices)
    assert sum("<film " in text for text in choices) * 3 == len(choices)


def test_unreadable_is_wrong_where_there_is_a_right_answer(scripted: Any, town: Town) -> None:
    door = scripted(lambda _: "Well, who knows")
    rows = asyncio.run(recognised(door.asker(), town, drawn(town, 6, None), None))
    found = by_name(rows)
    assert (found["real titles: year is right"].value, rows[0].unreadable) == (0.0, 6)
    silent = found["invented titles: is taken to exist"]
    assert (silent.value, silent.count, silent.unreadable) == (None, 0, 6)


def test_a_catalogue_is_known_by_heart_or_it_is_not(scripted: Any, numbered: Town) -> None:
    items = drawn(numbered, 12, None)
    found = by_name(asyncio.run(by_heart(scripted(Oracle(numbered)).asker(), numbered, items)))
    for what in ("title of a number", "next line of the file"):
        assert found[f"by heart: {what}"].value == 1.0
        assert found[f"by heart: {what}"].chance == 0.0
    one_title = numbered.genesis.catalogue[items[0].id].title
    door = scripted(lambda _: json.dumps({"title": one_title, "line": f"1::{one_title}::x"}))
    same_always = by_name(asyncio.run(by_heart(door.asker(), numbered, items)))
    number = same_always["by heart: title of a number"]
    assert number.value == number.chance == pytest.approx(1 / len(items))


def test_the_choice_never_shows_the_truth_in_the_history(scripted: Any, town: Town) -> None:
    door = scripted(lambda _: "A")
    found = by_name(asyncio.run(chosen_next(door.asker(), town)))
    real = found["choice: next of 6 found, real titles"]
    assert real.chance == pytest.approx(1 / 6)
    assert real.count > 5
    assert found["choice: share of the next: real less masked titles"].value == 0.0
    people = [who for who in town.people if len(town.person(who).history) > 1]
    for who, request in zip(people, door.asked, strict=False):
        truth = f"<{town.item(town.person(who).history[-1].item).title}>"
        before, _, options = text_of(request).partition("Which one of these")
        assert truth in options
        assert truth not in before


def test_a_title_that_makes_surer_shows_before_it_decides(scripted: Any, town: Town) -> None:
    people = [who for who in town.people if len(town.person(who).history) > 1]
    truths = {town.item(town.person(who).history[-1].item).title for who in people}

    def scores(request: Request) -> tuple[float, ...]:
        lines = re.findall(r"^[A-F]\) <([^<>]+)>", text_of(request), re.M)
        return tuple(-1.0 - (line not in truths) for line in lines)

    found = by_name(asyncio.run(chosen_next(scripted(lambda _: "A", scores).asker(), town)))
    gap = found["choice: share of the next: real less masked titles"]
    assert gap.value is not None
    assert 0.1 < gap.value < 0.3


def test_titles_that_nobody_told_are_counted(scripted: Any, town: Town) -> None:
    def says(request: Request) -> str | None:
        text = text_of(request)
        if request.purpose != "interview":
            return "A"
        lived = re.search(r"^- <([^<>]+)>", text, re.MULTILINE)
        heard = re.search(r"Heard of from others:\n- <([^<>]+)>", text)
        assert lived
        assert heard
        words = f"I saw <{lived[1]}>, heard of <{heard[1]}>, dream of <The Tin Almanac of Vestby>"
        return json.dumps({"answer": words})

    rows = asyncio.run(knowledge(scripted(says).asker(), town, items=2)).rows
    found = by_name(rows)
    assert found["free speech: answers that mention a title"].value == 1.0
    assert found["free speech: … in no catalogue"].value == pytest.approx(1 / 3, abs=0.02)
    assert found["free speech: … of the catalogue, but never met"].value == 0.0


def test_a_title_of_the_catalogue_that_was_never_met_counts_too() -> None:
    speeches = [FreeAnswer(0, 2, 1, 1), FreeAnswer(1, 0, 0, 0), FreeAnswer(2, unreadable=True)]
    found = by_name(rows_of(speeches, 1))
    assert found["free speech: titles they cannot know, of those mentioned"].value == 0.5
    assert found["free speech: … of the catalogue, but never met"].value == 0.25
    some = found["free speech: answers that mention a title"]
    assert (some.value, some.unreadable) == (0.5, 1)


def test_years_fall_into_stretches_and_are_drawn_evenly(town: Town) -> None:
    def of(year: int | None, cutoff: int | None = None) -> str:
        return bucket(Item(0, "x", year=year), cutoff)

    assert [of(1950), of(1995), of(2023), of(None)] == [
        "before 1970",
        "1990 to 1999",
        "since 2020",
        "no year",
    ]
    assert [of(2014, 2014), of(2015, 2014)] == ["2010 to 2014", "after 2014"]
    chosen = drawn(town, 30, 2014)
    counts = [sum(bucket(item, 2014) == name for item in chosen) for name in
              {bucket(item, 2014) for item in chosen}]  # fmt: skip
    assert max(counts) - min(counts) <= 1
    assert len({item.id for item in chosen}) == 30
    with pytest.raises(BadInput, match="--items 0"):
        drawn(town, 0, None)


def test_only_published_numbers_are_asked_for(town: Town, numbered: Town) -> None:
    assert not has_numbers(town)
    assert has_numbers(numbered)
    assert same(numbered.genesis.catalogue[0].title)


def test_a_model_without_knowledge_finds_nothing_and_is_resumed_for_nothing(
    serving: Serving, probed: Callable[..., Probed], town: Town
) -> None:
    async def work(asker: Asker) -> ProbeTable:
        return await knowledge(asker, town, items=8)

    with serving(scores="echo") as fake:
        first = probed(work, fake.url)
        asked = fake.requests
        again = probed(work, fake.url)
        assert fake.requests == asked
    found = by_name(first.rows)
    assert found["real titles: year is right"].value == 0.0
    assert first.model == "fake"
    assert (first.scored, first.chosen) == (first.chosen, 8 * 2 + 3 * len(_choosers(town)))
    assert (again.rows, again.spent.calls) == (first.rows, 0)
    assert again.spent.reused == first.spent.calls > 0
    assert any("not asked" in note for note in first.notes)


def _choosers(town: Town) -> list[int]:
    return [who for who in town.people if len(town.person(who).history) > 1]
