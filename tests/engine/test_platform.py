from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from audience.engine import Platform, RecommenderFault
from audience.engine.platform import Note, Noted, PageRequest
from audience.recommenders import Context, Random, Ranked, seen_by_recommender
from audience.recommenders.simple import FixedOrder
from audience.testing import tiny_genesis
from audience.world import Ints, World, events as e, rng

WANTS = [
    PageRequest(4, 100, 0, ()),
    PageRequest(7, 200, 1, (1, 2)),
    PageRequest(9, 300, 0, tuple(range(10))),
]


class Bad:
    """A ranker that returns what it is told to."""

    def __init__(self, give: Callable[[Ints, int], Any]) -> None:
        self.give = give

    def rank(self, users: Ints, k: int, context: Context) -> Ints:
        given: Ints = self.give(users, k)
        return given


def tiny_world(items: int = 12) -> World:
    world = World(tiny_genesis(10, items))
    world.apply(e.RunStarted(3, "", 0.0))
    return world


def rows(users: Ints, k: int) -> Ints:
    return np.tile(np.arange(k), (len(users), 1))


def with_one(row: int, column: int, item: int) -> Callable[[Ints, int], Ints]:
    def give(users: Ints, k: int) -> Ints:
        slates = rows(users, k)
        slates[row, column] = item
        return slates

    return give


def raising(users: Ints, k: int) -> Ints:
    raise ZeroDivisionError("oops")


BAD: list[tuple[Callable[[Ints, int], Any], str]] = [
    (raising, r"Bad.rank raised ZeroDivisionError\('oops'\) in .*; fix it, then resume"),
    (lambda users, k: rows(users, k)[:2], r"shape \(2, 4\).*shape \(3, 4\)"),
    (lambda users, k: rows(users, k)[:, :3], r"shape \(3, 3\)"),
    (lambda users, k: rows(users, k)[0], r"shape \(4,\)"),
    (lambda users, k: rows(users, k).astype(np.float64), "returned float64"),
    (lambda users, k: [["a"] * k for _ in users], "whole numbers"),
    (lambda users, k: [[1, 2], [1], [1]], "Bad.rank raised"),
    (lambda users, k: None, "returned object"),
    (with_one(1, 2, 12), "gave user 7 item 12, which is not in the catalogue"),
    (with_one(1, 2, -2), "gave user 7 item -2, which is not in the catalogue"),
    (with_one(2, 0, 3), "gave user 9 item 3, twice"),
    (with_one(0, 3, -1), "gave user 4 3 items; 4 were asked for"),
    (with_one(1, 0, -1), "gave user 7 3 items; 4 were asked for"),
    (rows, "gave user 7 item 1, which it was told to leave out"),
]


@pytest.mark.parametrize(("give", "message"), BAD)
def test_a_bad_ranker_is_named_with_the_user_and_the_item(
    give: Callable[[Ints, int], Any], message: str
) -> None:
    platform = Platform(page_size=2, max_pages=2)
    with pytest.raises(RecommenderFault, match=message):
        platform.rank(tiny_world(), Bad(give), WANTS)


def test_nothing_left_is_not_a_fault() -> None:
    def give(users: Ints, k: int) -> Ints:
        slates = rows(users, k)
        slates[1] = [3, 4, 5, 6]
        slates[2] = [10, -1, 11, -1]
        return slates

    ranked = Platform(page_size=2, max_pages=2).rank(tiny_world(), Bad(give), WANTS)
    assert ranked == [(0, 1, 2, 3), (3, 4, 5, 6), (10, 11)]


def test_plain_python_numbers_come_back() -> None:
    ranked = Platform().rank(tiny_world(), FixedOrder(np.arange(12.0)), WANTS)
    assert all(isinstance(row, tuple) and type(row[0]) is int for row in ranked)
    assert ranked[0] == tuple(range(11, -1, -1))


def test_small_integers_are_fine() -> None:
    ranker = Bad(lambda users, k: rows(users, k).astype(np.int8))
    assert Platform(page_size=2, max_pages=2).rank(tiny_world(), ranker, WANTS[:1]) == [
        (0, 1, 2, 3)
    ]


def test_five_pages_are_ranked_at_once_but_no_more_than_there_are() -> None:
    asked: list[int] = []

    def give(users: Ints, k: int) -> Ints:
        asked.append(k)
        return rows(users, k)

    for platform in (Platform(page_size=2), Platform(page_size=2, max_pages=3), Platform()):
        platform.rank(tiny_world(), Bad(give), WANTS[:1])
    assert asked == [10, 6, 12]


