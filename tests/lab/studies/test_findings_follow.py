"""The sentence of each study turns when its numbers turn."""

from __future__ import annotations

import pytest
from tests.lab.studies.planted import verdict

from audience.lab.studies import NAMES
from audience.lab.studies.causal import PAIRS

CASES = [
    ("cocoon", "k0", "five_entropy", "last five picks is {} with k0 than with random", 1.0),
    ("cocoon", "k5", "click_rate", "click rate is {} with k5 than with k0", 1.0),
    ("conformity", "swayed", "moved", "towards friends is {} with swayed than with alone", 1.0),
    ("word-of-mouth", "deaf", "told_lift", "good word is {} with deaf than with talking", 1.0),
    ("drift", "ease", "taste_moved", "its beginning is {} with ease than with random", 1.0),
    ("filter-bubble", "refitted", "page_top_growth", "is {} with refitted than with fitted", 1.0),
    (
        "homogenisation",
        "refitted",
        "alike_picks",
        "consumed is {} with refitted than with random",
        1.0,
    ),
    ("popularity", "ease", "tail_picked", "consumption is {} with ease than with random", 1.0),
    ("cold-start", "ease", "new_shown", "share is {} with ease than with random", 1.0),
    ("intervention", "changed", "new_picks", "are {} with changed than with original", 1.0),
    ("emergency", "announced", "item_picks", "wards are {} with announced than with quiet", 1.0),
    ("advertisement", "everybody", "item_picks", "are {} with everybody than with silent", 1.0),
    ("explanation", "reasons", "click_rate", "lick rate is {} with reasons than with hidden", 1.0),
    ("human-touch", "played 33", "match_picked", "picked is {} with played 33 than with rul", 1.0),
    ("recommender-ab", "ease", "satisfaction", "faction is {} with ease than with popular", 1.0),
    ("spread", "influential", "reach_early", "is {} with influential than with anybody", 1.0),
    ("feedback", "ease", "ndcg_gain", "clicks is {} with ease than with random", 1.0),
    ("causal", "popular", "edge_popularity_shown", "is {} with popular than with random", 1.0),
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
    ("conformity", "swayed", "moved_growth", "is larger", "is smaller", "between one friend"),
    ("word-of-mouth", "talking", "told_lift", "more often", "less often", "no difference in picks"),
    ("drift", "ease", "nearer_than_strangers", "come nearer", "move away", "no drift towards"),
    ("filter-bubble", "refitted", "page_top_growth", "page grows", "page shrinks", "no growth"),
    (
        "homogenisation",
        "refitted",
        "alike_excess",
        "more than with",
        "less than with",
        "no difference",
    ),
    ("popularity", "ease", "gap_shown", "shown more popular", "shown less popular", "no change in"),
    ("cold-start", "ease", "newcomer_gap", "served better", "served worse", "no difference betw"),
    ("feedback", "ease", "ndcg_gain", "clicks helps", "clicks does harm", "no gain by retraining"),
    ("explanation", "unheeded", "explained_lift", "picked more even", "picked less", "no prefer"),
]


@pytest.mark.parametrize(("name", "arm", "metric", "above", "below", "neither"), JUDGED)
def test_a_number_is_judged_against_zero(
    name: str, arm: str, metric: str, above: str, below: str, neither: str
) -> None:
    assert above in verdict(name, {arm: {metric: 0.5}})
    assert below in verdict(name, {arm: {metric: -0.5}})
    assert neither in verdict(name, {arm: {metric: 0.0}}).lower()


def test_the_strongest_arrows_are_told_and_none_where_seeds_disagree() -> None:
    nil = {f"edge_{one}_{other}": 0.0 for one, other in PAIRS}
    strong = nil | {"edge_quality_rating": 0.8, "edge_shown_picked": -0.4}
    said = verdict("causal", {"popular": strong})
    assert said.index("quality → mean rating +0.80") < said.index("exposure → picks −0.40")
    assert "could be shown that seeds agree on" in verdict("causal", {"popular": nil}).lower()


def test_all_studies_have_a_sentence_that_turns() -> None:
    assert {name for name, *_ in CASES} == set(NAMES)
