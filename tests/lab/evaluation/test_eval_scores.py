from __future__ import annotations

import math

import pytest

from audience.lab.evaluation.planted_facts import AskedFact, scored
from audience.results import wilson


def asked(
    person: int, important: bool, repeats: int, age: int, found: bool, tokens: int = 10
) -> AskedFact:
    return AskedFact((1, person), important, repeats, age, found, tokens, 7)


def test_what_should_last_and_what_should_fade() -> None:
    assert asked(0, True, 3, 24, True).should_last
    assert asked(0, True, 0, 1, True).should_last
    assert not asked(0, True, 1, 24, True).should_last
    assert not asked(0, False, 5, 1, True).should_last
    assert asked(0, False, 0, 5, True).should_fade
    assert not asked(0, False, 1, 24, True).should_fade
    assert not asked(0, True, 0, 24, True).should_fade


def test_shares_and_their_intervals_are_over_people() -> None:
    rows = [asked(who, True, 5, 12, who % 4 != 0, 10 + who) for who in range(20)]
    rows += [asked(who, False, 0, 12, who % 2 == 0) for who in range(20)]
    score = scored("mine", rows, 1)
    assert score.lasting.mean == 0.75
    assert score.fading.mean == 0.5
    assert score.balance.mean == 0.625
    assert 0.5 < score.lasting.low < 0.75 < score.lasting.high < 0.95
    assert score.thoughts == scored("mine", rows, 1).thoughts
    assert (score.thoughts.mean, score.thoughts.low, score.thoughts.high) == (7.0, 7.0, 7.0)
    cell = next(one for one in score.cells if one.important and one.often)
    assert (cell.age, cell.recalled.mean, cell.recalled.count) == (12, 0.75, 20)
    empty = next(one for one in score.cells if one.important and not one.often)
    assert math.isnan(empty.recalled.mean)


def test_facts_of_one_person_are_no_independent_evidence() -> None:
    many = [asked(who, True, 5, 12, who % 2 == 0) for who in range(10) for _ in range(40)]
    few = [asked(who, True, 5, 12, who % 2 == 0) for who in range(10)]
    widths = [one.high - one.low for one in (scored("", rows, 1).lasting for rows in (many, few))]
    assert widths[0] == pytest.approx(widths[1])


def test_a_share_of_all_is_not_certain() -> None:
    score = scored("mine", [asked(who, True, 5, 12, True) for who in range(10)], 1)
    assert (score.lasting.low, score.lasting.high) == wilson(1.0, 10)
    assert score.lasting.low == pytest.approx(0.722, abs=0.001)
    assert wilson(0.0, 10)[0] == 0.0
