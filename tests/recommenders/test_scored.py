from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from audience.recommenders import Context, Popular, Ranked, ScoreRanker, seen_by_recommender
from audience.recommenders.scored import Scores, best
from audience.recommenders.simple import FixedOrder
from audience.testing import tiny_genesis
from audience.world import Interactions, Ints, dice

SCORES = arrays(np.float32, (4, 9), elements=st.integers(-5, 5).map(lambda n: n / 3))


def asked(users: int) -> Context:
    who = np.arange(users)
    exclude = [tuple(range(user % 3)) for user in range(users)]
    return Context(who * 0, who * 0, exclude, dice(3, "rank", who, 0))


@given(SCORES, st.permutations(range(9)), st.integers(1, 11))
def test_the_best_come_first_ties_by_popularity(scores: Scores, fame: list[int], k: int) -> None:
    popular = FixedOrder(np.array(fame, np.float64))
    context = asked(4)
    slates, values = best(scores.copy(), popular, k, context)
    for row in range(4):
        rounded = np.round(scores[row].astype(np.float64), 6)
        allowed = [item for item in range(9) if item not in context.exclude[row]]
        wanted = sorted(allowed, key=lambda item: (-rounded[item], -fame[item]))[:k]
        found = slates[row].tolist()
        assert found == wanted + [-1] * (k - len(wanted))
        assert np.allclose(values[row, : len(wanted)], rounded[wanted], atol=1e-5)
        assert np.isnan(values[row, len(wanted) :]).all()


class ByUser:
    """Scores the item with the user's own number highest."""

    def learnt(self) -> bytes:
        return b"by user"

    def score(self, users: Ints, context: Context) -> Scores:
        scores = np.zeros((len(users), 50_000), np.float32)
        scores[np.arange(len(users)), users] = 1.0
        return scores


def test_pieces_are_put_together_in_the_order_of_the_users() -> None:
    ranker = ScoreRanker(ByUser(), FixedOrder(np.zeros(50_000)))
    users = np.arange(100)[::-1].copy()
    ranked = ranker.rank(users, 2, asked(100))
    assert isinstance(ranked, Ranked)
    barred = [user in asked(100).exclude[row] for row, user in enumerate(users.tolist())]
    assert (ranked.items[:, 0] == users).tolist() == [not one for one in barred]
    assert ranked.scores is not None
    assert ranked.scores[:, 0].tolist() == [0.0 if one else 1.0 for one in barred]


def test_popular_can_forget_what_is_old() -> None:
    made = Interactions(tiny_genesis(3, 4).catalogue, 3)
    for item, day in ((1, 0), (1, 0), (2, 9), (3, 10), (3, 10)):
        made.add(0, item, 86_400 * day, 1.0)
    assert Popular().order(seen_by_recommender(made)).order.tolist() == [1, 3, 2, 0]
    assert Popular(window_days=2.0).order(seen_by_recommender(made)).order.tolist() == [3, 2, 0, 1]
