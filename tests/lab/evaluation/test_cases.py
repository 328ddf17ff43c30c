from __future__ import annotations

import numpy as np
import pytest

from audience.errors import BadInput
from audience.lab.evaluation import UNIFORM, Real
from audience.lab.evaluation.cases import MATCHED, Dealer, ItemSequences, drawn_users, lives_of
from audience.world import Catalogue, Ints, Item


def test_what_is_held_out_is_nowhere_in_the_training_part(ring: Real) -> None:
    sequences = ItemSequences(ring)
    lives = sequences.without_last(3)
    learnt = set(zip(lives.users.tolist(), lives.items.tolist(), strict=True))
    for user in range(ring.people):
        items = ring.items[sequences.of(user)].tolist()
        assert all((user, item) not in learnt for item in items[-3:])
        assert all((user, item) in learnt for item in items[:-3])
    assert bool((np.diff(lives.at) >= 0).all())


def test_an_item_taken_twice_counts_where_it_was_first(ring: Real) -> None:
    users, items, at = np.zeros(3, np.int64), np.array([5, 6, 5]), np.array([1, 2, 3])
    real = Real("twice", ring.catalogue, 1, users, items, at, np.zeros(3))
    assert real.items[ItemSequences(real).of(0)].tolist() == [5, 6]


def test_whoever_has_too_little_keeps_it_all(ring: Real) -> None:
    users, items, at = np.array([0, 1, 1, 1]), np.array([1, 1, 2, 3]), np.arange(4)
    real = Real("little", ring.catalogue, 2, users, items, at, np.zeros(4))
    assert ItemSequences(real).without_last(1).users.tolist() == [0, 1, 1]


def dealer(real: Real, seed: int = 1) -> Dealer:
    known: list[Ints] = [real.items[ItemSequences(real).of(user)] for user in range(real.people)]
    return Dealer(lives_of(real, np.arange(len(real))), known, np.unique(real.items), seed)


@pytest.mark.parametrize("kind", [UNIFORM, MATCHED])
def test_negatives_were_never_taken_up_and_draws_have_names(ring: Real, kind: str) -> None:
    deal = dealer(ring)
    for user in range(20):
        taken = deal.known[user][-3:]
        case = deal.case("t", kind, user, (), taken, 7)
        others = {item for item, yes in zip(case.candidates, case.truth, strict=True) if not yes}
        assert len(others) == 7
        assert not others & set(deal.known[user].tolist())
        assert set(case.candidates) - others == set(taken.tolist())
        again = dealer(ring).case("t", kind, user, (), taken, 7)
        assert again == case, "a case depends on nobody else's"
    assert dealer(ring, 2).case("t", kind, 0, (), deal.known[0][-3:], 7) != deal.case(
        "t", kind, 0, (), deal.known[0][-3:], 7
    )


def test_the_order_of_candidates_tells_nothing(ring: Real) -> None:
    deal = dealer(ring)
    places = [
        deal.case(f"t{n}", UNIFORM, user, (), deal.known[user][-1:], 4).truth.index(True)
        for user in range(ring.people)
        for n in range(10)
    ]
    counts = np.bincount(places, minlength=5)
    assert counts.min() > 80, counts


def popular_world() -> Real:
    """Return a world in which item n has about 400 - n interactions."""
    items = tuple(Item(n, f"Film {n}") for n in range(400))
    users, taken = [], []
    for n in range(400):
        for person in range(400 - n):
            users.append(1 + (person * 7 + n) % 500)
            taken.append(n)
    users.append(0)
    taken.append(399)
    at = np.arange(len(users))
    columns = (np.array(users), np.array(taken), at, np.zeros(len(users)))
    return Real("popular", Catalogue(items), 501, *columns)


def test_matched_negatives_do_not_give_the_truth_away_by_popularity() -> None:
    real = popular_world()
    deal = Dealer(lives_of(real, np.arange(len(real))), [np.array([399])] * 501, np.arange(400), 1)
    counts = np.bincount(real.items, minlength=400)
    ranks = []
    for number in range(2_000):
        taken = np.array([100 + number % 200])
        case = deal.case(f"t{number}", MATCHED, 0, (), taken, 5)
        truth = counts[list(case.candidates)]
        ranks.append(int((truth > counts[taken[0]]).sum()))
    shares = np.bincount(ranks, minlength=6) / len(ranks)
    # Neither the most popular, nor the one in the middle: each place about a sixth of the time.
    assert shares.min() > 0.12, shares
    assert shares.max() < 0.22, shares


def test_users_are_drawn_by_name_and_a_wrong_number_is_told() -> None:
    eligible = np.arange(10, 40)
    few, more = drawn_users(eligible, 5, 1), drawn_users(eligible, 9, 1)
    assert set(few.tolist()) < set(more.tolist()) <= set(eligible.tolist())
    assert few.tolist() == sorted(few.tolist())
    assert drawn_users(eligible, 5, 2).tolist() != few.tolist()
    assert drawn_users(eligible, None, 1) is eligible
    with pytest.raises(BadInput, match="give 1 to 30"):
        drawn_users(eligible, 31, 1)
    with pytest.raises(BadInput, match="longer histories"):
        drawn_users(eligible[:0], None, 1)


def test_who_took_up_nearly_everything_cannot_be_asked(ring: Real) -> None:
    few = np.array([0, 1])
    deal = Dealer(lives_of(ring, np.arange(len(ring))), [few] * ring.people, np.arange(4), 1)
    for kind in (UNIFORM, MATCHED):
        with pytest.raises(BadInput, match="nearly every item"):
            deal.case("t", kind, 0, (), few[:1], 5)