def test_what_was_lived_is_wanted_again_only_when_repeats_are_allowed() -> None:
    world = tiny_world()
    for event in (
        e.Woke(0, 5),
        e.Watched(0, 3, 1.0),
        e.Left(0),
        e.Woke(0, 9),
        e.SlateShown(0, (6, 7), 0),
    ):
        world.apply(event)
    me = world.agents[0]
    assert Platform().want(me) == PageRequest(0, 9, 1, (3, 6, 7), (3,), (6, 7))
    assert Platform(repeat=True).want(me).exclude == (6, 7)


def test_requests_are_ranked_together_as_alone() -> None:
    world = tiny_world(200)
    ranker = Random().fit(seen_by_recommender(world.interactions), rng(1, "fit"))
    long = [PageRequest(who, 0, 0, tuple(range(20 * who))) for who in range(10)]
    platform = Platform()
    assert platform.rank(world, ranker, long) == [
        platform.rank(world, ranker, [want])[0] for want in long
    ]


def test_search_finds_no_more_than_asked_for() -> None:
    assert len(Platform(found=2).search(tiny_world(), "nowhere")) == 2
    assert Platform().search(tiny_world(), "xyzzy") == ()


def with_notes(**more: Any) -> Bad:
    allowed = [[i for i in range(12) if i not in want.exclude] for want in WANTS]

    def give(users: Ints, k: int) -> Ranked:
        items = np.full((len(users), k), -1)
        for row, user in enumerate(users.tolist()):
            own = next(at for at, want in enumerate(WANTS) if want.agent == user)
            items[row, : len(allowed[own][:k])] = allowed[own][:k]
        return Ranked(items, **more)

    return Bad(give)


PAIR = Platform(page_size=2, max_pages=2)


def test_what_a_ranker_says_of_its_items_comes_along() -> None:
    table = np.array([[0.5, np.nan, 1.0, 1.0]] * 3)
    reasons = [["because", "", "x" * 300, "two\n lines"]] * 3
    ranker = with_notes(propensities=table, scores=table * 2, reasons=reasons)
    first, _, last = PAIR.rank(tiny_world(), ranker, WANTS)
    assert isinstance(first, Noted)
    assert first.items == (0, 1, 2, 3)
    assert first.notes[0] == Note(0.5, "because", 1.0)
    assert first.notes[1] == Note(None, "", None)
    assert first.notes[2].reason == "x" * 119 + "…"
    assert first.notes[3].reason == "two lines"
    assert isinstance(last, Noted)
    assert (last.items, set(last.notes)) == ((10, 11), {10, 11})


def test_reasons_may_be_kept_back() -> None:
    ranker = with_notes(reasons=[["because"] * 4] * 3)
    silent = Platform(page_size=2, max_pages=2, explain=False)
    assert silent.rank(tiny_world(), ranker, WANTS)[0] == (0, 1, 2, 3)
    assert isinstance(PAIR.rank(tiny_world(), ranker, WANTS)[0], Noted)


def test_rows_without_a_slate_fail_alone() -> None:
    ranker = with_notes(failures={1: "nothing came"})
    served = PAIR.rank(tiny_world(), ranker, WANTS)
    assert served[1] == e.Failed(7, "recommender: nothing came")
    assert served[0] == (0, 1, 2, 3)
    assert served[2] == (10, 11)


@pytest.mark.parametrize(
    "more", [{"scores": np.ones((3, 2))}, {"reasons": [["a"]] * 3}, {"reasons": [[1, 2, 3, 4]] * 3}]
)
def test_notes_of_another_shape_are_a_fault(more: dict[str, Any]) -> None:
    with pytest.raises(RecommenderFault, match="in the shape of the items"):
        PAIR.rank(tiny_world(), with_notes(**more), WANTS)


def test_a_slate_with_notes_is_checked_like_any_other() -> None:
    for give, message in BAD[1:]:

        def noted(users: Ints, k: int, give: Callable[[Ints, int], Any] = give) -> Ranked:
            return Ranked(give(users, k))

        ranker = Bad(noted)
        with pytest.raises(RecommenderFault, match=message):
            PAIR.rank(tiny_world(), ranker, WANTS)


def test_rankers_are_told_what_was_lived_and_the_ids_of_the_data() -> None:
    told: list[Context] = []

    class Listening:
        def rank(self, users: Ints, k: int, context: Context) -> Ints:
            told.append(context)
            return rows(users, k)

    PAIR.rank(tiny_world(), Listening(), [PageRequest(4, 100, 0, (), (8, 9))])
    assert told[0].lived == [(8, 9)]
    assert told[0].key_of(4) == "p4"
