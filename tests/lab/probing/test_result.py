from __future__ import annotations

import math

import pytest

from audience.lab.probing.result import interval, mean_of, row, statistic_row


def test_unreadable_answers_are_counted_and_left_out_or_scored() -> None:
    answers = [(0, 1.0), (1, 0.0), (2, None), (3, 1.0)]
    left_out = row("p", "w", answers, seed=1)
    assert left_out.value == pytest.approx(2 / 3)
    assert (left_out.count, left_out.unreadable) == (3, 1)
    wrong = row("p", "w", answers, seed=1, unread=0.0)
    assert (wrong.value, wrong.count, wrong.unreadable) == (0.5, 4, 1)


def test_the_interval_is_over_people_and_not_over_answers() -> None:
    apart = interval([(who, float(who % 2)) for who in range(100)], 1)
    same = interval([(who % 4, float(who % 4 % 2)) for who in range(100)], 1)
    assert apart[0] == same[0] == 0.5
    assert None not in (*apart, *same)
    assert same[2] - same[1] > 2 * (apart[2] - apart[1])  # type: ignore[operator]


def test_the_interval_does_not_hang_on_who_answered_first() -> None:
    answers = [(who, who**2 / 7) for who in range(7)]
    assert interval(answers, 1) == interval(answers[::-1], 1)


def test_where_all_agree_the_interval_is_no_point() -> None:
    value, low, high = interval([(who, 1.0) for who in range(20)], 1)
    assert value == 1.0
    assert high == pytest.approx(1.0)
    assert low is not None
    assert 0.8 < low < 0.9


def test_where_all_differences_are_equal_there_is_no_interval() -> None:
    gaps = [(who, 0.0) for who in range(4)]
    assert interval(gaps, 1, is_share=False) == (0.0, None, None)
    halves = [(who, value) for who in range(4) for value in (0.0, 1.0)]
    assert interval(halves, 1) == (0.5, None, None)


def test_nothing_has_no_value_and_one_person_no_interval() -> None:
    assert interval([], 1) == (None, None, None)
    assert interval([(0, 3.0), (0, 4.0)], 1, is_share=False) == (3.5, None, None)
    assert row("p", "w", [(0, None)], seed=1).value is None


def test_numbers_and_means_of_nothing_are_none() -> None:
    assert statistic_row("p", "w", lambda _: math.nan, 0, seed=1, count=0).value is None
    half = statistic_row("p", "w", lambda drawn: drawn.mean() / 9, 10, seed=1, count=10)
    assert half.value == 0.5
    assert half.low == pytest.approx(0.5 - 1.96 * 0.319 / math.sqrt(10), abs=0.03)
    assert mean_of([None, 1.0, 2.0]) == 1.5
    assert mean_of([None]) is None
