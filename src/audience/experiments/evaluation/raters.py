"""Who predicts stars: means, biases, factors, a user's own histogram, and the minds that can."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from audience.errors import BadInput
from audience.experiments.evaluation.asking import RATINGS
from audience.experiments.evaluation.baselines import Ground
from audience.experiments.evaluation.cases import Case, Contestant
from audience.experiments.evaluation.contest import Entry
from audience.experiments.evaluation.contestants import GROUNDED, LLM, Rules, asked_entry
from audience.grounding.lives import Lives
from audience.recommenders.matrix import one_thread
from audience.world.rng import Floats, Ints, dice, rng

FACTORS = 12
_ITEM_DOUBT, _USER_DOUBT = 5.0, 5.0
_ROUNDS = 8
_PENALTY = 8.0
KINDS = (GROUNDED, LLM, "llm+evidence")


class Biases:
    """mean + how a user rates + how an item is rated, each drawn to nothing by doubt."""

    def __init__(self, lives: Lives) -> None:
        rated = lives.stars > 0
        self.users, self.items = lives.users[rated], lives.items[rated]
        self.stars = lives.stars[rated]
        self.mean = float(self.stars.mean())
        self.of_user, self.of_item = np.zeros(lives.people), np.zeros(len(lives.catalogue))
        for _ in range(_ROUNDS):
            left = self.stars - self.mean - self.of_user[self.users]
            self.of_item = _drawn_in(self.items, left, len(lives.catalogue), _ITEM_DOUBT)
            left = self.stars - self.mean - self.of_item[self.items]
            self.of_user = _drawn_in(self.users, left, lives.people, _USER_DOUBT)

    def of(self, users: Ints, items: Ints) -> Floats:
        """Return the stars expected."""
        return self.mean + self.of_user[users] + self.of_item[items]


def _drawn_in(owners: Ints, values: Floats, count: int, doubt: float) -> Floats:
    sums = np.bincount(owners, values, count)
    return sums / (np.bincount(owners, minlength=count) + doubt)


class Factors:
    """What biases leave over, as products of points of people and of items."""

    def __init__(self, biases: Biases, lives: Lives, seed: int) -> None:
        left = biases.stars - biases.of(biases.users, biases.items)
        shape = (len(lives.catalogue), FACTORS)
        self.of_item = 0.1 * rng(seed, "eval", "factors").standard_normal(shape)
        self.of_user = np.zeros((lives.people, FACTORS))
        with one_thread():
            for _ in range(_ROUNDS):
                self.of_user = _points(biases.users, biases.items, left, self.of_item, lives.people)
                self.of_item = _points(biases.items, biases.users, left, self.of_user, shape[0])

    def of(self, users: Ints, items: Ints) -> Floats:
        """Return what is added to the biases."""
        found: Floats = (self.of_user[users] * self.of_item[items]).sum(axis=1)
        return found


def _points(owners: Ints, others: Ints, left: Floats, points: Floats, count: int) -> Floats:
    """Return the least squares point of each owner, given the points of the other side."""
    found = np.zeros((count, points.shape[1]))
    order = np.argsort(owners, kind="stable")
    bounds = np.searchsorted(owners[order], np.arange(count + 1))
    penalty = _PENALTY * np.eye(points.shape[1])
    for owner in np.flatnonzero(np.diff(bounds)).tolist():
        rows = order[bounds[owner] : bounds[owner + 1]]
        near = points[others[rows]]
        found[owner] = np.linalg.solve(near.T @ near + penalty, near.T @ left[rows])
    return found


class Predicted:
    """Predicts by a function of users and items."""

    def __init__(self, name: str, predict: Callable[[Ints, Ints], Floats]) -> None:
        self.name = name
        self.predict = predict

    async def score(self, cases: Sequence[Case]) -> Sequence[Floats]:
        sizes = [len(case.candidates) for case in cases]
        users = np.repeat(np.array([case.user for case in cases], np.int64), sizes)
        items = np.array([item for case in cases for item in case.candidates], np.int64)
        found = np.clip(self.predict(users, items), 1.0, 5.0)
        return np.split(found, np.cumsum(sizes)[:-1].tolist())


def user_mean(ground: Ground) -> Predicted:
    """Return the mean of what each user gave."""
    lives = ground.lives
    rated = lives.stars > 0
    mean = float(lives.stars[rated].mean())
    apart = _drawn_in(lives.users[rated], lives.stars[rated] - mean, lives.people, 1e-9)
    return Predicted("user mean", lambda users, items: mean + apart[users])


def own_histogram(ground: Ground) -> Predicted:
    """Return stars drawn from what each user gave before: a perfect histogram, blind to items."""
    lives = ground.lives
    rated = lives.stars > 0
    places = np.clip(np.floor(lives.stars[rated] + 0.5), 1, 5).astype(np.int64) - 1
    counts = np.bincount(lives.users[rated] * 5 + places, minlength=lives.people * 5)
    table = counts.reshape(-1, 5) + 5.0 * np.bincount(places, minlength=5) / max(len(places), 1)
    heaped = np.cumsum(table, axis=1) / table.sum(axis=1, keepdims=True)

    def drawn(users: Ints, items: Ints) -> Floats:
        draw = dice(ground.seed, "eval", "histogram", users, items).uniform("stars")
        below: Floats = (heaped[users] <= draw[:, None]).sum(axis=1).astype(np.float64)
        return 1.0 + below

    return Predicted("own histogram, drawn", drawn)


def biases(ground: Ground) -> Predicted:
    """Return biases of users and items."""
    return Predicted("bias", Biases(ground.lives).of)


def biases_and_factors(ground: Ground) -> Predicted:
    """Return biases with matrix factorisation of what they leave over."""
    found = Biases(ground.lives)
    more = Factors(found, ground.lives, ground.seed)
    return Predicted("bias + MF", lambda u, i: found.of(u, i) + more.of(u, i))


def baselines() -> list[Entry]:
    """Return the baselines of C."""
    made = (
        ("user mean", user_mean),
        ("bias", biases),
        ("bias + MF", biases_and_factors),
        ("own histogram, drawn", own_histogram),
    )
    return [_entry(name, make, "baseline") for name, make in made]


def minds(kinds: Sequence[str], rules: Rules) -> list[Entry]:
    """Return the minds that can rate; a grounded one takes part with means and with draws."""
    found = []
    for kind in kinds:
        if kind == GROUNDED:
            found.append(_entry("grounded", _grounded, "mind"))
            found.append(_entry("grounded, drawn", _grounded_drawn, "mind"))
        elif kind in KINDS:
            found.append(asked_entry(kind, rules, RATINGS))
        else:
            raise BadInput(f"--mind {kind}: does not rate here; give one of {', '.join(KINDS)}")
    return found


def _grounded(ground: Ground) -> Predicted:
    from audience.grounding.ratings import fit_ratings

    return Predicted("grounded", fit_ratings(ground.lives, ground.seed).predict)


def _grounded_drawn(ground: Ground) -> Predicted:
    from audience.grounding.ratings import fit_ratings

    rater = fit_ratings(ground.lives, ground.seed)

    def drawn(users: Ints, items: Ints) -> Floats:
        keyed = dice(ground.seed, "eval", "rating", users, items)
        return rater.sample(users, items, keyed).astype(np.float64)

    return Predicted("grounded, drawn", drawn)


def _entry(name: str, make: Callable[[Ground], Contestant], kind: str) -> Entry:
    async def made(ground: Ground) -> Contestant:
        return make(ground)

    return Entry(name, made, kind, practises=False)
