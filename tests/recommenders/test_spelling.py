from __future__ import annotations

import pytest

from audience.recommenders.search import Spelling, allowed, distance, triples

WORDS = ("godfather", "grandfather", "interstate", "stellar", "story", "it", "star")


@pytest.mark.parametrize(
    ("one", "other", "slips"),
    [
        ("", "abc", 3),
        ("kitten", "sitting", 3),
        ("godfahter", "godfather", 1),
        ("ca", "abc", 3),
        ("star", "star", 0),
    ],
)
def test_distance_counts_slips_and_a_swap_as_one(one: str, other: str, slips: int) -> None:
    assert distance(one, other) == slips
    assert distance(other, one) == slips


def test_close_spellings_are_found() -> None:
    spelling = Spelling(WORDS)
    for wrong in ("godfathr", "goodfather", "godfahter", "gotfather"):
        assert WORDS[spelling.near(wrong)[0][0]] == "godfather"


def test_without_a_close_spelling_words_that_look_alike_are_given_less_weight() -> None:
    found = dict(Spelling(WORDS).near("interstellar"))
    assert {WORDS[place] for place in found} >= {"stellar", "interstate"}
    assert max(found.values()) < 0.5


def test_nothing_looks_like_letters_nobody_uses() -> None:
    assert Spelling(WORDS).near("qqqq") == []
    assert Spelling(()).near("story") == []


def test_as_many_slips_as_are_allowed_are_still_close() -> None:
    spelling = Spelling(("story",))
    assert spelling.near("storz", loose=False) == [(0, 0.9)]
    assert spelling.near("stuvy", loose=False) == []


def test_short_words_bear_no_slip() -> None:
    assert [allowed(word) for word in ("it", "its", "story", "interstellar")] == [0, 1, 1, 3]
    assert triples("it") == {"\x02it", "it\x03"}
