"""Evaluation C: predicting the stars people give, by baselines and by minds that rate."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import msgspec
import numpy as np

from audience.errors import BadInput
from audience.grounding import Lives, Rater, fit_ratings
from audience.lab.evaluation.baselines import Ground
from audience.lab.evaluation.cases import Case, Task, TaskSet, drawn_users, lives_of
from audience.lab.evaluation.contest import ContestAnswers, Entrant
from audience.lab.evaluation.contestants import GROUNDED, PLAIN, ContestRules, asked_entry, entrant
from audience.lab.evaluation.language import RATINGS
from audience.lab.evaluation.result import (
    ContestCell,
    Result,
    answers_in,
    bounds_of,
    order_of,
    remarks_in,
    with_rows,
)
from audience.lab.evaluation.source import Real
from audience.recommenders import one_thread
from audience.results import POSITIVE, Bounds, bootstrap, percentile_interval
from audience.world import Bools, Floats, Ints, dice, keys, rng

FACTORS = 12
_ITEM_DOUBT, _USER_DOUBT = 5.0, 5.0
_ROUNDS = 8
_PENALTY = 8.0
KINDS = (GROUNDED, PLAIN, "llm-plain+evidence")


class Biases:
    """mean + bias of the user + bias of the item, each shrunk towards zero."""

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
        """Return the expected stars."""
        return self.mean + self.of_user[users] + self.of_item[items]


def _drawn_in(owners: Ints, values: Floats, count: int, doubt: float) -> Floats:
    sums = np.bincount(owners, values, count)
    return sums / (np.bincount(owners, minlength=count) + doubt)


class Factors:
    """Matrix factorisation of what the biases leave over."""

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
        products: Floats = (self.of_user[users] * self.of_item[items]).sum(axis=1)
        return products


def _points(owners: Ints, others: Ints, left: Floats, points: Floats, count: int) -> Floats:
    """Return the least-squares point of each owner, given the points of the other side."""
    solved = np.zeros((count, points.shape[1]))
    order = np.argsort(owners, kind="stable")
    bounds = np.searchsorted(owners[order], np.arange(count + 1))
    penalty = _PENALTY * np.eye(points.shape[1])
    for owner in np.flatnonzero(np.diff(bounds)).tolist():
        rows = order[bounds[owner] : bounds[owner + 1]]
        near = points[others[rows]]
        solved[owner] = np.linalg.solve(near.T @ near + penalty, near.T @ left[rows])
    return solved


class Predicted:
    """Predicts by a function of users and items."""

    def __init__(self, name: str, predict: Callable[[Ints, Ints], Floats]) -> None:
        self.name = name
        self.predict = predict

    async def score(self, cases: Sequence[Case]) -> Sequence[Floats]:
        sizes = [len(case.candidates) for case in cases]
        users = np.repeat(np.array([case.user for case in cases], np.int64), sizes)
        items = np.array([item for case in cases for item in case.candidates], np.int64)
        stars = np.clip(self.predict(users, items), 1.0, 5.0)
        return np.split(stars, np.cumsum(sizes)[:-1].tolist())


def user_mean(ground: Ground) -> Predicted:
    """Return the mean of what each user gave."""
    lives = ground.lives
    rated = lives.stars > 0
    mean = float(lives.stars[rated].mean())
    apart = _drawn_in(lives.users[rated], lives.stars[rated] - mean, lives.people, 1e-9)
    return Predicted("user mean", lambda users, items: mean + apart[users])


def own_histogram(ground: Ground) -> Predicted:
    """Return stars drawn from each user's own: a perfect histogram, blind to items."""
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
    plain = Biases(ground.lives)
    factors = Factors(plain, ground.lives, ground.seed)
    return Predicted("bias + MF", lambda u, i: plain.of(u, i) + factors.of(u, i))


def baseline_raters() -> list[Entrant]:
    """Return the baselines of table C."""
    made = (
        ("user mean", user_mean),
        ("bias", biases),
        ("bias + MF", biases_and_factors),
        ("own histogram, drawn", own_histogram),
    )
    return [entrant(name, make, practises=False) for name, make in made]


def mind_raters(kinds: Sequence[str], rules: ContestRules) -> list[Entrant]:
    """Return the minds that can rate; a grounded one takes part with means and with draws."""
    raters = []
    for kind in kinds:
        if kind == GROUNDED:
            raters.append(entrant("grounded", _grounded, kind="mind", practises=False))
            drawn = entrant("grounded, drawn", _grounded_drawn, kind="mind", practises=False)
            raters.append(drawn)
        elif kind in KINDS:
            raters.append(asked_entry(kind, rules, RATINGS))
        else:
            raise BadInput(f"--mind {kind}: cannot rate here; give one of {', '.join(KINDS)}")
    return raters


