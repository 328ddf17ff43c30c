"""Tastes that a model writes from what people rated."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from audience.agents.language import WrittenPeople, write_tastes
from audience.agents.language.taste import phrases_in
from audience.llm import Endpoint, Reply, Unreadable, open_gateway
from audience.llm.fake import Fake
from audience.llm.fake_model import Faults
from audience.testing import tiny_genesis
from audience.world import Genesis, Past

Serving = Callable[..., AbstractContextManager[Fake]]


def rated() -> Genesis:
    """Return a small world in which the first two people rated something."""
    past = (Past(0, 1, 10, stars=5), Past(0, 2, 20, stars=1), Past(1, 0, 30))
    return tiny_genesis(past=past)


def write(serving: Serving, folder: Path, **manners: Any) -> tuple[WrittenPeople, int]:
    async def work(url: str) -> WrittenPeople:
        folder.mkdir(exist_ok=True)
        async with open_gateway([Endpoint(url=url)], store=folder / "calls.db", tries=1) as door:
            return await write_tastes(rated(), door, model="fake")

    with serving(**manners) as fake:
        return asyncio.run(work(fake.url)), fake.requests


def test_people_with_a_past_get_phrases_and_nothing_is_paid_twice(
    serving: Serving, tmp_path: Path
) -> None:
    written, asked = write(serving, tmp_path)
    assert asked == written.asked == 2
    assert [bool(row) for row in written.people][:3] == [True, True, False]
    assert all(1 <= len(row["taste"].split("|")) <= 3 for row in written.people[:2])
    assert written.unfilled == []
    again, asked = write(serving, tmp_path)
    assert (again.people, asked) == (written.people, 0)


def test_what_cannot_be_read_is_asked_again_and_told(serving: Serving, tmp_path: Path) -> None:
    written, asked = write(serving, tmp_path, faults=Faults({"broken": 1.0}))
    assert asked == 4
    assert (written.asked, written.malformed) == (4, 4)
    assert written.unfilled == [f"row {n}: taste could not be filled" for n in (1, 2)]
    assert not any(written.people)


def test_titles_are_no_taste(serving: Serving, tmp_path: Path) -> None:
    titles = [rated().catalogue[item].title for item in (0, 1, 2)]
    said = json.dumps({"likes": [titles[0], titles[1], "films about the sea"]})
    written, _ = write(serving, tmp_path, says={"": said})
    assert written.people[0] == {"taste": f"{titles[0]}|films about the sea"}
    alone, _ = write(serving, tmp_path / "alone", says={"": json.dumps({"likes": titles[:1]})})
    assert (alone.people[1], alone.unfit) == ({}, 2)


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        (
            '{"likes": ["I like slow crime stories.", "dry humour"]}',
            ["slow crime stories", "dry humour"],
        ),
        (
            '{"likes": ["a|b", "x", "a|b", "war films", "noir", "westerns"]}',
            ["a/b", "war films", "noir"],
        ),
        ('["quiet dramas"]', ["quiet dramas"]),
        ('{"likes": "quiet dramas"}', ["quiet dramas"]),
        ('{"likes": [3, ""]}', []),
    ],
)
def test_phrases_are_read_without_their_opening(text: str, phrases: list[str]) -> None:
    assert phrases_in(Reply("", "reply", (text,))) == phrases


def test_a_reply_without_a_list_is_unreadable() -> None:
    assert isinstance(phrases_in(Reply("", "reply", ('{"likes": 3}',))), Unreadable)
    assert isinstance(phrases_in(Reply("", "refusal", why="no")), Unreadable)
