from __future__ import annotations

import numpy as np
import pytest
from tests.recommenders.conftest import Make, Show

from audience.errors import BadInput
from audience.recommenders import MultVAE, lived_matrix, seen_by_recommender
from audience.recommenders.multvae import MOST_ITEMS, Weights, softmax, unit
from audience.world import Catalogue, Interactions, Item, rng

CAMPS = [
    (who, what) for who in range(8) for what in range(8) if who % 2 == what % 2 and who != what
]
SMALL = MultVAE(factors=4, hidden=16, epochs=80, rate=0.01, batch=4)


def test_each_camp_is_shown_its_own(lived: Make, shown: Show) -> None:
    ranker = SMALL.fit(lived(CAMPS), rng(0, "fit"))
    for who in range(8):
        seen = tuple(what for one, what in CAMPS if one == who)
        assert shown(ranker, who, 1, exclude=seen)[0] % 2 == who % 2


def test_what_was_lived_since_counts_also_for_strangers(lived: Make, shown: Show) -> None:
    ranker = SMALL.fit(lived(CAMPS), rng(0, "fit"))
    for past in ((0, 2), (1, 3)):
        for who in (0, 1, 99):
            found = shown(ranker, who, 2, exclude=past, lived=past)
            assert {item % 2 for item in found} == {past[0] % 2}


def test_items_that_nobody_lived_come_last(lived: Make, shown: Show) -> None:
    some = [(who, what) for who, what in CAMPS if what != 4]
    ranker = SMALL.fit(lived(some), rng(0, "fit"))
    assert shown(ranker, 0, 8)[-1] == 4


def test_slopes_are_those_of_the_loss(lived: Make) -> None:
    matrix = lived_matrix(lived(CAMPS))[:8]
    made = MultVAE(factors=2, hidden=3, dropout=0.0)
    weights = made.started(8, rng(3, "start"))
    near = np.float32(0.7)

    def loss(w: Weights) -> float:
        code = np.tanh(unit(matrix).toarray() @ w["in"] + w["in+"]) @ w["code"] + w["code+"]
        mean, log = code[:, :2].astype(np.float64), code[:, 2:].astype(np.float64)
        draw = rng(4, "noise")
        draw.random(matrix.nnz, np.float32)
        drawn = mean + np.exp(0.5 * log) * draw.standard_normal(mean.shape, np.float32)
        told = softmax(np.tanh(drawn @ w["back"] + w["back+"]) @ w["out"] + w["out+"])
        lost = -(matrix.toarray() * np.log(told)).sum()
        return float(lost + near * 0.5 * (np.exp(log) + mean**2 - 1.0 - log).sum()) / 8

    slopes = made.slopes(matrix, weights, near, rng(4, "noise"))
    assert set(slopes) == set(weights)
    for name, slope in slopes.items():
        place = np.unravel_index(np.argmax(np.abs(slope)), slope.shape)
        ends = []
        for step in (1e-3, -1e-3):
            moved = {one: value.astype(np.float64) for one, value in weights.items()}
            moved[name][place] += step
            ends.append(loss(moved))  # type: ignore[arg-type]
        assert slope[place] == pytest.approx((ends[0] - ends[1]) / 2e-3, rel=1e-2, abs=1e-4), name


def test_a_catalogue_that_is_too_large_is_refused() -> None:
    many = Catalogue(tuple(Item(number, str(number)) for number in range(MOST_ITEMS + 1)))
    with pytest.raises(BadInput, match="'multvae' bears at most"):
        MultVAE().fit(seen_by_recommender(Interactions(many, 1)), rng(0, "fit"))


def test_an_empty_past_does_no_harm(lived: Make, shown: Show) -> None:
    assert shown(MultVAE(epochs=2).fit(lived([]), rng(0, "fit")), 0, 8) == list(range(8))
