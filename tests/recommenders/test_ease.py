from __future__ import annotations

import numpy as np
import pytest
from tests.recommenders.conftest import Make, Show

from audience.errors import BadInput
from audience.recommenders import (
    EASE,
    ItemKNN,
    Recommender,
    lived_matrix,
    nearest,
    products,
    seen_by_recommender,
)
from audience.recommenders.ease import weights_of
from audience.world import Catalogue, Interactions, Item, rng

PAIRS = [(0, 1), (0, 2), (1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (4, 5), (4, 6), (5, 5), (6, 4)]


def test_weights_solve_the_problem_they_are_said_to(lived: Make) -> None:
    matrix = lived_matrix(lived(PAIRS))
    dense = matrix.toarray().astype(np.float64)
    found = weights_of(matrix, 2.0).astype(np.float64)
    assert np.diag(found).tolist() == [0.0] * 8
    # At the optimum the slope is nil everywhere but on the diagonal, which may not move.
    slope = dense.T @ (dense @ found - dense) + 2.0 * found
    np.fill_diagonal(slope, 0.0)
    assert np.abs(slope).max() < 1e-5


def test_products_count_who_lived_both(lived: Make) -> None:
    matrix = lived_matrix(lived(PAIRS))
    dense = matrix.toarray()
    assert np.array_equal(np.triu(products(matrix)), np.triu(dense.T @ dense))


@pytest.mark.parametrize("recommender", [EASE(0.5), ItemKNN()], ids=("ease", "item-knn"))
def test_what_goes_together_is_recommended(
    recommender: Recommender, lived: Make, shown: Show
) -> None:
    ranker = recommender.fit(lived(PAIRS), rng(0, "fit"))
    assert shown(ranker, 3, 1, exclude=(1,)) == [2]
    assert shown(ranker, 5, 1, exclude=(5,)) == [6]


@pytest.mark.parametrize("recommender", [EASE(0.5), ItemKNN()], ids=("ease", "item-knn"))
def test_what_was_lived_since_the_fit_counts(
    recommender: Recommender, lived: Make, shown: Show
) -> None:
    ranker = recommender.fit(lived(PAIRS), rng(0, "fit"))
    assert shown(ranker, 3, 1, exclude=(1, 5), lived=(5,)) == [6]
    assert shown(ranker, 99, 1, exclude=(5,), lived=(5, 5, 99)) == [6]


def test_cosines_are_those_of_the_nearest(lived: Make) -> None:
    matrix = lived_matrix(lived(PAIRS))
    found = nearest(matrix, 8, 0.0).toarray()
    assert found[1, 2] == pytest.approx(3 / (4 * 3) ** 0.5, abs=1e-5)
    assert found[5, 6] == pytest.approx(1 / 2**0.5, abs=1e-5)
    assert np.diag(found).tolist() == [0.0] * 8
    known = nearest(matrix, 8, 0.0, products(matrix)).toarray()
    assert np.array_equal(known, found)
    shrunk = nearest(matrix, 8, 10.0).toarray()
    assert shrunk[1, 2] == pytest.approx(3 / (12**0.5 + 10.0), abs=1e-5)


def test_only_so_many_neighbours_are_kept(lived: Make) -> None:
    rows = [(person, item) for person in range(8) for item in range(8) if (person + item) % 3]
    kept = nearest(lived_matrix(lived(rows)), 2, 0.0).toarray()
    assert (kept > 0).sum(axis=0).tolist() == [2] * 8


def test_what_was_rated_low_is_not_learnt_from(lived: Make) -> None:
    rows = [(0, 1, 5), (0, 2, 1), (1, 3, 0)]
    matrix = lived_matrix(lived(rows), min_stars=3).toarray()
    assert np.argwhere(matrix).tolist() == [[0, 1], [1, 3]]


@pytest.mark.parametrize(
    ("recommender", "items"), [(EASE(), 10_001), (ItemKNN(), 50_001)], ids=("ease", "item-knn")
)
def test_a_catalogue_too_large_is_refused_with_another_way(
    recommender: Recommender, items: int
) -> None:
    large = Interactions(Catalogue(tuple(Item(n, "") for n in range(items))), 1)
    with pytest.raises(BadInput, match=r"at most \d+,000 items .* has \d+,001; use 'als' or"):
        recommender.fit(seen_by_recommender(large), rng(0, "fit"))
