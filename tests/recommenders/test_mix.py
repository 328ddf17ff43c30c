from __future__ import annotations

import numpy as np
import pytest
from tests.recommenders.conftest import Make, Show

from audience.errors import BadInput
from audience.recommenders import EASE, Mix, Popular
from audience.recommenders.mix import distances, merged
from audience.world import rng

PAIRS = [(0, 1), (0, 2), (1, 1), (1, 2), (2, 1), (3, 7), (4, 7), (5, 7), (6, 7), (7, 6)]


def test_weights_say_who_is_heard(lived: Make, shown: Show) -> None:
    own, everybody = EASE(0.5), Popular()
    alone = shown(own.fit(lived(PAIRS), rng(0, "fit")), 2, 1, exclude=(1,))
    assert alone == [2]
    for by in ("ranks", "scores"):
        ranker = Mix([own, everybody], [1.0, 0.01], by).fit(lived(PAIRS), rng(0, "fit"))
        assert shown(ranker, 2, 1, exclude=(1,)) == [2]
        ranker = Mix([own, everybody], [0.01, 1.0], by).fit(lived(PAIRS), rng(0, "fit"))
        assert shown(ranker, 2, 1, exclude=(1,)) == [7]


def test_parts_may_be_kinds_with_options(lived: Make, shown: Show) -> None:
    mix = Mix(["random", {"kind": "popular", "half_life_days": 1.0}], [0.0, 1.0])
    ranker = mix.fit(lived(PAIRS), rng(0, "fit"))
    assert shown(ranker, 2, 1) == [7]


def test_points_add_up_and_ties_go_to_the_lower_id() -> None:
    items = np.array([[3, 1, 1, 2], [0, -1, -1, -1]])
    points = np.array([[2.0, 1.0, 1.5, 2.0], [1.0, 9.0, 9.0, 9.0]])
    assert merged(items, points, 3).tolist() == [[1, 2, 3], [0, -1, -1]]


def test_distances_are_in_standard_deviations_above_the_least() -> None:
    there = np.array([[True, True, False], [True, True, True]])
    found = distances(np.array([[3.0, 1.0, np.nan], [5.0, 5.0, 5.0]]), there)
    assert found.tolist() == [[2.0, 0.0, 0.0], [0.0, 0.0, 0.0]]


def test_mistakes_are_named() -> None:
    with pytest.raises(BadInput, match="2 parts and 1 weights"):
        Mix(["popular", "random"], [1.0])
    with pytest.raises(BadInput, match="mix: by 'rank' is unknown"):
        Mix(["popular"], by="rank")
    with pytest.raises(BadInput, match="recommender 'populr' is unknown"):
        Mix(["populr"])
    with pytest.raises(BadInput, match="'popular' does not take these options"):
        Mix([{"kind": "popular", "age": 3}])
    with pytest.raises(BadInput, match="has no kind"):
        Mix([{"age": 3}])
