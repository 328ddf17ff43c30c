from __future__ import annotations

from hypothesis import given, strategies as st

from audience.memory import tokens
from audience.memory.sentences import SENTENCE, shortened


@given(st.text(max_size=3_000), st.integers(3, 60))
def test_nothing_is_longer_than_asked(text: str, most: int) -> None:
    short = shortened(text, most)
    assert tokens(short) <= most
    assert "\n" not in short


def test_short_sentences_stay_and_long_ones_are_cut_at_a_word() -> None:
    assert shortened("I  watched\n<Heat>.") == "I watched <Heat>."
    cut = shortened("word " * 200)
    assert cut.endswith("word…")
    assert tokens(cut) <= SENTENCE


def test_a_hundred_kilobytes_are_cut() -> None:
    for text in ("x" * 100_000, "é " * 50_000, "電影" * 50_000, " " * 100_000 + "end"):
        assert tokens(shortened(text)) <= SENTENCE
