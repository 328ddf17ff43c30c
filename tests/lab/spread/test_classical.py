from __future__ import annotations

import numpy as np
import pytest

from audience.datasets.people import directed
from audience.lab.spread import (
    Network,
    degroot,
    friedkin_johnsen,
    independent_cascade,
    linear_threshold,
    voter,
)

LINE = Network(5, np.array([1, 2, 3, 4]), np.array([0, 1, 2, 3]))
"""Each follows the one before."""
STAR = Network(6, np.array([1, 2, 3, 4, 5]), np.zeros(5, np.int64))
CROWD = Network.of(directed(2_000, 1, "random", 8.0, 0.0))


def test_a_sure_cascade_goes_one_tie_a_step() -> None:
    assert independent_cascade(LINE, [0], 1.0, 6, 1).tolist() == [1, 2, 3, 4, 5, 5, 5]
    assert independent_cascade(LINE, [2], 1.0, 3, 1).tolist() == [1, 2, 3, 3]
    assert independent_cascade(LINE, [0], 0.0, 3, 1).tolist() == [1, 1, 1, 1]


def test_a_tie_carries_with_its_chance_and_is_tried_once() -> None:
    ends = [independent_cascade(STAR, [0], 0.3, 9, seed)[-1] - 1 for seed in range(400)]
    assert np.mean(ends) == pytest.approx(1.5, abs=0.15)


def test_a_slow_cascade_ends_where_a_fast_one_does() -> None:
    fast = independent_cascade(CROWD, [0, 1, 2], 0.3, 60, 1)
    slow = independent_cascade(CROWD, [0, 1, 2], 0.3, 300, 1, speed=0.2)
    assert fast[-1] == slow[-1] > 1_000
    assert slow[5] < fast[5]
    assert (np.diff(slow) >= 0).all()
    late = (independent_cascade(LINE, [0], 1.0, 200, s, speed=0.1) < 2 for s in range(300))
    waits = [int(one.sum()) for one in late]
    assert np.mean(waits) == pytest.approx(10.0, abs=1.8)


def test_thresholds_are_met_by_the_share_that_is_active() -> None:
    assert linear_threshold(LINE, [0], 0.01, 5, 1).tolist() == [1, 2, 3, 4, 5, 5]
    two = Network(3, np.array([2, 2]), np.array([0, 1]))
    met = [linear_threshold(two, [0], 0.5, 1, seed)[-1] == 2 for seed in range(600)]
    assert np.mean(met) == pytest.approx(0.5, abs=0.07)
    assert linear_threshold(two, [], 0.5, 3, 1).tolist() == [0, 0, 0, 0]


def test_more_chance_and_lower_thresholds_reach_more() -> None:
    low, high = (independent_cascade(CROWD, range(10), p, 30, 1)[-1] for p in (0.05, 0.4))
    assert low < high
    easy, hard = (linear_threshold(CROWD, range(40), t, 30, 1)[-1] for t in (0.1, 0.8))
    assert hard < easy


def test_voters_take_the_view_of_one_they_follow() -> None:
    rows = voter(LINE, np.array([1.0, -1, -1, -1, -1]), 4, 1)
    assert rows[:, 4].tolist() == [-1, -1, -1, -1, 1]
    assert rows[-1].tolist() == [1, 1, 1, 1, 1]
    many = voter(CROWD, np.where(np.arange(2_000) < 600, 1.0, -1.0), 5, 2)
    assert set(np.unique(many)) == {-1.0, 1.0}
    assert (many[-1] > 0).mean() == pytest.approx(0.3, abs=0.12)
    alone = Network(2, np.array([], np.int64), np.array([], np.int64))
    assert voter(alone, np.array([1.0, -1.0]), 3, 1)[-1].tolist() == [1.0, -1.0]


def test_degroot_comes_to_one_mind_where_everybody_is_connected() -> None:
    views = np.linspace(-1.0, 1.0, 2_000)
    rows = degroot(CROWD, views, 60)
    low, high = np.quantile(rows[-1], (0.01, 0.99))  # some follow nobody
    assert high - low < 0.05
    pair = degroot(Network(2, np.array([1]), np.array([0])), np.array([1.0, 0.0]), 2)
    assert pair[:, 1].tolist() == [0.0, 0.5, 0.75]
    assert pair[:, 0].tolist() == [1.0, 1.0, 1.0]


def test_the_stubborn_keep_some_of_their_first_view() -> None:
    views = np.linspace(-1.0, 1.0, 2_000)
    rows = friedkin_johnsen(CROWD, views, 60, stubborn=0.5)
    assert np.ptp(rows[-1]) > 0.5
    assert np.allclose(friedkin_johnsen(CROWD, views, 5, stubborn=1.0)[-1], views)
    pair = friedkin_johnsen(
        Network(2, np.array([1]), np.array([0])), np.array([1.0, 0.0]), 1, stubborn=0.4, own=0.5
    )
    assert pair[1].tolist() == pytest.approx([1.0, 0.3])
