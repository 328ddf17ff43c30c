"""What people do and say, counted from chapters whose shares are known."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from audience.agents import RuleMind
from audience.lab.probing import Asker, Probed, ProbeTable, behaviour, compared_minds
from audience.lab.probing.behaviour_probe import (
    REAL_STARS,
    Deeds,
    PageSeen,
    behaviour_rows,
    lived_in,
    order_rows,
    pleasing_rows,
    probed_run,
    visited,
)
from audience.lab.probing.result import ProbeRow
from audience.lab.probing.town import Town
from audience.llm import Request
from audience.llm.fake import Fake
from audience.runs import start
from audience.scenario import parse
from audience.world import events as e

Serving = Callable[..., AbstractContextManager[Fake]]


def chapter(who: int, *events: e.AnyEvent, phase: int = e.VISITS, calls: int = 0) -> e.Chapter:
    """Return a chapter whose first entry was decided with some calls."""
    keys = tuple(f"{who}.{phase}.{n}" for n in range(calls))
    entries = [e.Entry(event, "", keys if not n else ()) for n, event in enumerate(events)]
    return e.Chapter(1, phase, 0, who, tuple(entries))


def page(who: int, number: int = 0, *, surface: str = "recommender") -> e.SlateShown:
    return e.SlateShown(who, (10, 11, 12, 13, 14), number, surface)


def picked(who: int, place: int, stars: int, text: str = "") -> list[e.AnyEvent]:
    item = 9 + place
    felt = [e.Felt(who, item, text)] if text else []
    fraction = 1.0 if stars > 2 else 0.5
    taken = (e.Picked(who, item, place - 1), e.Watched(who, item, fraction))
    return [*taken, e.Rated(who, item, stars), *felt]


CHAPTERS = (
    chapter(
        1,
        e.Woke(1, 0),
        page(1),
        *picked(1, 1, 5, "I loved <I Hate You> and its wonderful end."),
        page(1, 1),
        e.Searched(1, "Salt  mine", 2),
        page(1, surface="search"),
        e.Left(1),
        calls=1,
    ),
    chapter(
        2,
        e.Woke(2, 0),
        page(2),
        *picked(2, 1, 1, "He was wonderful."),
        *picked(2, 3, 4, "Fine."),
        e.Left(2),
        calls=2,
    ),
    chapter(3, e.Searched(3, "salt mine", 1), e.Searched(3, "Salt Mine ", 1), e.Left(3)),
    chapter(4, e.Failed(4, "page: no JSON"), e.Left(4), calls=2),
    chapter(
        1,
        e.Said(1, 2, "It rained all day."),
        e.Unfounded(1, ("Nowhere",)),
        e.Said(2, 1, "It rained all night."),
        phase=e.CONVERSATIONS,
    ),
    chapter(2, e.Posted(2, "1.2.0", "It rained all day!"), phase=e.VISITS),
)


@pytest.fixture(scope="module")
def rows() -> dict[tuple[str, str], ProbeRow]:
    return {(row.part, row.what): row for row in behaviour_rows(lived_in(CHAPTERS), 1)}


def test_pages_are_numbered_within_a_visit_and_end_somehow() -> None:
    lived = lived_in(CHAPTERS)
    assert lived.pages == [
        PageSeen(1, 1, (1,), "page"),
        PageSeen(1, 2, (), "search"),
        PageSeen(1, 3, (), "leave"),
        PageSeen(2, 1, (1, 3), "leave"),
    ]
    assert (lived.visits, lived.calls) == (5, 5)


@pytest.mark.parametrize(
    ("part", "what", "value", "count"),
    [
        ("pages", "nothing is picked", 2 / 4, 4),
        ("pages", "of picks, at place 1", 2 / 3, 3),
        ("pages", "of picks, at place 2", 0.0, 3),
        ("pages", "of picks, at place 3", 1 / 3, 3),
        ("steps", "leave after page 1", 1 / 2, 2),
        ("steps", "leave after page 2", 0.0, 1),
        ("steps", "leave after page 3", 1.0, 1),
        ("steps", "search after a page", 1 / 4, 4),
        ("steps", "of searches, repeated in the visit", 1 / 3, 3),
        ("ratings", "5 stars", 1 / 3, 3),
        ("ratings", "1 star", 1 / 3, 3),
        ("ratings", "3 stars", 0.0, 3),
        ("ratings", "mean share watched", 2.5 / 3, 3),
        ("ratings", "watched to the end", 2 / 3, 3),
        ("feelings", "in the first person", 1 / 3, 3),
        ("feelings", "of he or she alone", 1 / 3, 3),
        ("feelings", "one or two words", 1 / 3, 3),
        ("feelings", "said for the first time", 1.0, 3),
        # Words of a title are not the person's own: "i loved", "loved and", ..., "he was", ...
        ("feelings", "distinct pairs of words", 1.0, 7),
        ("feelings", "contradict the stars", 1 / 3, 3),
        ("talk", "name a title not met", 1 / 3, 3),
        ("talk", "said for the first time", 2 / 3, 3),
        ("talk", "distinct pairs of words", 4 / 9, 9),
        ("asking", "decisions repaired", 2 / 3, 3),
        ("asking", "decisions unreadable", 1 / 3, 3),
    ],
)
def test_shares_are_those_of_the_chapters(
    rows: dict[tuple[str, str], ProbeRow], part: str, what: str, value: float, count: int
) -> None:
    found = rows[part, what]
    assert found.value == pytest.approx(value)
    assert found.count == count


def test_what_is_known_of_people_stands_beside_it(
    rows: dict[tuple[str, str], ProbeRow],
) -> None:
    assert sum(REAL_STARS.values()) == pytest.approx(1.0)
    assert rows["ratings", "4 stars"].chance == REAL_STARS[4]
    places = [rows["pages", f"of picks, at place {place}"].chance for place in range(1, 6)]
    assert sum(chance or 0.0 for chance in places) == pytest.approx(1.0)
    assert places == sorted(places, key=lambda chance: -(chance or 0.0))
    assert rows["steps", "of searches, repeated in the visit"].chance == 0.0
    assert rows["pages", "nothing is picked"].chance is None


def test_where_nobody_did_anything_nothing_is_said() -> None:
    rows = behaviour_rows(lived_in(()), 1, "rule")
    assert {row.value for row in rows} == {None}
    assert all(row.what.startswith("rule: ") for row in rows)
    assert "asking" not in {row.part for row in rows}
    assert lived_in(()) == Deeds()


def taking(*places: int) -> str:
    picks = [{"place": place, "watched": "all", "stars": 4, "feeling": "I"} for place in places]
    reply = {"tempted": "yes", "picks": picks, "next": "leave", "search": "", "satisfaction": 7}
    return json.dumps(reply)


def titles(request: Request) -> list[str]:
    return re.findall(r"^\[\d+\] (<[^>]+>)", request.messages[-1].content, re.M)


def minded(scripted: Any, says: Callable[[Request], str | None], town: Town) -> Any:
    return compared_minds(scripted(says).asker(), town, "short")[0]


def test_who_follows_the_item_picks_the_same_in_any_order(scripted: Any, town: Town) -> None:
    def dearest(request: Request) -> str:
        shown = titles(request)
        return taking(shown.index(min(shown)) + 1)

    (loyal,) = asyncio.run(order_rows(minded(scripted, dearest, town), town, 1, "model"))
    assert (loyal.value, loyal.unreadable) == (1.0, 0)
    (first,) = asyncio.run(
        order_rows(minded(scripted, lambda _: taking(1), town), town, 1, "model")
    )
    assert first.value is not None
    assert first.value < 0.4
    (lost,) = asyncio.run(order_rows(minded(scripted, lambda _: "hm", town), town, 1, "model"))
    assert lost.value is None
    assert lost.unreadable == 10 * len(town.people)
    (nobody,) = asyncio.run(
        order_rows(minded(scripted, lambda _: taking(), town), town, 1, "model")
    )
    assert (nobody.value, nobody.count) == (None, 0)


def test_who_pleases_takes_what_is_hated_too(scripted: Any, town: Town) -> None:
    def honest(request: Request) -> str:
        return taking() if "- I hate " in request.messages[-1].content else taking(1)

    true = asyncio.run(pleasing_rows(minded(scripted, honest, town), town, 1, "model"))
    assert [row.value for row in true] == [1.0, 0.0]
    mind = minded(scripted, lambda _: taking(1), town)
    assert [row.value for row in asyncio.run(pleasing_rows(mind, town, 1, "model"))] == [1.0, 1.0]


def test_a_battery_compares_a_model_with_minds_that_ask_none(
    serving: Serving, probed: Callable[..., Probed], town: Town
) -> None:
    async def work(asker: Asker) -> ProbeTable:
        mind, others = compared_minds(asker, town, "full")
        assert list(others) == ["rule"]
        return await behaviour(asker, mind, others, town, rounds=1)

    with serving() as fake:
        found = probed(work, fake.url)
    parts = list(dict.fromkeys(row.part for row in found.rows))
    assert parts == "pages steps ratings feelings talk asking orders pleasing".split()
    assert {row.what.split(":")[0] for row in found.rows if row.part == "orders"} == {
        "model",
        "rule",
    }
    assert any("12 visits" in note for note in found.notes)
    unreadable = next(row for row in found.rows if row.what == "decisions unreadable")
    assert unreadable.value == 0.0
    assert found.spent.calls > 12


def test_rule_minds_live_the_same_rounds_without_a_call(town: Town) -> None:
    lived = asyncio.run(visited(RuleMind(), town, 2))
    assert lived.visits == 2 * len(town.people)
    assert lived.calls == 0
    assert lived.pages
    assert lived == asyncio.run(visited(RuleMind(), town, 2))


def test_the_table_of_a_run_is_that_of_its_log(tmp_path: Path) -> None:
    done = start(parse("agents = 30\nrounds = 2"), 1, tmp_path / "run")
    found = probed_run(tmp_path / "run", 1)
    assert (found.evaluation, found.people, found.spent.calls) == ("behaviour", 30, 0)
    rows = {row.what: row for row in found.rows}
    assert rows["of picks, at place 1"].count == done.measured.totals["picks"]
    assert "orders" not in {row.part for row in found.rows}
