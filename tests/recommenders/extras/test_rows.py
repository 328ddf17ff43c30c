from __future__ import annotations

import numpy as np

from audience.recommenders.extras.scores import settled


def test_scores_of_any_size_keep_their_order_when_rounded() -> None:
    raw = np.array([3e-9, 1e-9, 2e-9])
    assert np.argsort(np.round(settled(raw), 6)).tolist() == [1, 2, 0]
    assert settled(raw * 1e20).tolist() == settled(raw).tolist()


def test_what_has_no_score_comes_last() -> None:
    row = settled(np.array([np.nan, -5.0, 7.0, -np.inf]))
    assert np.isfinite(row).all()
    assert row[0] == row[3] < row[1] < row[2]


def test_a_row_that_says_nothing_is_zeros() -> None:
    assert settled(np.full(3, np.nan)).tolist() == [0.0, 0.0, 0.0]
    assert settled(np.full(3, 0.25)).tolist() == [0.0, 0.0, 0.0]
    assert settled(np.array([])).tolist() == []
