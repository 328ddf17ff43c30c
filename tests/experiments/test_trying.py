from __future__ import annotations

from pathlib import Path

import pytest

from audience.errors import AudienceError
from audience.experiments import try_recommender

FICKLE = """
import numpy as np
from audience.recommenders import Random
class Mine:
    def fit(self, interactions, rng):
        self.whole = Random().fit(interactions, rng)
        return self
    def rank(self, users, k, context):
        slates = self.whole.rank(users, k, context)
        return slates if len(users) == 1 else slates[:, ::-1]
"""


@pytest.mark.parametrize("kind", ["popular", "random"])
def test_ours_serve_without_a_fault(kind: str) -> None:
    told = try_recommender(kind, people=40)
    assert told.startswith(f"{kind} served 40 people for 2 rounds")
    assert "no fault" in told


def test_one_that_ranks_a_batch_in_another_way_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(FICKLE)
    with pytest.raises(AudienceError, match="alone gets another slate than in a batch"):
        try_recommender(f"{tmp_path}/mine.py:Mine", people=40)


def test_one_that_fails_is_told_why(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(FICKLE.replace("[:, ::-1]", "[:, :2]"))
    with pytest.raises(AudienceError, match="it must return whole numbers of shape"):
        try_recommender(f"{tmp_path}/mine.py:Mine", people=40)
