from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.extras.planted import asked, camps, films, gain

from audience.recommenders.extras import Implicit
from audience.testing import check_recommender
from audience.world import rng

pytest.importorskip("implicit")
METHODS = ["als", "bpr", "lmf", "bm25", "cosine", "tfidf"]
SETTINGS: dict[str, dict[str, Any]] = {"bpr": {"learning_rate": 0.05}, "lmf": {"iterations": 60}}


@pytest.mark.parametrize("method", METHODS)
def test_it_keeps_to_the_protocol(method: str) -> None:
    check_recommender(Implicit(method))


@pytest.mark.parametrize("method", METHODS)
def test_it_finds_the_camps(method: str) -> None:
    assert gain(Implicit(method, settings=SETTINGS.get(method)), camps()) > 3


@pytest.mark.parametrize("method", ["als", "bm25"])
def test_it_beats_popular_on_films(method: str) -> None:
    settings = {"factors": 32, "iterations": 10} if method == "als" else {"K": 100}
    assert gain(Implicit(method, settings=settings), films(), k=10) > 1.1


@pytest.mark.parametrize("method", ["als", "cosine"])
def test_it_uses_what_a_stranger_lived_since(method: str) -> None:
    ranker = Implicit(method).fit(camps()[0], rng(1, "fit"))
    lived = (2, 7, 12)
    slate = np.asarray(ranker.rank(np.array([999]), 4, asked([999], [lived], [lived])))[0]
    assert {item % 5 for item in slate.tolist()} == {2}


def test_equal_fits_are_equal_bytes() -> None:
    first, second = (Implicit("bpr").fit(camps()[0], rng(1, "fit")) for _ in range(2))
    assert first.learnt() == second.learnt()  # type: ignore[attr-defined]


def test_settings_of_another_method_are_refused() -> None:
    with pytest.raises(TypeError, match="K1"):
        Implicit("als", settings={"K1": 1.2})
