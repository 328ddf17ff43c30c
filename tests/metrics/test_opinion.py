from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from audience.metrics import Metrics
from audience.metrics.opinion import STARS, RatingMetrics
from audience.world import VISITS, Catalogue, Genesis, Item, Profile, Rated, Record, Ties, World


def test_satisfaction_is_the_mean_of_those_given(measured: Metrics) -> None:
    assert measured.value()["satisfaction"] == pytest.approx(0.6)
    assert [row["satisfaction"] for row in measured.by_round()] == [0.8, 0.4]
    assert measured.per_agent()["satisfaction"][0] == pytest.approx(0.6)
    assert np.isnan(measured.per_agent()["satisfaction"][1:]).all()


def test_the_histogram_of_stars(measured: Metrics) -> None:
    value = measured.value()
    assert (value["ratings"], value["rating_mean"]) == (2.0, 3.0)
    assert [value[f"rating_{stars}"] for stars in STARS] == [0.0, 0.5, 0.0, 0.5, 0.0]
    np.testing.assert_array_equal(measured.per_agent()["rating_mean"], [4.0, 2.0, np.nan])
    assert np.isnan(measured.by_round()[1]["rating_4"])


@given(st.lists(st.lists(st.integers(1, 5), max_size=30), max_size=4))
def test_shares_sum_to_one(rounds: list[list[int]]) -> None:
    genesis = Genesis(Catalogue((Item(0, "A"),)), (Profile(0),), Ties.of(1, [], [], [], []))
    world, ratings = World(genesis), RatingMetrics()
    for number, given_stars in enumerate(rounds):
        for step, stars in enumerate(given_stars):
            ratings.update(Record(number, VISITS, 0, step, Rated(0, 0, stars)), world)
        if number % 2:
            ratings.close()
    value = ratings.value()
    everything = [stars for given_stars in rounds for stars in given_stars]
    shares = [value[f"rating_{stars}"] for stars in STARS]
    if everything:
        assert sum(shares) == pytest.approx(1.0)
        assert shares == [everything.count(stars) / len(everything) for stars in STARS]
        assert value["rating_mean"] == pytest.approx(sum(everything) / len(everything))
    else:
        assert np.isnan(shares).all()
