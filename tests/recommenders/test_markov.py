from __future__ import annotations

import pytest
from tests.recommenders.conftest import Make, Show

from audience.recommenders import Markov, seen_by_recommender
from audience.recommenders.markov import followers
from audience.testing import tiny_genesis
from audience.world import Interactions, rng

CHAIN = [(who, what) for who in range(4) for what in (who, who + 1, who + 2, who + 3)]


def test_what_followed_is_shown(lived: Make, shown: Show) -> None:
    ranker = Markov(reach=1, recent=1).fit(lived(CHAIN), rng(0, "fit"))
    assert shown(ranker, 0, 1) == [4]  # its last was 3
    assert shown(ranker, 2, 1) == [6]


def test_order_is_that_of_time_and_not_of_rows(shown: Show) -> None:
    backwards = Interactions(tiny_genesis(8, 8).catalogue, 8)
    for place, (who, what) in enumerate(CHAIN):
        backwards.add(who, what, 1000 - place, 1.0)
    ranker = Markov(reach=1, recent=1).fit(seen_by_recommender(backwards), rng(0, "fit"))
    assert shown(ranker, 3, 1) == [2]  # its last was 3


def test_what_was_lived_since_the_fit_counts(lived: Make, shown: Show) -> None:
    ranker = Markov(reach=1, recent=1).fit(lived(CHAIN), rng(0, "fit"))
    assert shown(ranker, 0, 1, lived=(7, 1)) == [2]
    assert shown(ranker, 99, 1, lived=(1, 4)) == [5]


def test_nearer_followers_count_more_and_people_are_kept_apart(lived: Make) -> None:
    made = lived([(0, 1), (0, 2), (0, 3), (1, 4)])
    found = followers(made.agents, made.items, 5, 0.0, 8).toarray()
    assert found[1, 2] == pytest.approx(1.0)
    assert found[1, 3] == pytest.approx(0.5)
    assert found[3].sum() == found[:, 4].sum() == 0.0


def test_older_items_fade(lived: Make, shown: Show) -> None:
    rows = [(0, 1), (0, 5), (1, 2), (1, 6)]
    ranker = Markov(reach=1, recent=2, fading=0.5).fit(lived(rows), rng(0, "fit"))
    assert shown(ranker, 7, 2, lived=(1, 2)) == [6, 5]
    assert shown(ranker, 7, 2, lived=(2, 1)) == [5, 6]