@lru_cache(maxsize=1)
def _rater(ground: Ground) -> Rater:
    """Return the fit that means and draws share."""
    return fit_ratings(ground.lives, ground.seed)


def _grounded(ground: Ground) -> Predicted:
    return Predicted("grounded", _rater(ground).predict)


def _grounded_drawn(ground: Ground) -> Predicted:
    rater = _rater(ground)

    def drawn(users: Ints, items: Ints) -> Floats:
        keyed = dice(ground.seed, "eval", "rating", users, items)
        return rater.sample(users, items, keyed).astype(np.float64)

    return Predicted("grounded, drawn", drawn)


RANDOM, LATEST = "random split", "last 20 % in time"
SHARE = 0.2
MOST = 40
"""Ratings of one user asked for at once, so that a prompt stays readable."""
STARS = 5
COLUMNS = ("RMSE", "MAE", "JSD")
Measure = Callable[[Floats], Floats]
"""From how often each person counts, [..., people], to a value."""
_NOTES = (
    f"A fifth of the ratings is predicted: by a named draw ({RANDOM}), or each user's latest "
    f"({LATEST}). JSD: between the histograms of predicted and real stars, base 2, 1 to 5. "
    "Bootstrap intervals over users. Unreadable answers count as the worst star.",
)


class RatingSplit(msgspec.Struct, frozen=True, eq=False):
    """A task set of ratings with the stars that were really given."""

    arena: TaskSet
    stars: tuple[Floats, ...]
    """Of each case, for each of its candidates."""


def splits_of(real: Real, *, agents: int | None = None, seed: int = 1) -> list[RatingSplit]:
    """Return both splits with the same users; the training part does not depend on who is asked."""
    rated = np.flatnonzero(real.stars > 0)
    if len(rated) < len(real) / 2:
        raise BadInput(f"{real.name} has no ratings; give data with stars, such as MovieLens 100K")
    sizes = np.bincount(real.users[rated], minlength=real.people)
    users = drawn_users(np.flatnonzero(sizes >= 1 / SHARE), agents, seed)
    held = {RANDOM: _by_draw(real, rated, seed), LATEST: _latest(real, rated, sizes)}
    return [_split(real, rated, name, rows, users, seed) for name, rows in held.items()]


def _by_draw(real: Real, rated: Ints, seed: int) -> Bools:
    drawn = keys(seed, "eval", "rating", real.users[rated], real.items[rated], rated)
    held: Bools = drawn < np.uint64(int(SHARE * 2**64))
    return held


def _latest(real: Real, rated: Ints, sizes: Ints) -> Bools:
    users = real.users[rated]
    order = np.argsort(users, kind="stable")
    starts = np.cumsum(sizes) - sizes
    place = np.empty(len(users), np.int64)
    place[order] = np.arange(len(users)) - starts[users[order]]
    held: Bools = place >= sizes[users] - np.floor(sizes[users] * SHARE + 1e-9)
    return held


def _split(real: Real, rated: Ints, name: str, held: Bools, users: Ints, seed: int) -> RatingSplit:
    asked = held & np.isin(real.users[rated], users)
    lives = lives_of(real, rated[~held])
    histories = _lists(lives.users, lives.items)
    test = rated[asked]
    cases, stars = [], []
    for user, rows in _lists(real.users[test], test).items():
        for start in range(0, len(rows), MOST):
            part = rows[start : start + MOST]
            items = tuple(real.items[part].tolist())
            history = tuple(histories.get(user, np.empty(0, np.int64)).tolist())
            cases.append(Case(user, history, items, (True,) * len(items)))
            stars.append(real.stars[part])
    if not cases:
        raise BadInput(f"{real.name}: no rating is left to predict; give more --agents")
    task = Task(name, tuple(cases))
    return RatingSplit(TaskSet(name, lives, (task,), lives, (), seed), tuple(stars))


def _lists(users: Ints, values: Ints) -> dict[int, Ints]:
    order = np.argsort(users, kind="stable")
    owners, starts = np.unique(users[order], return_index=True)
    return dict(zip(owners.tolist(), np.split(values[order], starts[1:].tolist()), strict=True))


