from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from audience.agents.voiced import Facts, Titles
from audience.errors import BadInput
from audience.lab.probing.questions import Asker
from audience.lab.probing.speech_probe import (
    KINDS,
    JudgedLine,
    facts_of,
    judged_line,
    speech_notes,
    speech_rows,
    spoken_lines,
)
from audience.lab.probing.town import Town, town_of
from audience.llm import Reply, Request
from audience.llm.fake import Fake
from audience.scenario import Models, SpendingOptions, door_of

Serving = Callable[..., AbstractContextManager[Fake]]
TITLES = Titles(["Quiet Harbour", "Night Bus to Nowhere"])
GOOD = Facts("post", "Quiet Harbour", "A nurse returns to her village.", stars=5)
BAD = Facts("post", "Quiet Harbour", "A nurse returns to her village.", stars=1)


@pytest.fixture(scope="module")
def town() -> Town:
    return town_of("films", 30, 1)


def test_facts_are_drawn_by_number_and_cover_every_kind_and_rating(town: Town) -> None:
    drawn = [facts_of(town, number) for number in range(200)]
    assert drawn[7] == facts_of(town, 7)
    facts = [each for _, each in drawn]
    assert {each.kind for each in facts} == set(KINDS)
    assert {each.stars for each in facts} == set(range(6))
    assert all(each.friend for each in facts if each.kind in ("opening", "reply"))
    assert all(bool(each.question) == (each.kind == "interview") for each in facts)
    assert any(not each.lived for each in facts)
    assert all(each.stars <= 2 for each in facts if each.dropped)
    assert len({who for who, _ in drawn}) > 20


@pytest.mark.parametrize(
    ("facts", "text", "is_right", "agrees"),
    [
        (GOOD, "I loved <Quiet Harbour>, a warm and moving evening.", True, True),
        (GOOD, "I hated <Quiet Harbour>, it was dull.", True, False),
        (BAD, "I hated <Quiet Harbour>, it was dull.", True, True),
        (BAD, "<Quiet Harbour> is a thing of boats.", True, False),
        (GOOD, "I loved it, a warm evening.", False, True),
        (GOOD, "I loved <Quiet Harbour> more than Night Bus to Nowhere.", False, True),
    ],
)
def test_a_line_is_judged_by_its_film_and_its_sentiment(
    facts: Facts, text: str, is_right: bool, agrees: bool
) -> None:
    line = judged_line(3, facts, text, TITLES)
    assert (line.is_right_film, line.agrees) == (is_right, agrees)
    assert bool(line.fault) == (not is_right or not agrees)


def test_three_stars_have_no_sentiment_to_agree_with() -> None:
    mixed = Facts("post", "Quiet Harbour", "A nurse.", stars=3)
    assert judged_line(0, mixed, "I loved <Quiet Harbour>.", TITLES).agrees is None


def test_no_reply_counts_as_wrong_and_pairs_of_words_are_counted_once() -> None:
    text = "I loved <Quiet Harbour>, a warm and moving evening."
    lines = [judged_line(who, GOOD, text, TITLES) for who in range(3)]
    lines.append(JudgedLine(3, GOOD, None))
    rows = {row.what: row for row in speech_rows(lines, 1)}
    for what in ("pass all checks unaided", "name the right one, and no other"):
        assert rows[what].value == pytest.approx(0.75)
    assert rows["sentiment of the rating"].value == pytest.approx(0.75)
    assert rows["distinct pairs of words"].value == pytest.approx(1 / 3)
    assert rows["pass all checks unaided: post"].count == 4
    assert rows["pass all checks unaided: reply"].count == 0
    notes = speech_notes(lines)
    assert "no reply 1" in notes[0]
    assert text in notes[1]


class Speaker:
    """Praises whatever it is asked about, whatever the opinion."""

    def __init__(self) -> None:
        self.asked: list[Request] = []

    async def ask(self, request: Request) -> Reply:
        self.asked.append(request)
        title = request.messages[-1].content.partition("<")[2].partition(">")[0]
        return Reply(request.key, "reply", (f'"I loved <{title}>, it was warm and moving."',))

    async def close(self) -> None: ...


def test_one_candidate_is_asked_for_each_line_from_the_named_model(town: Town) -> None:
    speaker = Speaker()
    asker = Asker(speaker, model="audience-135m")
    lines = asyncio.run(spoken_lines(asker, town, 60))
    assert {(one.candidates, one.model) for one in speaker.asked} == {(1, "audience-135m")}
    assert len({request.key for request in speaker.asked}) == 60
    rows = {row.what: row.value for row in speech_rows(lines, 1)}
    assert rows["name the right one, and no other"] == 1.0
    assert rows["sentiment of the rating"] is not None
    assert 0.2 < rows["sentiment of the rating"] < 0.8, "praise, whatever the rating"
    with pytest.raises(BadInput, match="--lines 0"):
        asyncio.run(spoken_lines(asker, town, 0))


def test_lines_are_asked_over_http_and_kept(town: Town, serving: Serving, tmp_path: Path) -> None:
    async def spoken(url: str) -> list[JudgedLine]:
        async with door_of(Models(url=url, model="m"), SpendingOptions(), tmp_path) as door:
            return await spoken_lines(Asker(door, model="m"), town, 5)

    with serving() as fake:
        first = asyncio.run(spoken(fake.url))
    assert asyncio.run(spoken(fake.url)) == first, "the server is gone"
    assert all(line.text and line.fault for line in first)
