"""The sentence of each study turns when its numbers turn."""

from __future__ import annotations

import pytest
from tests.experiments.studies.planted import verdict

CASES = [
    ("cocoon", "k0", "five_entropy", "last five picks is {} with k0 than with random", 1.0),
    ("cocoon", "k5", "click_rate", "click rate is {} with k5 than with k0", 1.0),
    ("conformity", "swayed", "moved", "towards friends are {} with swayed than with alone", 1.0),
    ("word-of-mouth", "deaf", "told_lift", "good word is {} with deaf than with talking", 1.0),
    ("drift", "ease", "taste_moved", "its beginning is {} with ease than with random", 1.0),
    ("filter-bubble", "refitted", "five_top", "picks is {} with refitted than with random", 1.0),
]


@pytest.mark.parametrize(("name", "arm", "metric", "said", "level"), CASES)
def test_a_sentence_turns_with_its_numbers(
    name: str, arm: str, metric: str, said: str, level: float
) -> None:
    higher = verdict(name, {arm: {metric: level + 0.5}})
    lower = verdict(name, {arm: {metric: level - 0.5}})
    same = verdict(name, {})
    assert said.format("higher") in higher
    assert said.format("lower") in lower
    assert said.format("higher") not in same
    assert said.format("lower") not in same
    assert "could be shown" in same


JUDGED = [
    ("conformity", "swayed", "pull", "are drawn towards", "are drawn away", "no pull towards"),
    ("word-of-mouth", "talking", "told_lift", "more often", "less often", "no difference in picks"),
    ("drift", "ease", "nearer_than_strangers", "come nearer", "move away", "no drift towards"),
    ("filter-bubble", "refitted", "page_top_growth", "page grows", "page shrinks", "no growth"),
]


@pytest.mark.parametrize(("name", "arm", "metric", "above", "below", "neither"), JUDGED)
def test_a_number_is_judged_against_zero(
    name: str, arm: str, metric: str, above: str, below: str, neither: str
) -> None:
    assert above in verdict(name, {arm: {metric: 0.5}})
    assert below in verdict(name, {arm: {metric: -0.5}})
    assert neither in verdict(name, {arm: {metric: 0.0}}).lower()