class _Sums:
    """Per user: squared and absolute errors, histograms of predicted and real stars."""

    def __init__(self, split: RatingSplit, scores: Sequence[Floats]) -> None:
        cases = split.arena.tasks[0].cases
        sizes = [len(case.candidates) for case in cases]
        users = np.repeat([case.user for case in cases], sizes)
        _, owner = np.unique(users, return_inverse=True)
        self.people = int(owner.max()) + 1
        real = np.concatenate(list(split.stars))
        predicted = np.concatenate(list(scores))
        # An unreadable answer counts as the worst possible one.
        predicted = np.where(np.isnan(predicted), np.where(real > 3.0, 1.0, STARS), predicted)
        self.count = np.bincount(owner, minlength=self.people).astype(np.float64)
        self.squared = np.bincount(owner, (predicted - real) ** 2, self.people)
        self.absolute = np.bincount(owner, np.abs(predicted - real), self.people)
        self.given, self.real = (
            _histogram(owner, stars, self.people) for stars in (predicted, real)
        )

    def rmse(self, weights: Floats) -> Floats:
        error: Floats = np.sqrt(weights @ self.squared / (weights @ self.count))
        return error

    def mae(self, weights: Floats) -> Floats:
        error: Floats = weights @ self.absolute / (weights @ self.count)
        return error

    def jsd(self, weights: Floats) -> Floats:
        return divergence(weights @ self.given, weights @ self.real)


def cells_of(
    measures: Mapping[str, Measure],
    users: int,
    baselines: Sequence[str],
    seed: int,
    bounds: Bounds = POSITIVE,
) -> tuple[dict[str, ContestCell], str]:
    """Return everybody's cell in a column where lower is better, and the best baseline."""
    values = {name: float(measure(np.ones(users))) for name, measure in measures.items()}
    known = [name for name in baselines if math.isfinite(values[name])]
    best = min(known, key=lambda name: values[name]) if known else ""

    def drawn(people: Ints) -> list[float]:
        weights = np.bincount(people, minlength=users).astype(np.float64)
        return [float(measure(weights)) for measure in measures.values()]

    drawn_values = bootstrap(drawn, users, seed=seed, names=("ratings",))
    samples = dict(
        zip(
            measures,
            drawn_values if len(drawn_values) else [drawn_values] * len(measures),
            strict=True,
        )
    )
    cells = {}
    for name, value in values.items():
        against = None
        if best and name != best:
            apart = samples[name] - samples[best]
            against = percentile_interval(value - values[best], apart, count=users)
        mean = percentile_interval(value, samples[name], count=users, bounds=bounds)
        cells[name] = ContestCell(mean, users, against)
    return cells, best


def _histogram(owner: Ints, stars: Floats, people: int) -> Floats:
    places = np.clip(np.floor(stars + 0.5), 1, STARS).astype(np.int64) - 1
    counts = np.bincount(owner * STARS + places, minlength=people * STARS)
    return counts.reshape(people, STARS).astype(np.float64)


def divergence(counts: Floats, others: Floats) -> Floats:
    """Return the Jensen-Shannon divergence of rows of counts in bits: 0 equal, 1 disjoint."""
    first = counts / counts.sum(axis=-1, keepdims=True)
    second = others / others.sum(axis=-1, keepdims=True)
    middle = (first + second) / 2.0
    parts = [
        np.where(p > 0, p * np.log2(np.maximum(p, 1e-300) / np.maximum(middle, 1e-300)), 0.0)
        for p in (first, second)
    ]
    bits: Floats = np.maximum(0.5 * (parts[0] + parts[1]).sum(axis=-1), 0.0)
    return bits


def ratings_result(
    real: Real,
    splits: Sequence[RatingSplit],
    played: Sequence[ContestAnswers],
    entries: Sequence[Entrant],
    *,
    seed: int,
    model: str = "",
) -> Result:
    """Return table C."""
    kinds = order_of(entries, played, mixes=False)
    baselines = [name for name, kind in kinds.items() if kind == "baseline"]
    empty = Result(
        "ratings",
        f"Ratings on {real.name}",
        real.name,
        0,
        seed,
        model,
        tuple(split.arena.name for split in splits),
        COLUMNS,
        lower_is_better=COLUMNS,
        notes=(*_NOTES, *remarks_in(played)),
    )
    empty = with_rows(empty, kinds, {}, answers_in(played))
    rows = {row.name: row for row in empty.rows}
    best: dict[str, dict[str, str]] = {}
    users = 0
    for split, contest in zip(splits, played, strict=True):
        group = split.arena.name
        sums = {name: _Sums(split, contest.answers[name, group].scores) for name in kinds}
        users = next(iter(sums.values())).people
        for column in COLUMNS:
            measures: dict[str, Measure] = {
                name: getattr(each, column.lower()) for name, each in sums.items()
            }
            cells, first = cells_of(measures, users, baselines, seed, bounds_of(column))
            best.setdefault(group, {})[column] = first
            for name, cell in cells.items():
                rows[name].cells.setdefault(group, {})[column] = cell
    return msgspec.structs.replace(empty, best=best, users=users)
