from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from audience.world import SocialGraph, Tie, Ties

PEOPLE = 6
PAIRS = st.lists(
    st.tuples(st.integers(0, PEOPLE - 1), st.integers(0, PEOPLE - 1)).filter(
        lambda p: p[0] != p[1]
    ),
    unique=True,
    max_size=20,
)
CHANGES = st.lists(
    st.tuples(st.booleans(), st.integers(0, PEOPLE), st.integers(0, PEOPLE)).filter(
        lambda change: change[1] != change[2]
    ),
    max_size=25,
)


def ties_of(pairs: list[tuple[int, int]]) -> Ties:
    firsts, others = [a for a, _ in pairs], [b for _, b in pairs]
    closeness = [0.25] * len(pairs)
    return Ties.of(PEOPLE, firsts, others, [0] * len(pairs), closeness, ("friend", "boss"))


def all_pairs(graph: SocialGraph) -> set[tuple[int, int]]:
    return {(one, other) for one in range(PEOPLE + 1) for other in graph.neighbours(one)}


def changed(graph: SocialGraph, changes: list[tuple[bool, int, int]]) -> None:
    for added, one, other in changes:
        if added:
            graph.add(one, other, "followed", 0.5)
        else:
            graph.cut(one, other)


def test_a_tie_has_a_direction() -> None:
    graph = SocialGraph(ties_of([(0, 1), (2, 1), (1, 5)]))
    assert graph.neighbours(0) == (1,)
    assert graph.neighbours(1) == (5,)
    assert graph.followers(1) == (0, 2)
    assert graph.followers(0) == ()
    assert graph.tie(0, 1) == Tie(1, "friend", 0.25)
    assert graph.tie(1, 0) is None
    assert len(graph) == 3


def test_ties_hold_their_kind_and_closeness() -> None:
    ties = Ties.of(3, [2, 0, 0], [0, 2, 1], [1, 0, 1], [0.5, 0.75, 0.25], ("friend", "boss"))
    graph = SocialGraph(ties)
    assert graph.ties(0) == (Tie(1, "boss", 0.25), Tie(2, "friend", 0.75))
    assert graph.ties(2) == (Tie(0, "boss", 0.5),)
    assert graph.ties(1) == ()


def test_adding_twice_changes_the_tie_and_keeps_the_count() -> None:
    graph = SocialGraph(ties_of([(0, 1)]))
    graph.add(0, 1, "boss", 0.9)
    assert graph.tie(0, 1) == Tie(1, "boss", 0.9)
    assert len(graph) == 1


def test_cutting_what_is_not_there_changes_nothing() -> None:
    graph = SocialGraph(ties_of([(0, 1)]))
    graph.cut(1, 0)
    graph.cut(4, 5)
    assert all_pairs(graph) == {(0, 1)}
    assert graph.followers(1) == (0,)


def test_somebody_new_begins_without_ties() -> None:
    graph = SocialGraph(ties_of([(0, 1)]))
    assert graph.ties(PEOPLE) == ()
    graph.add(PEOPLE, 0, "friend", 0.5)
    graph.add(0, PEOPLE, "friend", 0.5)
    assert graph.neighbours(0) == (1, PEOPLE)
    assert graph.followers(PEOPLE) == (0,)
    assert graph.followers(0) == (PEOPLE,)


@given(PAIRS, CHANGES)
def test_pairs_are_all_ties(
    pairs: list[tuple[int, int]], changes: list[tuple[bool, int, int]]
) -> None:
    graph = SocialGraph(ties_of(pairs))
    changed(graph, changes)
    firsts, others = graph.pairs()
    assert len(firsts) == len(graph)
    assert set(zip(firsts.tolist(), others.tolist(), strict=True)) == all_pairs(graph)


@given(PAIRS)
def test_reversed_twice_is_the_same(pairs: list[tuple[int, int]]) -> None:
    ties = ties_of(pairs)
    back = ties.reversed().reversed()
    assert np.array_equal(back.starts, ties.starts)
    assert np.array_equal(back.others, ties.others)


@given(PAIRS, CHANGES)
def test_the_graph_is_a_set_of_pairs(
    pairs: list[tuple[int, int]], changes: list[tuple[bool, int, int]]
) -> None:
    graph, wanted = SocialGraph(ties_of(pairs)), set(pairs)
    changed(graph, changes)
    for added, one, other in changes:
        wanted = wanted | {(one, other)} if added else wanted - {(one, other)}
    assert all_pairs(graph) == wanted
    assert len(graph) == len(wanted)
    for one in range(PEOPLE + 1):
        assert set(graph.followers(one)) == {a for a, b in wanted if b == one}
        assert tuple(tie.other for tie in graph.ties(one)) == graph.neighbours(one)


@given(PAIRS, CHANGES)
def test_restored_changes_give_the_same_graph(
    pairs: list[tuple[int, int]], changes: list[tuple[bool, int, int]]
) -> None:
    graph, again = SocialGraph(ties_of(pairs)), SocialGraph(ties_of(pairs))
    changed(graph, changes)
    again.restore(dict(graph.changes()))
    for one in range(PEOPLE + 1):
        assert again.ties(one) == graph.ties(one)
        assert set(again.followers(one)) == set(graph.followers(one))
