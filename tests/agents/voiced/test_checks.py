from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from audience.agents.voiced import Titles, first_good
from audience.agents.voiced.checks import fault, joined
from audience.agents.voiced.voice import Facts, beginning

ABOUT = "A stubborn girl of fourteen hires a one-eyed marshal to track her father's killer."
GOOD = Facts("feeling", "True Grit", ABOUT, stars=5)
BEGUN = "I loved <True Grit>, above all"
TITLES = Titles(("True Grit", "The Thing", "Up", "Heat", "Stand by Me"))
STARS = {"good": 5, "mixed": 3, "bad": 1}

with (Path(__file__).parent / "voice_lines.tsv").open(encoding="utf-8") as _file:
    LINES = list(csv.DictReader(_file, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.mark.parametrize(
    "row", LINES, ids=lambda row: f"{row['fault'] or 'good'}:{row['rest'][:30]}"
)
def test_what_the_embedded_model_really_said(row: dict[str, str]) -> None:
    facts = Facts("feeling", row["title"], row["about"], stars=STARS[row["mood"]])
    line = joined(row["beginning"], row["rest"])
    assert fault(line, facts, begun=row["beginning"]) == row["fault"], line


def test_the_corpus_has_good_and_bad_lines_of_every_sort() -> None:
    assert len(LINES) >= 60
    assert {row["fault"] for row in LINES} >= {"", "echo", "drifts", "phrase", "title", "invents"}


@pytest.mark.parametrize(
    ("rest", "found"),
    [
        ("the girl and the marshal.", ""),
        ("the stubborn girl who hires a one-eyed marshal.", ""),
        ("The girl and the marshal.", ""),
        ("...the girl and the marshal.", ""),
        ('"the girl and the marshal."', ""),
        ("I loved <True Grit>, above all the girl and the marshal.", ""),
        ("the girl and the marshal. Assistant: what else?", ""),
        ("the girl and the marshal", "unfinished"),
        ("the girl and the", "unfinished"),
        ("the girl and the marshal...", "unfinished"),
        ("", "length"),
        ("the girl " * 20 + ".", "length"),
        ("the girl and the marshal of <Heat>.", "title"),
        ("the girl of <True Grit>.", "title"),
        ("the marshal of True Grit.", "title"),
        ("the girl and the marshal of Stand by Me.", "other title"),
        ('the girl in "Up" and the marshal.', "other title"),
        ("the girl: see https://example.org/marshal.", "form"),
        ("user: the girl and the marshal.", "form"),
        ("the girl and the marshal as an AI language model.", "form"),
        ("**the girl** and the marshal.", "form"),
        ("[the girl] and the marshal.", "form"),
        ("{name} the girl and the marshal.", "form"),
        ("the girl and the marshal \U0001f600\U0001f600.", "form"),
        ("das störrische Mädchen und sein Marschall.", "language"),
        ("девочка и маршал.", "language"),
        ("the girl and the marshal 女孩.", "language"),
        ("the girl and Tom Hanks.", "invents"),
        ("the girl of 1997 and the marshal.", "invents"),
        ("the two sisters and the baker.", "echo"),
        ("the girl and the marshal, I loved the girl.", "echo"),
        ("the girl and the girl.", "repeats"),
        ("the boring girl and the terrible marshal.", "mood"),
        ("the girl hires the marshal.", "phrase"),
        ("in the girl and the marshal.", "phrase"),
        ("the spaceship and the robot.", "drifts"),
        ("the girl and the robot.", "drifts"),
    ],
)
def test_the_checks_name_what_is_wrong(rest: str, found: str) -> None:
    line = joined(BEGUN, rest)
    assert fault(line, GOOD, TITLES) == found, line


def test_what_happens_must_happen() -> None:
    facts, begun = Facts("feeling", "True Grit", ABOUT, stars=1), "<True Grit> lost me when"
    for rest in (
        "the girl hires a marshal.",
        "the girl is fourteen.",
        "the stubborn girl tracks down her father's killer.",
    ):
        assert fault(f"{begun} {rest}", facts, begun=begun) == "", rest
    for rest in (
        "the girl and her father.",
        "the stubborn girl.",
        "the one-eyed marshal of the girl.",
    ):
        assert fault(f"{begun} {rest}", facts, begun=begun) == "phrase", rest


def test_two_lines_are_no_line() -> None:
    assert fault(f"{BEGUN} the girl\nand the marshal.", GOOD) == "form"


@pytest.mark.parametrize("stars", [1, 2, 3])
def test_praise_does_not_pass_for_a_low_rating(stars: int) -> None:
    facts = Facts("feeling", "True Grit", ABOUT, stars=stars)
    begun = "I loved <True Grit>, a wonderful film, great and moving, above all"
    assert fault(f"{begun} the girl and the marshal.", facts, begun=begun) == "mood"


def test_words_of_the_story_carry_no_mood() -> None:
    about = "A great friend turns into a terrible, boring ghost."
    facts = Facts("feeling", "True Grit", about, stars=5)
    assert fault(f"{BEGUN} the terrible, boring ghost.", facts) == ""


def test_the_first_that_passes_is_said_and_the_reason_tells_why() -> None:
    said = ["the girl and the", "the girl and the robot.", "the girl and the marshal.", "x"]
    good = first_good(said, GOOD, TITLES)
    assert good is not None
    assert good.text == "I loved <True Grit>, above all the girl and the marshal."
    assert good.reason == "line 3 of 4 (unfinished, drifts)"


def test_nothing_good_is_none() -> None:
    assert first_good(["", "the spaceship."], GOOD, TITLES) is None
    assert first_good([], GOOD) is None


def test_a_place_has_no_article() -> None:
    facts = Facts("feeling", "True Grit", "A puppet leaves the Casbah for Italy.", stars=5)
    assert fault(f"{BEGUN} the puppet and the Italy.", facts) == "spelling"
    assert fault(f"{BEGUN} the puppet and the italy.", facts) == "spelling"
    assert fault(f"{BEGUN} the puppet and the Casbah.", facts) == ""


def test_only_whole_long_titles_count_outside_quotes() -> None:
    assert TITLES.named("They stand by me, and the thing is up.") == ""
    assert TITLES.named("I saw The Thing.") == "The Thing"
    assert TITLES.named("I saw “Heat” again.") == "Heat"
    assert TITLES.named("It was Heat.") == ""


def test_the_own_title_in_the_story_is_no_other_title() -> None:
    facts = Facts("feeling", "Heat", "A thief and a detective meet in The Thing.", stars=5)
    line = f"{beginning(facts)} the thief and the detective."
    assert fault(line, facts, TITLES) == ""


@given(st.text(max_size=200))
def test_no_text_breaks_the_checks(text: str) -> None:
    good = first_good([text], GOOD, TITLES)
    if good is not None:
        assert good.text.startswith(BEGUN)
        assert "\n" not in good.text
        assert 4 <= len(good.text.split()) <= 40
