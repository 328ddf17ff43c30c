from __future__ import annotations

import pytest

from audience.agents.rule import social as words
from audience.metrics import tone


@pytest.mark.parametrize(
    ("text", "strength"),
    [
        ("The council meets on Monday.", 0.0),
        ("I am worried about it.", 0.5),
        ("The council meets!", 0.5),
        ("I am so sad!", 1.0),
        ("This is OUTRAGEOUS.", 1.0),
        ("", 0.0),
        ("x" * 100_000 + " furious", 0.0),
    ],
)
def test_strong_words_and_exclamations_tell_how_a_text_is_worded(
    text: str, strength: float
) -> None:
    assert tone(text) == strength


@pytest.mark.parametrize("stance", [-1, 1])
@pytest.mark.parametrize("level", [0, 1, 2])
@pytest.mark.parametrize("draw", [0.0, 0.9])
def test_what_rule_minds_write_is_as_strong_as_they_feel(
    stance: int, level: int, draw: float
) -> None:
    assert tone(words.news("the tram", level, stance, draw)) == level / 2.0
