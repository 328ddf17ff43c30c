from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.extras.planted import asked, camps, films, gain

from audience.recommenders.extras import LensKit
from audience.testing import check_recommender
from audience.world import rng

pytest.importorskip("lenskit")
RANKING = ["ImplicitMF", "EASE", "ItemKNN", "UserKNN", "SLIM", "FlexMFImplicit"]
SETTINGS: dict[str, dict[str, Any]] = {
    "SLIM": {"l1_reg": 0.1},
    "FlexMFImplicit": {"epochs": 40, "batch_size": 256},
}
RATING = ["BiasedMF", "Bias", "FlexMFExplicit"]


@pytest.mark.parametrize("scorer", RANKING + RATING)
def test_it_keeps_to_the_protocol(scorer: str) -> None:
    settings = {"epochs": 1} if scorer.startswith("FlexMF") else {}
    check_recommender(LensKit(scorer, settings=settings))


@pytest.mark.parametrize("scorer", RANKING)
def test_it_finds_the_camps(scorer: str) -> None:
    assert gain(LensKit(scorer, settings=SETTINGS.get(scorer)), camps()) > 3


@pytest.mark.parametrize("scorer", ["ImplicitMF", "ItemKNN"])
def test_it_beats_popular_on_films(scorer: str) -> None:
    assert gain(LensKit(scorer), films(), k=10) > 1.1


@pytest.mark.parametrize("scorer", ["ImplicitMF", "EASE", "ItemKNN", "UserKNN", "SLIM"])
def test_it_uses_what_a_stranger_lived_since(scorer: str) -> None:
    settings = {"l1_reg": 0.1} if scorer == "SLIM" else {}
    ranker = LensKit(scorer, settings=settings).fit(camps()[0], rng(1, "fit"))
    lived = (2, 7, 12, 999)
    slate = np.asarray(ranker.rank(np.array([999]), 4, asked([999], [lived], [lived])))[0]
    assert {item % 5 for item in slate.tolist()} == {2}


@pytest.mark.parametrize("scorer", RATING)
def test_ratings_are_not_asked_of_what_was_lived_since(scorer: str) -> None:
    interactions, hidden = camps()
    settings = {"epochs": 1} if scorer.startswith("FlexMF") else {}
    ranker = LensKit(scorer, settings=settings).fit(interactions, rng(1, "fit"))
    plain, told = asked([3], [()]), asked([3], [()], [(hidden[3],)])
    before = np.asarray(ranker.rank(np.array([3]), 5, plain))
    assert np.array_equal(np.asarray(ranker.rank(np.array([3]), 5, told)), before)


def test_equal_fits_are_equal_bytes() -> None:
    first, second = (LensKit().fit(camps()[0], rng(1, "fit")) for _ in range(2))
    assert first.learnt() == second.learnt()  # type: ignore[attr-defined]
