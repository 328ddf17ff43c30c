from __future__ import annotations

import math

import pytest

from audience.lab.probing.consistency_probe import (
    CRITIC,
    OTHER,
    GivenStars,
    positivity,
    scale,
    spread,
)


def given(bad: int | None, good: int, people: int = 10) -> list[GivenStars]:
    return [
        GivenStars(who, repute, kind, stars)
        for who in range(people)
        for repute, stars in (("bad", bad), ("middling", 3), ("good", good))
        for kind in (CRITIC, OTHER)
    ]


def test_one_who_likes_everything_shows() -> None:
    found = {one.what: one for one in positivity(given(5, 5), 1)}
    assert found["bad item, Critic: mean stars"].value == 5.0
    low = found["bad item, Critic: 1 or 2 stars"]
    assert (low.value, low.low) == (0.0, 0.0)
    assert low.high is not None
    assert low.high > 0.1
    assert found["Critic: good less bad item"].value == 0.0


def test_unreadable_stars_are_counted_and_give_no_difference() -> None:
    found = {one.what: one for one in positivity(given(None, 5), 1)}
    bad = found["bad item, Critic: mean stars"]
    assert (bad.value, bad.unreadable) == (None, 10)
    gap = found["Critic: good less bad item"]
    assert (gap.value, gap.unreadable) == (None, 10)


def test_the_whole_scale_is_used_or_it_is_not() -> None:
    assert spread([1, 2, 3, 4, 5]) == pytest.approx(1.0)
    assert spread([4, 4, 4]) == 0.0
    assert math.isnan(spread([]))
    rows = {one.what: one for one in scale(given(1, 5), [5, 5, 5, 1], 1)}
    assert rows["1 star"].value == pytest.approx(1 / 3)
    assert rows["1 star"].chance == 0.25
    assert rows["4 stars"].value == 0.0
    even = rows["evenness of the five stars (1: all alike)"]
    assert even.value == pytest.approx(math.log(3) / math.log(5))
    nothing = scale([GivenStars(0, "bad", CRITIC, None)], [], 1)
    assert [one.value for one in nothing] == [None] * 6
