from __future__ import annotations

import pytest

from audience.agents.voiced.lexicon import akin, mood_of, runs_of, verbs, weight_of, words


def test_words_are_lower_case_and_without_possession() -> None:
    assert words("The Cook’s one-eyed dog, 1997!") == ["the", "cook", "one-eyed", "dog"]


@pytest.mark.parametrize(
    ("text", "mood"),
    [
        ("I loved it.", 1),
        ("I did not love it.", -1),
        ("Not bad at all.", 1),
        ("It was boring and dull.", -2),
        ("I gave up.", -1),
        ("It was not for me, but I liked it.", 0),
        ("It made my day.", 1),
        ("Nothing at all.", 0),
        ("I expected a gripping story, but it was boring.", -2),
        ("I was expecting it to be dull.", 1),
    ],
)
def test_a_text_has_a_mood(text: str, mood: int) -> None:
    assert mood_of(text) == mood


def test_the_words_of_the_story_do_not_count() -> None:
    assert mood_of("the boring clerk", ["boring", "clerk"]) == 0
    assert weight_of("boring") == -1


@pytest.mark.parametrize(
    "text",
    [
        "the girl hires a marshal",
        "the shuttle is destroyed",
        "the two strangers meet at the buffet",
        "the general wins battles",
        "the couple hide among the women",
        "the girl tracks down the killer",
    ],
)
def test_something_happens(text: str) -> None:
    assert verbs(text.split()) >= 1


@pytest.mark.parametrize(
    "text",
    [
        "the girl and the marshal",
        "the sailors' mutiny in 1905",
        "the minutely timed plan to rob a racetrack",
        "the engineer in the resistance",
        "the maker of miniature houses and her inheritance",
    ],
)
def test_nothing_happens(text: str) -> None:
    assert verbs(text.split()) == 0


def test_forms_of_a_word_are_akin() -> None:
    known = {"organised", "hunts", "one-eyed", "small", "town"}
    for word in ("organized", "hunting", "one-eyed", "small-town"):
        assert akin(word, known), word
    for word in ("orchid", "smoke", "eye"):
        assert not akin(word, known), word


def test_runs_are_every_row_of_words() -> None:
    assert runs_of(["a", "b", "c"], 2) == [("a", "b"), ("b", "c")]
    assert runs_of(["a"], 2) == []
