from __future__ import annotations

from pathlib import Path

import pytest
from tests.services import first_items, serving

from audience.errors import AudienceError
from audience.runs import try_recommender
from audience.scenario import Part, Scenario, genesis_of

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
    checks = try_recommender(kind, people=40)
    assert all(fine for _, fine, _ in checks)
    told = {what: text for what, _, text in checks}
    assert told["recommender"].startswith(f"{kind} served 40 people for 2 rounds")
    assert "no fault" in told["recommender"]
    assert {"alone as in a batch", "speed, 1 user", "speed, 100 users"} <= set(told)


def test_a_service_is_tried_on_the_data_it_is_to_serve() -> None:
    books = genesis_of(Scenario(agents=5, dataset=Part("books")), 1)
    with serving(first_items([item.key for item in books.catalogue.items])) as seen:
        assert all(fine for _, fine, _ in try_recommender(seen.url, data="books"))
        strange = {what: fine for what, fine, _ in try_recommender(seen.url, data="films")}
        assert not strange["rank"]
        assert all(fine for _, fine, _ in try_recommender(seen.url))


def test_one_that_ranks_a_batch_in_another_way_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(FICKLE)
    with pytest.raises(AudienceError, match="alone gets another slate than in a batch"):
        try_recommender(f"{tmp_path}/mine.py:Mine", people=40)


def test_one_that_fails_is_told_why(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(FICKLE.replace("[:, ::-1]", "[:, :2]"))
    with pytest.raises(AudienceError, match="it must return whole numbers of shape"):
        try_recommender(f"{tmp_path}/mine.py:Mine", people=40)
