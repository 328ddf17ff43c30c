"""What a study remarks depends on the minds of its arms, however the scenario spells them."""

from __future__ import annotations

import pytest
from tests.lab.studies.planted import planted

from audience.lab.studies import read
from audience.lab.studies.runner import remarks_on

TEXT = """
agents = 6
rounds = 2
seeds = 1
mind = "{base}"
{rest}
[study]
kind = "{kind}"
question = "Which?"
[arms.one]
mind = {mind}
[arms.two]
mind = {mind}
recommender = "random"
"""
KINDS = ("recommender-ab", "emergency", "advertisement", "intervention", "causal")
SPELLINGS = ('"rule"', '{ kind = "rule" }')


def remarks(kind: str, base: str, mind: str, rest: str = "") -> str:
    text = TEXT.format(kind=kind, base=base, mind=mind, rest=rest)
    recipe = read(text, "mine.toml")
    return " ".join(remarks_on(recipe.study, planted(recipe, {})))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mind", SPELLINGS)
def test_arms_with_rule_minds_are_noticed(kind: str, mind: str) -> None:
    said = remarks(kind, "llm", mind)
    assert "Rule minds" in said or "rule minds" in said


@pytest.mark.parametrize("kind", KINDS)
def test_a_rule_memory_is_no_rule_mind(kind: str) -> None:
    said = remarks(kind, "rule", '"llm"', 'memory = { kind = "rule" }')
    assert "ule minds" not in said


@pytest.mark.parametrize(
    ("kind", "option"), [("conformity", "conform = 0.3"), ("explanation", "reason = 0.5")]
)
def test_what_is_by_construction_is_said_where_the_minds_have_it(kind: str, option: str) -> None:
    assert "Rule minds" in remarks(kind, "rule", f'{{ kind = "rule", {option} }}')
    assert "Rule minds" not in remarks(kind, "rule", '"rule"', 'title = "conform, reason = 1"')


@pytest.mark.parametrize(("of", "is_drawn"), [("films", True), ("books", True), ("x.csv", False)])
def test_drawn_pasts_are_said_to_be_drawn(of: str, is_drawn: bool) -> None:
    said = remarks("feedback", "rule", '"rule"', f'dataset = {{ kind = "held-out", of = "{of}" }}')
    assert ("drawn here" in said) == is_drawn
