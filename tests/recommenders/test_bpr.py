from __future__ import annotations

import numpy as np
import pytest
from tests.recommenders.conftest import Make, Show

from audience.recommenders import BPR, lived_matrix
from audience.recommenders.bpr import others_for, summed
from audience.world import rng

CAMPS = [
    (who, what) for who in range(8) for what in range(8) if who % 2 == what % 2 and who != what
]


def test_each_camp_is_shown_its_own(lived: Make, shown: Show) -> None:
    ranker = BPR(factors=8, epochs=300, rate=0.01, batch=8).fit(lived(CAMPS), rng(0, "fit"))
    for who in range(8):
        seen = tuple(what for one, what in CAMPS if one == who)
        assert shown(ranker, who, 1, exclude=seen)[0] % 2 == who % 2


def test_others_are_items_that_were_not_lived(lived: Make) -> None:
    matrix = lived_matrix(lived(CAMPS))
    who = np.repeat(np.arange(8), 200)
    drawn = others_for(who, matrix, rng(0, "draw"))
    assert not matrix.toarray()[who, drawn].any()
    # 5 of 8 items are left to each, all drawn about equally often
    counts = np.bincount(drawn[who == 0], minlength=8)
    assert (counts > 0).tolist() == [True, True, False, True, False, True, False, True]
    assert counts[counts > 0].min() > 20


def test_somebody_who_lived_everything_does_no_harm(lived: Make, shown: Show) -> None:
    everything = [(0, item) for item in range(8)] + [(1, 2)]
    ranker = BPR(factors=2, epochs=2).fit(lived(everything), rng(0, "fit"))
    assert sorted(shown(ranker, 0, 8)) == list(range(8))


def test_sums_are_by_row() -> None:
    values = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
    rows, total = summed(np.array([7, 3, 7, 0]), values)
    assert rows.tolist() == [0, 3, 7]
    assert total.ravel().tolist() == pytest.approx([4.0, 2.0, 4.0])
