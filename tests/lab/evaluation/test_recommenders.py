from __future__ import annotations

import math

import numpy as np
import pytest

from audience.errors import BadInput
from audience.lab.evaluation import (
    InteractionColumns,
    check_offline,
    leave_last,
    measures,
    plain_scores,
)
from audience.lab.evaluation.recommenders import scored
from audience.recommenders import Markov, Popular, Random, Recommender, Social
from audience.world import Catalogue, Ints, Item, SocialGraph, Ties

CATALOGUE = Catalogue(tuple(Item(number, f"Item {number}") for number in range(6)))


def column(*values: int) -> Ints:
    return np.array(values, np.int64)


def in_rows(*rows: tuple[int, int, int]) -> InteractionColumns:
    """Return interactions of (user, item, moment)."""
    users, items, at = np.array(rows, np.int64).T
    return InteractionColumns(users, items, at, np.zeros(len(rows), np.int64))


LIVED = in_rows(
    (0, 1, 5), (0, 2, 9), (0, 3, 7), (1, 1, 1), (1, 2, 2), (2, 4, 3), (3, 5, 1), (3, 1, 1)
)


def test_the_last_of_each_user_in_time_is_held_out_and_ties_go_by_row() -> None:
    split = leave_last(LIVED)
    assert split.truth.users.tolist() == [0, 1, 3]
    assert split.truth.items.tolist() == [2, 2, 1]
    assert split.train.items.tolist() == [1, 3, 1, 4, 5]
    assert not len(split.spare.users)


def test_what_is_spare_is_in_neither_part() -> None:
    split = leave_last(LIVED, spare=1)
    assert (split.truth.users.tolist(), split.truth.items.tolist()) == ([0], [2])
    assert split.spare.items.tolist() == [3]
    assert split.train.items.tolist() == [1, 1, 2, 4, 5, 1]


def test_nothing_to_find_is_refused() -> None:
    with pytest.raises(BadInput, match="nobody has 2 interactions"):
        leave_last(in_rows((0, 1, 1), (1, 2, 1)))


def test_measures_are_those_of_the_place_where_the_truth_stands() -> None:
    slates = np.array([[4, 2, 0], [1, 3, 5], [7, 8, -1]])
    found = measures(slates, np.array([0, 1, 2]))
    assert found["recall"].tolist() == [1.0, 1.0, 0.0]
    assert found["ndcg"].tolist() == [1 / math.log2(4), 1.0, 0.0]
    assert found["mrr"].tolist() == [1 / 3, 1.0, 0.0]


def test_coverage_and_gini_are_over_the_whole_catalogue() -> None:
    split = leave_last(LIVED)
    even = scored("even", np.array([[0, 1], [2, 3], [4, 5]]), split, 6)
    assert (even.values["coverage"], even.values["gini"]) == (1.0, 0.0)
    same = scored("same", np.array([[0, 1], [0, 1], [0, 1]]), split, 6)
    assert same.values["coverage"] == pytest.approx(1 / 3)
    assert same.values["gini"] == pytest.approx(2 / 3)
    assert "gini" not in same.bounds


def test_known_items_are_not_shown_and_the_truth_can_always_be_found() -> None:
    # User 0 lived item 1 before and again at the end: it must not be barred.
    split = leave_last(in_rows((0, 1, 1), (0, 2, 2), (0, 1, 3), (1, 1, 1), (1, 3, 2)))
    popular = check_offline(split, CATALOGUE, 2, {"popular": Popular()}, k=1)[0]
    assert popular.values["recall"] == 0.5
    everything = check_offline(split, CATALOGUE, 2, {"random": Random()}, k=6)[0]
    assert everything.values["recall"] == 1.0


def test_a_recommender_that_knows_better_scores_better_and_ties_reach_it() -> None:
    chain = [(user, (user + step) % 6, step) for user in range(6) for step in range(4)]
    ring = Ties.of(6, list(range(6)), [(user + 1) % 6 for user in range(6)], [0] * 6, [1.0] * 6)
    kinds: dict[str, Recommender] = {
        "markov": Markov(reach=1, recent=1),
        "social": Social(),
        "popular": Popular(),
    }
    split = leave_last(in_rows(*chain))
    scores = check_offline(split, CATALOGUE, 6, kinds, k=1, ties=SocialGraph(ring))
    by_name = {one.recommender: one.values["recall"] for one in scores}
    assert by_name["markov"] == by_name["social"] == 1.0
    assert by_name["popular"] < 1.0


def test_scores_are_plain_and_equal_by_seed() -> None:
    split = leave_last(LIVED)
    one, two = (
        plain_scores(check_offline(split, CATALOGUE, 4, {"random": Random()}, k=2, seed=3), 3)
        for _ in range(2)
    )
    assert one == two
    assert (one["seed"], one["users"], one["k"]) == (3, 3, 2)


def test_k_must_fit_the_catalogue() -> None:
    with pytest.raises(BadInput, match="k is 7; give 1 to 6"):
        check_offline(leave_last(LIVED), CATALOGUE, 4, {"random": Random()}, k=7)
