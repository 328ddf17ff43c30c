from __future__ import annotations

import numpy as np
import pytest

from audience.recommenders import Context, Popular, Random, RecommenderView, seen_by_recommender
from audience.recommenders.simple import allowed_in, firsts
from audience.testing import check_recommender, tiny_genesis
from audience.world import Interactions, dice, rng

DAY = 86_400


def lived(*rows: tuple[int, int, float], items: int = 6) -> RecommenderView:
    """Return interactions of (item, day, fraction)."""
    made = Interactions(tiny_genesis(3, items).catalogue, 3)
    for item, day, fraction in rows:
        made.add(0, item, DAY * day, fraction)
    return seen_by_recommender(made)


def asked(users: int, *exclude: tuple[int, ...], page: int = 0) -> Context:
    who = np.arange(users)
    barred = exclude or ((),) * users
    return Context(who * 0, who * 0 + page, barred, dice(3, "rank", who, page))


@pytest.mark.parametrize(
    "recommender", [Popular(), Popular(7.0), Random()], ids=("popular", "fading", "random")
)
def test_it_keeps_to_the_protocol(recommender: Popular | Random) -> None:
    check_recommender(recommender)


def order(recommender: Popular, interactions: RecommenderView) -> list[int]:
    ranked = recommender.fit(interactions, rng(0, "fit")).rank(np.arange(1), 6, asked(1))
    items: list[int] = ranked[0].tolist()
    return items


def test_popular_ranks_by_how_much_was_lived() -> None:
    seen = lived((4, 1, 1.0), (4, 1, 1.0), (2, 1, 1.0), (2, 1, 0.5), (5, 1, 0.9))
    assert order(Popular(), seen) == [4, 2, 5, 0, 1, 3]


def test_popular_gives_ties_to_the_lower_id() -> None:
    assert order(Popular(), lived((5, 1, 1.0), (3, 1, 1.0))) == [3, 5, 0, 1, 2, 4]
    assert order(Popular(), lived()) == [0, 1, 2, 3, 4, 5]


def test_popular_forgets_with_its_half_life() -> None:
    seen = lived((1, 0, 1.0), (1, 0, 1.0), (1, 0, 1.0), (4, 20, 1.0))
    assert order(Popular(), seen)[:2] == [1, 4]
    assert order(Popular(20.0), seen)[:2] == [1, 4]  # 3 halves to 1.5
    assert order(Popular(10.0), seen)[:2] == [4, 1]  # 3 quarters to 0.75


def test_half_life_halves() -> None:
    fitted = Popular(10.0).fit(lived((1, 0, 1.0), (4, 10, 1.0)), rng(0, "fit"))
    assert fitted.scores.tolist() == [0.0, 0.5, 0.0, 0.0, 1.0, 0.0]


def test_popular_skips_what_must_not_be_shown() -> None:
    fitted = Popular().fit(lived((4, 1, 1.0), (2, 1, 0.5)), rng(0, "fit"))
    ranked = fitted.rank(np.arange(2), 3, asked(2, (4,), (0, 1, 2, 3)))
    assert ranked.tolist() == [[2, 0, 1], [4, 5, -1]]


def cells(counts: list[int]) -> float:
    expected = sum(counts) / len(counts)
    return sum((count - expected) ** 2 / expected for count in counts)


@pytest.mark.parametrize(("items", "k"), [(10, 3), (200, 3)])
def test_random_shows_every_item_equally_often_at_every_place(items: int, k: int) -> None:
    fitted = Random().fit(lived(items=items), rng(0, "fit"))
    users = 100 * items
    slates = fitted.rank(np.arange(users), k, asked(users))
    for place in range(k):
        counts = np.bincount(slates[:, place], minlength=items).tolist()
        # passed once in a thousand: 27.9 with 9 and 266 with 199 degrees of freedom
        assert cells(counts) < (27.9 if items == 10 else 266)


def test_random_among_what_is_left_is_even() -> None:
    fitted = Random().fit(lived(items=40), rng(0, "fit"))
    users, barred = 4_000, tuple(range(30))
    slates = fitted.rank(np.arange(users), 1, asked(users, *([barred] * users)))
    assert cells(np.bincount(slates[:, 0], minlength=40).tolist()[30:]) < 27.9


def test_random_differs_by_user_and_page() -> None:
    fitted = Random().fit(lived(items=100), rng(0, "fit"))
    slates = fitted.rank(np.arange(2), 5, asked(2))
    assert slates[0].tolist() != slates[1].tolist()
    assert fitted.rank(np.arange(2), 5, asked(2, page=1)).tolist() != slates.tolist()


def test_firsts_marks_the_first_of_each() -> None:
    rows = np.array([[3, 1, 3, 1, 2], [0, 0, 0, 5, 5]])
    assert firsts(rows).tolist() == [
        [True, True, False, False, True],
        [True, False, False, True, False],
    ]


def test_a_large_catalogue_is_searched_as_a_small_one_is_looked_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = np.array([[3, 1, 4], [1, 5, 9], [2, 6, 5]])
    people, pages = np.arange(3), np.zeros(3, np.int64)
    barred = [(1, 4), (), (5, 99)]
    context = Context(pages, pages, barred, dice(1, "x", people))
    looked_up = allowed_in(rows, context, 10).tolist()
    monkeypatch.setattr("audience.recommenders.simple._TABLE", 0)
    assert allowed_in(rows, context, 10).tolist() == looked_up
    assert looked_up == [[True, False, False], [True, True, True], [True, True, False]]
