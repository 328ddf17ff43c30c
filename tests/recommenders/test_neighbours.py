from __future__ import annotations

from tests.recommenders.conftest import Make, Show

from audience.recommenders import Social
from audience.testing import tiny_genesis
from audience.world import Interactions, SocialGraph, Ties, rng

LIVED = [(1, 5, 5), (2, 6, 0), (3, 7, 5), (3, 4, 2), (4, 1, 5), (5, 1, 5), (6, 1, 5)]


def friends() -> SocialGraph:
    return SocialGraph(Ties.of(8, [0, 0], [1, 2], [0, 0], [0.3, 0.9]))


def test_what_close_friends_enjoyed_comes_first(lived: Make, shown: Show) -> None:
    ranker = Social().fit(lived(LIVED, ties=friends()), rng(0, "fit"))
    assert shown(ranker, 0) == [6, 5, 1]


def test_who_has_no_friends_is_shown_what_is_popular(lived: Make, shown: Show) -> None:
    ranker = Social().fit(lived(LIVED, ties=friends()), rng(0, "fit"))
    assert shown(ranker, 7, 1) == [1]
    assert shown(Social().fit(lived(LIVED), rng(0, "fit")), 0, 1) == [1]


def test_a_new_friend_counts_at_once_and_disliked_items_never(lived: Make, shown: Show) -> None:
    graph = friends()
    ranker = Social().fit(lived(LIVED, ties=graph), rng(0, "fit"))
    graph.add(7, 3, "followed", 0.2)
    assert shown(ranker, 7, 2) == [7, 1]


def test_ties_stay_with_a_part_of_the_interactions() -> None:
    graph = friends()
    made = Interactions(tiny_genesis(8, 8).catalogue, 8, ties=graph)
    for who, what in ((0, 1), (1, 2)):
        made.add(who, what, 0, 1.0)
    assert made.first(1).ties is graph
