from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from audience.agents.voiced import Titles, first_good, line_fault
from audience.agents.voiced.checks import fault, first_whole, joined
from audience.agents.voiced.voice import Facts, beginning

ABOUT = "A stubborn girl of fourteen hires a one-eyed marshal to track her father's killer."
GOOD = Facts("feeling", "True Grit", ABOUT, stars=5)
BEGUN = "I loved <True Grit>, above all"
TITLES = Titles(("True Grit", "The Thing", "Up", "Heat", "Stand by Me"))
STARS = {"good": 5, "mixed": 3, "bad": 1}

with (Path(__file__).parent / "voice_lines.tsv").open(encoding="utf-8") as _file:
    LINES = list(csv.DictReader(_file, delimiter="\t", quoting=csv.QUOTE_NONE))
with (Path(__file__).parent / "whole_lines.tsv").open(encoding="utf-8") as _file:
    WHOLE = list(csv.DictReader(_file, delimiter="\t", quoting=csv.QUOTE_NONE))


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


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("I loved <True Grit>, above all the stubborn girl.", ""),
        ("<True Grit> is a gem. The girl and her marshal made me laugh out loud.", ""),
        ("What a ride, I could not stop smiling at <True Grit>!", ""),
        ("I’d love to see it again, <True Grit> was wonderful.", ""),
        ("At 67, as an accountant, I am hard to please, but I loved <True Grit>.", ""),
        ("I gave it 5 stars: great fun, this <True Grit>.", ""),
        ("Watch it with friends, they will love <True Grit>.", ""),
        ("Hey Bo, I think you would love <True Grit>.", ""),
        ("I loved <True Grit>", "unfinished"),
        ("I loved <True Grit>, above all the", "unfinished"),
        ("I loved <True Grit>...", "unfinished"),
        ("Loved <True Grit>.", "length"),
        ("I loved <True Grit>, " + "so good " * 20 + "really.", "length"),
        ("I loved True Grit, above all the girl.", "title"),
        ("I loved it, above all the girl.", "title"),
        ("I loved <True Grit>, <True Grit> is great.", "title"),
        ("I loved <True Grit>, yes, True Grit is great.", "title"),
        ("I loved <True Grit> more than <Heat>.", "title"),
        ("I loved <True Grit> as much as Stand by Me.", "other title"),
        ('I loved <True Grit> as much as "Heat".', "other title"),
        ("I loved <True Grit>.\nOpinion: loved it.", "form"),
        ("I loved **<True Grit>**, what a film.", "form"),
        ("Assistant: I loved <True Grit>, what a film.", "form"),
        ("As an AI I loved <True Grit>, what a film.", "form"),
        ("I loved <True Grit>, what a film \U0001f600.", "form"),
        ("Ich liebe <True Grit>, ein wunderbarer Film.", "language"),
        ("Я люблю <True Grit>, это был хороший фильм.", "language"),
        ("You: I loved <True Grit>, what a film.", "echo"),
        ("Ann has not seen it, but would love <True Grit>.", "echo"),
        ("I am a person who talks about films and loved <True Grit>.", "echo"),
        ("I loved the girl and the girl of <True Grit>.", "repeats"),
        ("I loved it, I really loved it, <True Grit> it was.", "repeats"),
        ("I loved <True Grit>. I loved it so. I loved it so.", "repeats"),
        ("I loved Tom Hanks in <True Grit>, what a film.", "invents"),
        ("I loved <True Grit>, the best film of 1997, I think.", "invents"),
        ("I gave it 2 stars: great fun, this <True Grit>.", "invents"),
        ("I loved <True Grit>, and the Casbah most of all.", "invents"),
        ("I was bored by <True Grit>, a dull film.", "mood"),
        ("I watched <True Grit> on a train last night.", "mood"),
        ("It felt like work to sit through <True Grit>.", "mood"),
    ],
)
def test_the_checks_of_a_whole_line_name_what_is_wrong(line: str, found: str) -> None:
    facts = Facts("opening", "True Grit", ABOUT, stars=5, age=67, career="accountant", friend="Bo")
    assert line_fault(line, facts, TITLES) == found, line


@pytest.mark.parametrize(
    ("line", "stars", "found"),
    [
        ("I did not like <Apollo 13>.", 1, ""),
        ("I couldn't finish <Apollo 13>, it was slow.", 2, ""),
        ("I loved every minute of <Apollo 13>.", 2, "mood"),
        ("<Apollo 13> was all right, I think, nothing more.", 3, ""),
        ("<Apollo 13> was great, moving, funny, the best I saw.", 3, "mood"),
        ("I liked how she saved <Apollo 13>.", 5, "invents"),
        ("I liked how the two brothers came home in <Apollo 13>.", 5, "invents"),
        ("I am in two minds, but I liked <Apollo 13> well enough.", 5, ""),
        ("I liked the houston scenes of <Apollo 13>.", 5, "spelling"),
    ],
)
def test_a_whole_line_has_the_mood_and_the_people_of_its_facts(
    line: str, stars: int, found: str
) -> None:
    facts = Facts("feeling", "Apollo 13", "An astronaut calls Houston for help.", stars=stars)
    assert line_fault(line, facts) == found, line


def test_a_verdict_in_a_word_of_the_story_counts_and_the_story_itself_does_not() -> None:
    facts = Facts("feeling", "Love Actually", "A great love ends in a boring town.", stars=5)
    assert line_fault("I love <Love Actually>, what a story.", facts) == ""
    assert line_fault("The great love of <Love Actually> is in a town.", facts) == "mood"


def test_the_first_whole_line_that_passes_is_said_without_its_quotes() -> None:
    good = first_whole(["I loved it.", '"I loved <True Grit>, what a film."'], GOOD, TITLES)
    assert good is not None
    assert good.text == "I loved <True Grit>, what a film."
    assert good.reason == "line 2 of 2 (title)"
    assert first_whole(["", "I loved it."], GOOD) is None


@given(st.text(max_size=200))
def test_no_text_breaks_the_checks_of_whole_lines(text: str) -> None:
    for said in (text, f"I loved <True Grit>, {text}"):
        if not line_fault(said, GOOD, TITLES):
            assert said.count("<True Grit>") == 1
            assert "\n" not in said


@pytest.mark.parametrize("row", WHOLE, ids=lambda row: row["line"][:40])
def test_what_people_may_say_passes_and_the_opposite_mood_does_not(row: dict[str, str]) -> None:
    stars, stance = int(row["stars"] or 0), float(row["stance"] or 0.0)
    facts = Facts(
        "reply",
        "True Grit",
        ABOUT,
        stars=stars,
        stance=stance,
        lived=bool(stars),
        career="nurse",
        friend="Bo",
    )
    assert line_fault(row["line"], facts, TITLES) == "", row["line"]
    if facts.mood != "mixed":
        other = replace(facts, stars=6 - stars if stars else 0, stance=-stance)
        assert line_fault(row["line"], other, TITLES) == "mood", row["line"]
