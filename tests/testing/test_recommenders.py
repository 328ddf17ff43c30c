"""That the conformance suite for recommenders finds what is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from audience.recommenders import Context, Popular, Ranker, RecommenderView
from audience.testing import check_recommender
from audience.world import Generator, Ints


class Plain:
    """Ranks by id, soundly, user after user. Subclasses spoil one thing."""

    def __init__(self) -> None:
        self.items = 0

    def fit(self, interactions: RecommenderView, rng: Generator) -> Ranker:
        fresh = type(self)()
        fresh.items = len(interactions.catalogue)
        return fresh

    def rank(self, users: Ints, k: int, context: Context) -> Ints:
        rows = [
            self.row(user, k, barred) for user, barred in zip(users, context.exclude, strict=True)
        ]
        return np.array(rows)

    def row(self, user: int, k: int, barred: tuple[int, ...]) -> list[int]:
        left = [item for item in range(self.items) if item not in set(barred)][:k]
        return left + [-1] * (k - len(left))


class Same(Plain):
    def fit(self, interactions: RecommenderView, rng: Generator) -> Ranker:
        self.items = len(interactions.catalogue)
        return self


class Shared(Plain):
    learnt: list[int] = []  # noqa: RUF012

    def fit(self, interactions: RecommenderView, rng: Generator) -> Ranker:
        self.learnt.append(len(interactions))
        return super().fit(interactions, rng)

    def row(self, user: int, k: int, barred: tuple[int, ...]) -> list[int]:
        row = super().row(user, k, barred)
        return row[::-1] if len(self.learnt) % 2 else row


class Unseeded(Plain):
    turn = 0

    def fit(self, interactions: RecommenderView, rng: Generator) -> Ranker:
        Unseeded.turn += 1
        fresh = super().fit(interactions, rng)
        fresh.turn = Unseeded.turn  # type: ignore[attr-defined]
        return fresh

    def row(self, user: int, k: int, barred: tuple[int, ...]) -> list[int]:
        row = super().row(user, k, barred)
        return row[::-1] if self.turn % 3 == 0 else row


class Meddling(Plain):
    def fit(self, interactions: RecommenderView, rng: Generator) -> Ranker:
        interactions._stars[0] = 9
        return super().fit(interactions, rng)


class Rude(Plain):
    def row(self, user: int, k: int, barred: tuple[int, ...]) -> list[int]:
        return super().row(user, k, ())


class Twice(Plain):
    def row(self, user: int, k: int, barred: tuple[int, ...]) -> list[int]:
        row = super().row(user, k, barred)
        return [row[0], row[0], *row[2:]] if k > 1 and row[0] >= 0 else row


class Lazy(Plain):
    def row(self, user: int, k: int, barred: tuple[int, ...]) -> list[int]:
        return [*super().row(user, k, barred)[:-1], -1]


class Shy(Plain):
    def row(self, user: int, k: int, barred: tuple[int, ...]) -> list[int]:
        if user >= 40:
            raise KeyError(user)
        return super().row(user, k, barred)


class Real(Plain):
    def rank(self, users: Ints, k: int, context: Context) -> Ints:
        given: Any = super().rank(users, k, context).astype(np.float64)
        ranked: Ints = given
        return ranked


class Strange(Plain):
    def row(self, user: int, k: int, barred: tuple[int, ...]) -> list[int]:
        return [self.items, *super().row(user, k, barred)[1:]]


class Crowd(Plain):
    """Ranks the whole batch by its longest list."""

    def rank(self, users: Ints, k: int, context: Context) -> Ints:
        ranked = super().rank(users, k, context)
        longest = max(map(len, context.exclude))
        return ranked[:, ::-1] if longest > self.items // 2 else ranked


def test_sound_recommenders_pass() -> None:
    check_recommender(Plain())
    check_recommender(Popular())


@pytest.mark.parametrize(
    ("recommender", "sentence"),
    [
        (Same(), "returned the same object twice"),
        (Shared(), "a second fit changed what the first ranker gives"),
        (Unseeded(), "learnt two different rankings"),
        (Meddling(), "changed the interactions"),
        (Rude(), r"gave user \d+ the excluded item"),
        (Twice(), "an item twice"),
        (Lazy(), r"-1 is for nothing left"),
        (Real(), "returned float64"),
        (Strange(), "which does not exist"),
        (Crowd(), "in a batch, but as"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_bad_recommender_is_found_out(recommender: Plain, sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_recommender(recommender)


def test_one_that_cannot_bear_strangers_is_found_out() -> None:
    with pytest.raises(KeyError):
        check_recommender(Shy())
