"""The people whom the tuned model was not trained on, in the data it was trained on."""

from __future__ import annotations

from pathlib import Path

import pytest

from audience.lab.evaluation import arenas, part_of_user, read_real

ML_1M = Path(__file__).parents[4] / "shared" / "data" / "ml-1m"


@pytest.mark.skipif(not ML_1M.is_dir(), reason="needs MovieLens 1M in ../shared/data/ml-1m")
@pytest.mark.slow
def test_a_sixth_of_movielens_is_unseen_and_nobody_else_is_asked() -> None:
    real = read_real(ML_1M)
    asked = {
        case.user
        for arena in arenas(real, shapes=((1, 5),), unseen=True, window=200)
        for task in (*arena.tasks, *arena.practice)
        for case in task.cases
    }
    assert 900 <= len(asked) <= 1_120
    assert {part_of_user(real.keys[user]) for user in asked} == {"test"}
