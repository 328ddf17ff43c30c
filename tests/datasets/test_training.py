from __future__ import annotations

import msgspec
import numpy as np
import pytest
from tests.datasets.test_corpus import corpus

from audience.datasets import Training
from audience.world import Item

ROWS = [(0, 0, 1), (0, 1, 2), (0, 2, 3), (1, 1, 4), (1, 3, 5)]


def test_counts_means_and_quality() -> None:
    found = Training(corpus(ROWS))
    assert found.counts.tolist() == [3, 2, 0, 0, 0, 0]
    assert found.popularity.tolist() == [1, 2, 1, 1, 0]
    stars = found.lived.stars
    assert found.mean == pytest.approx(stars[stars > 0].mean())
    assert np.isnan(found.item_means[4])
    assert found.person_means[0] == pytest.approx(stars[[0, 1, 2]].mean())
    best = int(np.nanargmax(found.item_means))
    assert found.quality[best] == found.quality.max()
    assert found.quality[4] == pytest.approx((found.mean - 1) / 4, abs=1e-4)


def test_without_stars_nothing_is_said_of_quality() -> None:
    plain = corpus(ROWS)
    bare = plain.having(msgspec.structs.replace(plain.lived, stars=np.zeros(len(ROWS))))
    assert set(Training(bare).quality.tolist()) == {0.5}


def test_tags_weigh_by_their_number() -> None:
    found = Training(corpus(ROWS))
    assert found.tags == ("even", "odd")
    assert found.tag_shares()[0].tolist() == pytest.approx([2 / 3, 1 / 3])
    assert found.tag_shares()[5].tolist() == [0.0, 0.0]
    interests = found.interests(found.tag_popularity)
    assert interests[:2] == [("even", "odd"), ("odd",)]
    assert interests[5] == ()


def test_items_without_tags_teach_no_taste() -> None:
    plain = corpus(ROWS)
    bare = msgspec.structs.replace(plain, items=tuple(Item(n, "T") for n in range(5)))
    found = Training(bare)
    assert found.interests(found.tag_popularity) == [()] * 6
