from __future__ import annotations

import numpy as np
import pytest

from audience.errors import BadInput
from audience.grounding import Lives, divergence, sessions_of
from audience.grounding.visits import shares
from audience.world import Catalogue, Item

CATALOGUE = Catalogue(tuple(Item(number, f"Item {number}") for number in range(9)))
# Person 0: a page of three and, after 50 s, a page of one; an hour and a day later one of two.
# Person 1: one pick, unrated.
ROWS = [
    (0, 0, 1000, 5.0),
    (0, 1, 1000, 4.0),
    (1, 5, 1000, 0.0),
    (0, 2, 1000, 3.5),
    (0, 3, 1050, 1.0),
    (0, 4, 91_000, 2.0),
    (0, 5, 91_000, 2.0),
]


def lives(rows: list[tuple[int, int, int, float]]) -> Lives:
    users, items, at = (np.array([row[place] for row in rows], np.int64) for place in range(3))
    return Lives(CATALOGUE, 2, users, items, at, np.array([row[3] for row in rows]))


def test_visits_pages_and_pauses_are_told_apart() -> None:
    found = sessions_of(lives(ROWS))
    assert found.users.tolist() == [0, 0, 1]
    assert found.picks.tolist() == [4, 2, 1]
    assert found.pages.tolist() == [2, 1, 1]
    assert found.per_page.tolist() == [3, 1, 2, 1]
    assert found.minutes.tolist() == [pytest.approx(50 / 60), 0.0, 0.0]
    assert found.pauses.tolist() == [50.0]
    assert found.gaps.tolist() == [90_000 / 86_400]
    assert found.has_pages


def test_stars_are_whole_and_nothing_is_no_star() -> None:
    found = sessions_of(lives(ROWS))
    assert sorted(found.stars.tolist()) == [1, 2, 2, 4, 4, 5]
    assert set(found.raters.tolist()) == {0}


def test_everybody_counts_the_same_however_often_they_came() -> None:
    found = sessions_of(lives(ROWS)).histograms()
    assert found["picks per visit"][0] == pytest.approx(0.5), "one person's only visit"
    assert found["picks per page"].tolist()[:3] == pytest.approx([2 / 3, 1 / 6, 1 / 6])


def test_how_much_was_watched_gives_the_share_that_ended() -> None:
    fractions = np.array([1.0, 1.0, 0.2, 0.3, 1.0, 0.95, 0.1])
    found = sessions_of(lives(ROWS), fractions=fractions)
    assert found.finished == pytest.approx((4 / 6 + 0.0) / 2)
    assert sessions_of(lives(ROWS), fractions=np.ones(7)).finished is None


def test_the_gap_decides_what_is_one_visit() -> None:
    assert sessions_of(lives(ROWS), gap=0.5).picks.tolist() == [3, 1, 2, 1]
    assert sessions_of(lives(ROWS), gap=2000.0).picks.tolist() == [6, 1]
    with pytest.raises(BadInput, match="more than 0"):
        sessions_of(lives(ROWS), gap=0.0)


def test_moments_of_their_own_are_no_pages() -> None:
    rows = [(0, number, 1000 + 7 * number, 3.0) for number in range(9)]
    found = sessions_of(lives(rows))
    assert not found.has_pages
    assert found.picks.tolist() == [9]


def test_nothing_to_learn_from_is_refused() -> None:
    with pytest.raises(BadInput, match="no interactions"):
        sessions_of(lives([]))


def test_shares_count_each_value_in_its_bin() -> None:
    assert shares(np.array([1, 2, 3, 3, 9]), np.array([1, 2, 3, 5])).tolist() == [
        0.2, 0.2, 0.4, 0.2,
    ]  # fmt: skip
    assert shares(np.array([], np.int64), np.array([1, 2])).tolist() == [0.0, 0.0]


def test_divergence_is_nil_for_equals_and_one_bit_for_strangers() -> None:
    half = np.array([0.5, 0.5])
    assert divergence(half, half) == 0.0
    assert divergence(np.array([1.0, 0.0]), np.array([0.0, 1.0])) == pytest.approx(1.0)
    assert 0.0 < divergence(half, np.array([0.9, 0.1])) < 1.0
