from __future__ import annotations

import numpy as np
import pytest
from tests.recommenders.conftest import Make, Show

from audience.recommenders import LightGCN, lived_matrix
from audience.recommenders.lightgcn import Neighbours
from audience.recommenders.scored import Scores
from audience.world import rng

CAMPS = [
    (who, what) for who in range(8) for what in range(8) if who % 2 == what % 2 and who != what
]


def test_each_camp_is_shown_its_own(lived: Make, shown: Show) -> None:
    ranker = LightGCN(factors=8, epochs=60, batch=8).fit(lived(CAMPS), rng(0, "fit"))
    for who in range(8):
        seen = tuple(what for one, what in CAMPS if one == who)
        assert shown(ranker, who, 1, exclude=seen)[0] % 2 == who % 2


def test_layers_are_those_of_the_whole_graph(lived: Make) -> None:
    matrix = lived_matrix(lived([*CAMPS, (0, 1), (3, 4)]))
    people, items = matrix.shape
    whole = np.zeros((people + items, people + items))
    whole[:people, people:] = matrix.toarray() > 0
    whole += whole.T
    roots = np.sqrt(np.maximum(whole.sum(axis=1), 1.0))
    whole /= roots[:, None] * roots[None, :]
    points = rng(1, "points").standard_normal((people + items, 3))
    wanted = (points + whole @ points + whole @ whole @ points) / 3.0
    found = Neighbours(matrix, 2).evened(points.astype(np.float32))
    assert found == pytest.approx(wanted, abs=1e-5)


def test_slopes_are_those_of_the_loss(lived: Make) -> None:
    matrix = lived_matrix(lived(CAMPS))
    graph = Neighbours(matrix, 2)
    draw = rng(2, "slopes")
    points = draw.standard_normal((sum(matrix.shape), 3)).astype(np.float32)
    rows = np.array([0, 1, 5, 0, 9 + 2, 9 + 3, 9 + 7, 9 + 4, 9 + 1, 9 + 6, 9 + 0, 9 + 5])
    made = LightGCN(factors=3, regularisation=0.5)

    def loss(at: Scores) -> float:
        me, good, poor = np.split(graph.evened(at)[rows].astype(np.float64), 3)
        own = 0.5 * 0.5 * (at[rows].astype(np.float64) ** 2).sum() / len(me)
        return float(np.log1p(np.exp(-(me * (good - poor)).sum(axis=1))).mean() + own)

    slopes = made.slopes(points, graph, rows)
    for row, factor in ((0, 0), (3, 1), (9 + 2, 2), (9 + 5, 0), (8, 1)):
        step = np.zeros_like(points)
        step[row, factor] = 1e-2
        change = (loss(points + step) - loss(points - step)) / 2e-2
        assert slopes[row, factor] == pytest.approx(change, abs=2e-3)


def test_an_empty_past_does_no_harm(lived: Make, shown: Show) -> None:
    ranker = LightGCN(factors=2, epochs=2).fit(lived([]), rng(0, "fit"))
    assert shown(ranker, 0, 8) == list(range(8))
