"""What all recommenders of the house keep to, besides their own ways."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from audience.recommenders import (
    ALS,
    BPR,
    EASE,
    Content,
    Context,
    ItemKNN,
    LightGCN,
    Markov,
    Mix,
    MultVAE,
    Popular,
    Random,
    Recommender,
    RecommenderView,
    Social,
    seen_by_recommender,
)
from audience.testing import check_recommender, tiny_genesis
from audience.world import Interactions, SocialGraph, dice, rng

PEOPLE, ITEMS = 30, 60
KINDS: dict[str, Callable[[], Recommender]] = {
    "als": lambda: ALS(factors=8, rounds=2),
    "als of many factors": lambda: ALS(factors=70, rounds=1),
    "bpr": lambda: BPR(factors=8, epochs=2),
    "content": Content,
    "ease": lambda: EASE(10.0),
    "item-knn": lambda: ItemKNN(neighbours=5, shrink=1.0),
    "lightgcn": lambda: LightGCN(factors=8, epochs=2),
    "markov": Markov,
    "mix by ranks": lambda: Mix(["popular", EASE(10.0), "random"], [1.0, 2.0, 0.5]),
    "mix by scores": lambda: Mix([Markov(), EASE(10.0), "popular"], by="scores"),
    "multvae": lambda: MultVAE(factors=4, hidden=8, epochs=2),
    "popular": Popular,
    "random": Random,
    "recent": lambda: Popular(window_days=1.0),
    "social": Social,
}
every = pytest.mark.parametrize("kind", KINDS)


def some_lived(hours: int = 400) -> RecommenderView:
    genesis = tiny_genesis(PEOPLE, ITEMS)
    made = Interactions(genesis.catalogue, PEOPLE, ties=SocialGraph(genesis.ties))
    draw = rng(4, "lived")
    for hour in range(hours):
        item = int(ITEMS * draw.random() ** 2)
        made.add(int(draw.integers(PEOPLE - 3)), item, 3600 * hour, float(draw.random()), hour % 6)
    return seen_by_recommender(made)


def asked(users: int, lived: list[tuple[int, ...]] | None = None) -> Context:
    who = np.arange(users)
    return Context(who * 0, who * 0, [()] * users, dice(3, "rank", who, 0), lived=lived)


@every
def test_it_keeps_to_the_protocol(kind: str) -> None:
    check_recommender(KINDS[kind]())


@every
def test_only_candidates_are_shown_and_new_items_do_no_harm(kind: str) -> None:
    ranker = KINDS[kind]().fit(some_lived(), rng(1, "fit"))
    users = np.arange(PEOPLE + 2)
    candidates = [tuple({int(user), 7, 9, ITEMS + 5}) for user in users]
    exclude = [(9, ITEMS, ITEMS + 5)] * len(users)
    context = asked(len(users))
    context = Context(context.moments, context.pages, exclude, context.dice, candidates=candidates)
    slates = np.asarray(ranker.rank(users, 4, context))
    for row, allowed in zip(slates.tolist(), candidates, strict=True):
        wanted = {item for item in allowed if item < ITEMS and item != 9}
        assert set(row) - {-1} == wanted
        assert row[len(wanted) :] == [-1] * (4 - len(wanted))


@every
def test_a_batch_of_many_is_ranked_as_its_members_alone(kind: str) -> None:
    ranker = KINDS[kind]().fit(some_lived(), rng(1, "fit"))
    users = np.arange(PEOPLE + 2)
    draw = rng(6, "lists")
    lists = [tuple(draw.permutation(ITEMS)[: int(draw.integers(50))].tolist()) for _ in users]
    context = asked(len(users), lived=lists)
    slates = np.asarray(ranker.rank(users, 12, context))
    for row in range(len(users)):
        alone = np.asarray(ranker.rank(users[row : row + 1], 12, context.part(np.array([row]))))
        assert alone[0].tolist() == slates[row].tolist()


@every
def test_equal_fits_are_equal_bytes_and_other_fits_are_not(kind: str) -> None:
    if kind == "random":
        pytest.skip("there is nothing to learn")
    lived = some_lived()
    one, two = (KINDS[kind]().fit(lived, rng(1, "fit")) for _ in range(2))
    other = KINDS[kind]().fit(some_lived(200), rng(1, "fit"))
    learnt = [ranker.learnt() for ranker in (one, two, other)]  # type: ignore[attr-defined]
    assert learnt[0] == learnt[1] != learnt[2]


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"random", "mix by ranks", "mix by scores"}))
def test_strangers_are_shown_what_is_popular(kind: str) -> None:
    lived = some_lived()
    if kind == "recent":
        pytest.skip("ranks everybody alike")
    context = asked(2)
    wanted = Popular().fit(lived, rng(1, "fit")).rank(np.arange(2), 10, context)
    found = KINDS[kind]().fit(lived, rng(1, "fit")).rank(np.array([99, 100]), 10, context)
    assert np.asarray(found).tolist() == np.asarray(wanted).tolist()
