from __future__ import annotations

import msgspec
from tests.lab.studies.planted import two

from audience.lab.studies.study import between, clause, is_clear, judged, level, sentence


def test_a_clear_difference_is_told_with_its_direction_and_interval() -> None:
    up, down = two(("satisfaction",), 0.5, 0.7), two(("satisfaction",), 0.7, 0.5)
    assert clause(up, "satisfaction", "a", "b").startswith("satisfaction is higher with b than")
    assert clause(down, "satisfaction", "a", "b").startswith("satisfaction is lower with b than")
    assert "(+0.200" in clause(up, "satisfaction", "a", "b")
    assert "5 seeds" in clause(up, "satisfaction", "a", "b")


def test_what_cannot_be_shown_is_said_so() -> None:
    found = two(("satisfaction",), 0.5, 0.5)
    one = between(found, "satisfaction", "a", "b")
    assert one is not None
    assert not is_clear(one)
    said = clause(found, "satisfaction", "a", "b")
    assert said.startswith("no difference in satisfaction could be shown between b and a")


def test_an_arm_that_is_not_there_is_left_out() -> None:
    found = two(("satisfaction",), 0.5, 0.7)
    assert clause(found, "satisfaction", "a", "c") == ""
    assert sentence(["", "one thing is so", ""]) == "One thing is so."
    assert sentence([""]).startswith("The arms that this study compares are missing")


def test_a_number_of_one_arm_is_judged_against_zero() -> None:
    words = {"above": "more", "below": "less", "neither": "nothing could be shown"}
    assert judged(two(("x",), 0.5, 0.0), "x", "a", **words).startswith("more (+0.5")
    assert judged(two(("x",), -0.5, 0.0), "x", "a", **words).startswith("less (−0.5")
    assert judged(two(("x",), 0.0, 0.0), "x", "a", **words).startswith("nothing could be shown")
    assert judged(two(("x",), 0.0, 0.0), "y", "a", **words).startswith("too little happened")


def test_the_interval_of_a_share_ends_where_shares_do() -> None:
    found = msgspec.structs.replace(two(("x",), 1.0, 1.0), labels={"x": ("X", "share", "")})
    assert level(found, "x", "a").endswith("1.0000]")
    assert level(found, "x", "nobody") == "–"
