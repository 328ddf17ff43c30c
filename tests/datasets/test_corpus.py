from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from audience.datasets import Columns, Corpus, Edges, at_least, chosen, halves
from audience.datasets.corpus import SkipTally, friendships, in_time
from audience.errors import BadInput
from audience.world import Item, Profile

Rows = list[tuple[int, int, int]]
ROWS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4), st.integers(0, 9)), max_size=60)


def columns(rows: Rows) -> Columns:
    users, items, at = (np.array([row[n] for row in rows], np.int64) for n in range(3))
    stars = (users + items + at) % 6
    return Columns(users, items, at, stars.astype(np.float64), np.ones(len(rows)))


def corpus(rows: Rows, ties: Edges | None = None) -> Corpus:
    items = tuple(
        Item(n, f"T{n}", tags=("odd" if n % 2 else "even",), key=f"i{n}") for n in range(5)
    )
    people = tuple(Profile(n, key=f"p{n}") for n in range(6))
    return Corpus("tiny", items, people, in_time(columns(rows), SkipTally(), "here"), ties)


@given(ROWS)
def test_time_goes_forward_and_each_moment_counts_once(rows: Rows) -> None:
    tally = SkipTally()
    found = in_time(columns(rows), tally, "here")
    assert (np.diff(found.at) >= 0).all()
    triples = list(zip(*(one.tolist() for one in found.all[:3]), strict=True))
    assert sorted(triples) == sorted(set(rows))
    assert sum(one.count for one in tally.skipped()) == len(rows) - len(set(rows))


@given(ROWS, st.integers(0, 4), st.integers(0, 4))
def test_a_core_holds_what_it_promises(rows: Rows, persons: int, items: int) -> None:
    whole = corpus(rows)
    try:
        kept = at_least(whole, persons, items, core=True)
    except BadInput:
        return
    if persons or items:
        assert np.bincount(kept.lived.users, minlength=len(kept.people)).min() >= persons
        assert np.bincount(kept.lived.items, minlength=len(kept.items)).min() >= items
    assert [who.id for who in kept.people] == list(range(len(kept.people)))
    named = {
        (kept.people[user].key, kept.items[item].key, at)
        for user, item, at in zip(*(one.tolist() for one in kept.lived.all[:3]), strict=True)
    }
    assert named <= {(f"p{user}", f"i{item}", at) for user, item, at in rows}


def test_nothing_is_dropped_unless_asked_and_too_much_is_refused() -> None:
    whole = corpus([(0, 0, 1), (0, 1, 2), (1, 0, 3)])
    assert at_least(whole, 0, 0) is whole
    once = at_least(whole, 2, 0)
    assert [who.key for who in once.people] == ["p0"]
    with pytest.raises(BadInput, match="nobody is left with 9 interactions a person"):
        at_least(whole, 9, 0)


def test_people_come_in_order_or_drawn_by_name() -> None:
    ties = friendships([(0, 1, "friend", 0.5), (1, 4, "boss", 0.7), (2, 2, "self", 1.0)])
    whole = corpus([(n, n % 5, n) for n in range(6)], ties)
    first = chosen(whole, 2, 7)
    assert [who.key for who in first.people] == ["p0", "p1"]
    assert first.ties is not None
    assert first.ties.firsts.tolist() == [0, 1]
    assert len(first.items) == 5
    drawn = [[who.key for who in chosen(whole, n, 7, sample=True).people] for n in range(1, 7)]
    assert all(drawn[5][: len(one)] == one for one in drawn)
    assert sorted(drawn[5]) == [f"p{n}" for n in range(6)]
    others = {tuple(w.key for w in chosen(whole, 3, s, sample=True).people) for s in range(9)}
    assert len(others) > 1
    for wrong, told in ((0, "at least one"), (7, "has 6 people and 7 were requested")):
        with pytest.raises(BadInput, match=told):
            chosen(whole, wrong, 7)


@given(ROWS, st.integers(0, 9))
def test_halves_share_no_person_and_no_interaction(rows: Rows, seed: int) -> None:
    whole = corpus(rows)
    parts = halves(whole, seed)
    keys = [{who.key for who in part.people} for part in parts]
    assert keys[0].isdisjoint(keys[1])
    assert keys[0] | keys[1] == {who.key for who in whole.people}
    assert [part.items for part in parts] == [whole.items] * 2
    triples = [
        {
            (part.people[user].key, item, at)
            for user, item, at in zip(*(one.tolist() for one in part.lived.all[:3]), strict=True)
        }
        for part in parts
    ]
    assert triples[0].isdisjoint(triples[1])
    assert sorted(triples[0] | triples[1]) == sorted((f"p{u}", i, at) for u, i, at in set(rows))


def test_halves_are_drawn_by_the_seed() -> None:
    whole = corpus([(n % 6, n % 5, n) for n in range(30)])
    drawn = {tuple(who.key for who in halves(whole, seed)[0].people) for seed in range(8)}
    assert len(drawn) > 1
    assert halves(whole, 3)[0].people == halves(whole, 3)[0].people
