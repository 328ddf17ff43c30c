from __future__ import annotations

import numpy as np
import pytest
from tests.recommenders.conftest import Make, Show

from audience.recommenders import ALS, lived_matrix
from audience.recommenders.als import placed
from audience.world import rng

CAMPS = [
    (who, what) for who in range(8) for what in range(8) if who % 2 == what % 2 and who != what
]


@pytest.mark.parametrize("factors", [2, 5, 12])
def test_points_solve_the_weighted_least_squares(factors: int, lived: Make) -> None:
    matrix = lived_matrix(lived(CAMPS[:17]))
    others = rng(2, "others").standard_normal((8, factors)).astype(np.float32)
    found = placed(matrix, others, 0.7, 3.0)
    dense = matrix.toarray().astype(np.float64)
    for row in range(len(dense)):
        weight = np.diag(1.0 + 3.0 * dense[row])
        system = others.T @ weight @ others + 0.7 * np.eye(factors)
        wanted = np.linalg.solve(system, others.T @ weight @ (dense[row] > 0))
        assert found[row] == pytest.approx(wanted, abs=1e-4)


def test_each_camp_is_shown_its_own(lived: Make, shown: Show) -> None:
    ranker = ALS(factors=4, regularisation=0.1).fit(lived(CAMPS), rng(0, "fit"))
    for who in range(8):
        seen = tuple(what for one, what in CAMPS if one == who)
        assert shown(ranker, who, 1, exclude=seen) == [who]


def test_a_stranger_is_placed_by_what_it_lived_since(lived: Make, shown: Show) -> None:
    ranker = ALS(factors=2, regularisation=0.1).fit(lived(CAMPS), rng(0, "fit"))
    assert set(shown(ranker, 99, 2, exclude=(0, 2), lived=(0, 2))) == {4, 6}
    assert set(shown(ranker, 99, 2, exclude=(1, 3), lived=(1, 3))) == {5, 7}
