"""Coat: 290 people rated coats of their own choice, and coats drawn at random.

The audience and the policies see what people chose and rated, all features, and which coats were
drawn. The ratings of those are the truth, read only when all predictions are made.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from audience.errors import BadInput
from audience.lab.backtest.agreement import (
    PredictorFit,
    RealValues,
    compared,
    mean_choices,
    policy_values,
    truth_of,
)
from audience.lab.backtest.rating_audience import RatedTable, attributes, fitted, held_out_error
from audience.lab.backtest.result import Backtest, frozen_digest
from audience.recommenders import one_thread
from audience.results import Interval, Validation
from audience.world import Bools, Floats, rng

EVIDENCE = ("same", "apart")
_STEPS = 15
_FACTORS = 8
_RIDGE = 20.0
_FOLD = 5
RANDOM = "random"


class CoatInputs(msgspec.Struct, frozen=True):
    """All that may be seen before the truth is opened."""

    table: RatedTable
    offered: Bools
    """[people, items]: the coats drawn for each person, without those they rated before."""


ARRAYS = ("train", "test", "user_features", "item_features", "propensities")


def read_coat(path: Path) -> tuple[CoatInputs, Callable[[], Floats]]:
    """Return what may be seen, and a function that opens the truth."""
    arrays = _arrays(path)
    train = arrays["train"].astype(np.float64)
    drawn = arrays["test"] > 0
    names = _feature_names(path, arrays)
    table = RatedTable(
        train,
        arrays["user_features"].astype(np.float64),
        arrays["item_features"].astype(np.float64),
        *names,
        arrays["propensities"].astype(np.float64),
    )
    offered = drawn & (train == 0)
    if not offered.any(axis=1).all():
        raise BadInput(f"{path}: somebody has no random coat left; is this the Coat dataset?")

    def truth() -> Floats:
        ratings: Floats = np.where(offered, _arrays(path)["test"].astype(np.float64), 0.0)
        return ratings

    return CoatInputs(table, offered), truth


def _arrays(path: Path) -> dict[str, Floats]:
    """Return the arrays of an .npz file, or of the folder as it is published."""
    remedy = f"give coat.npz with {', '.join(ARRAYS)}, or the folder with train.ascii"
    try:
        if path.is_dir():
            features = path / "user_item_features"
            files = {
                "train": path / "train.ascii",
                "test": path / "test.ascii",
                "propensities": path / "propensities.ascii",
                "user_features": features / "user_features.ascii",
                "item_features": features / "item_features.ascii",
            }
            return {name: np.loadtxt(file, ndmin=2) for name, file in files.items()}
        with np.load(path) as found:
            return {name: found[name] for name in found.files}
    except (OSError, ValueError, KeyError) as error:
        raise BadInput(f"{path} cannot be read as Coat: {error}; {remedy}") from None


def _feature_names(
    path: Path, arrays: dict[str, Floats]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    named = []
    for kind in ("user", "item"):
        array = arrays.get(f"{kind}_feature_names")
        many = arrays[f"{kind}_features"].shape[1]
        file = path / "user_item_features" / f"{kind}_features_map.txt"
        if array is not None:
            names = tuple(str(name) for name in array)
        elif path.is_dir() and file.exists():
            names = tuple(file.read_text("utf-8").split("\n")[:many])
        else:
            names = tuple(f"feature:{n}" for n in range(many))
        named.append(names)
    return named[0], named[1]


class Half(NamedTuple):
    """Whose ratings policies learn from, and whose the audience."""

    people: Bools
    policies: Bools
    audience: Bools


def halves(people: int, evidence: str, seed: int) -> list[Half]:
    """Return everybody, or two halves of which each is judged by the other."""
    everybody = np.ones(people, np.bool_)
    if evidence == "same":
        return [Half(everybody, everybody, everybody)]
    first = rng(seed, "backtest", "apart").permutation(people) < people // 2
    return [Half(first, first, ~first), Half(~first, ~first, first)]


def policies() -> dict[str, Callable[[RatedTable], Floats]]:
    """Return the policies, each from ratings to scores of [people, items]."""
    return {
        "gender match": _gender_match,
        "gender item mean": _group_mean,
        "content ridge": lambda table: _content(table, weighed=False),
        "EASE on liked": lambda table: _ease((table.ratings >= 4.0).astype(np.float64)),
        "content ridge IPS": lambda table: _content(table, weighed=True),
        "MF-IPS": lambda table: _factors(table, weighed=True),
        "item-kNN": lambda table: _neighbours(table.seen.astype(np.float64)),
        "MF": lambda table: _factors(table, weighed=False),
        "item mean": lambda table: np.tile(_item_mean(table), (len(table.ratings), 1)),
        "EASE on selected": lambda table: _ease(table.seen.astype(np.float64)),
        "popular": lambda table: np.tile(table.seen.sum(axis=0) * 1.0, (len(table.ratings), 1)),
    }


def _item_mean(table: RatedTable, shrink: float = 5.0) -> Floats:
    seen = table.seen
    mean = table.ratings.sum() / max(seen.sum(), 1)
    means: Floats = (table.ratings.sum(axis=0) + shrink * mean) / (seen.sum(axis=0) + shrink)
    return means


def _genders(table: RatedTable) -> tuple[Floats, Floats]:
    """Return the one-hot genders of people and items; empty columns where there are none."""
    of_people, of_items = (attributes(names) for names in (table.person_names, table.item_names))
    return table.people[:, of_people.get("gender", [])], table.items[:, of_items.get("gender", [])]


def _gender_match(table: RatedTable) -> Floats:
    people, items = _genders(table)
    return 10.0 * (people @ items.T) + _item_mean(table)


def _group_mean(table: RatedTable, shrink: float = 5.0) -> Floats:
    people, _ = _genders(table)
    overall = _item_mean(table)
    scores = np.tile(overall, (len(people), 1))
    for group in people.T > 0:
        seen = table.seen[group].sum(axis=0)
        sums = table.ratings[group].sum(axis=0)
        scores[group] = (sums + shrink * overall) / (seen + shrink)
    return scores


def _weights(table: RatedTable, *, weighed: bool) -> Floats:
    weights = table.seen.astype(np.float64)
    if weighed and table.chances is not None:
        weights = weights / table.chances
    return weights / float(weights[table.seen].mean())


def _content(table: RatedTable, *, weighed: bool) -> Floats:
    """Ridge regression on features of the person, of the item, and their products."""
    who, what = np.nonzero(table.seen)
    weights = _weights(table, weighed=weighed)[who, what]
    ratings = table.ratings[who, what]
    mean = float((weights * ratings).sum() / weights.sum())

    def features(people: Floats, items: Floats) -> Floats:
        products = (people[:, :, None] * items[:, None, :]).reshape(len(people), -1)
        return np.concatenate([np.ones((len(people), 1)), people, items, products], axis=1)

    rows = features(table.people[who], table.items[what])
    scaled = rows * weights[:, None]
    gram = scaled.T @ rows + _RIDGE * np.eye(rows.shape[1])
    learnt = np.linalg.solve(gram, scaled.T @ (ratings - mean))
    everyone = [
        features(np.tile(person, (len(table.items), 1)), table.items) @ learnt
        for person in table.people
    ]
    return mean + np.stack(everyone)


def _ease(lived: Floats, regularisation: float = 100.0) -> Floats:
    gram = lived.T @ lived
    gram[np.diag_indices(len(gram))] += regularisation
    inverse = np.linalg.inv(gram)
    weights = -inverse / np.diag(inverse)
    np.fill_diagonal(weights, 0.0)
    scores: Floats = np.round(lived @ weights, 9)
    return scores


def _neighbours(lived: Floats) -> Floats:
    lengths = np.sqrt((lived**2).sum(axis=0)) + 1e-9
    cosines = (lived.T @ lived) / lengths / lengths[:, None]
    np.fill_diagonal(cosines, 0.0)
    scores: Floats = np.round(lived @ cosines, 9)
    return scores


def _factors(table: RatedTable, *, weighed: bool, shrink: float = 5.0) -> Floats:
    """Matrix factorisation with biases, by alternating weighted least squares."""
    weights, seen = _weights(table, weighed=weighed), table.seen
    mean = float((weights * table.ratings).sum() / weights.sum())
    rest = np.where(seen, table.ratings - mean, 0.0)
    items = (weights * rest).sum(axis=0) / (weights.sum(axis=0) + shrink)
    rest = np.where(seen, rest - items, 0.0)
    people = (weights * rest).sum(axis=1) / (weights.sum(axis=1) + shrink)
    rest = np.where(seen, rest - people[:, None], 0.0)
    draw = rng(1, "backtest", "factors")
    right = draw.normal(0.0, 0.1, (rest.shape[1], _FACTORS))
    left = np.zeros((len(rest), _FACTORS))
    for _ in range(_STEPS):
        left = _solved(rest, weights, right, shrink)
        right = _solved(rest.T, weights.T, left, shrink)
    scores: Floats = mean + items + people[:, None] + left @ right.T
    return scores


def _solved(rest: Floats, weights: Floats, others: Floats, shrink: float) -> Floats:
    rows = np.zeros((len(rest), others.shape[1]))
    for place, (mine, weight) in enumerate(zip(rest, weights, strict=True)):
        scaled = others * weight[:, None]
        gram = scaled.T @ others + shrink * np.eye(others.shape[1])
        rows[place] = np.linalg.solve(gram, scaled.T @ mine)
    return rows


PREDICTORS = ("gender item mean", "content ridge", "MF")
"""Policies whose expected stars also serve as simple predictors, to be beaten."""


def backtest_coat(path: Path, *, evidence: str = "same", seed: int = 1) -> Backtest:
    """Return how well an audience that rates orders twelve policies as real people did."""
    inputs, open_truth = read_coat(path)
    with one_thread():
        return _judged(inputs, open_truth, evidence, seed)


def _judged(
    inputs: CoatInputs, open_truth: Callable[[], Floats], evidence: str, seed: int
) -> Backtest:
    table, offered = inputs.table, inputs.offered
    weighed = _is_weighed(table, seed)
    made = policies()
    scores = {name: np.zeros_like(table.ratings) for name in made}
    expected = np.zeros_like(table.ratings)
    variances: dict[str, float] = {}
    for half in halves(len(table.ratings), evidence, seed):
        part = table.only(table.seen & half.policies[:, None])
        for name, policy in made.items():
            scores[name][half.people] = policy(part)[half.people]
        audience = fitted(table.only(table.seen & half.audience[:, None]), weighed=weighed)
        expected[half.people] = audience.expected[half.people]
        variances = variances or audience.variances
    order = list(scores.values())
    names = (*made, RANDOM)
    predicted = {"audience": mean_choices(order, offered, expected).mean(axis=1)}
    for name in PREDICTORS:
        predicted[name] = mean_choices(order, offered, scores[name]).mean(axis=1)
    predicted["hold-out on train"] = _held_out(table, seed)
    frozen = frozen_digest(names, predicted)
    truth = truth_of(RealValues(names, mean_choices(order, offered, open_truth())), seed)
    every = tuple(compared(name, values, truth) for name, values in predicted.items())
    return Backtest(
        dataset="Coat",
        units=f"{len(offered)} people, {int(offered.sum()):,} random ratings",
        outcome="mean stars of the first choice",
        policies=policy_values(predicted["audience"], truth),
        predictors=every,
        pairs=truth.compared,
        split_half=truth.split_half,
        frozen=frozen,
        remarks=(*_remarks(evidence, weighed=weighed), _largest(variances)),
        validation=_validation(every[0], len(names), len(offered), evidence),
    )


def _is_weighed(table: RatedTable, seed: int) -> bool:
    """Return whether counting ratings by 1 / chance predicts held-out ratings better."""
    plain, weighed = (held_out_error(table, weighed=way, seed=seed) for way in (False, True))
    return weighed < plain


def _held_out(table: RatedTable, seed: int) -> Floats:
    """Return the value of policies by an ordinary hold-out of a fifth of the train ratings."""
    draw = rng(seed, "backtest", "hold-out").random(table.ratings.shape)
    away = table.seen & (np.argsort(np.argsort(np.where(table.seen, draw, 2.0))) < _FOLD)
    part = table.only(table.seen & ~away)
    scores = [policy(part) for policy in policies().values()]
    there = away.any(axis=1)
    chosen = [score[there] for score in scores]
    values: Floats = mean_choices(chosen, away[there], table.ratings[there]).mean(axis=1)
    return values


def _remarks(evidence: str, *, weighed: bool) -> tuple[str, ...]:
    people = (
        "Policies and audience learn from the ratings that the same people chose to give."
        if evidence == "same"
        else "Policies learn from one half of the people and are judged for it by an audience that "
        "knows the other half's ratings, and features alone of those it judges for."
    )
    counted = "1 / propensity" if weighed else "one"
    return (
        people,
        f"Each rating counts as {counted}, which predicts held-out train ratings better.",
        "Test cells that copy train cells are left out. Of equal scores the lower item is chosen.",
    )


def _largest(variances: dict[str, float]) -> str:
    top = sorted(variances.items(), key=lambda pair: -pair[1])[:4]
    return "Stars vary most by " + "; ".join(f"{name} ({value:.2f})" for name, value in top) + "."


def _validation(ours: PredictorFit, many: int, people: int, evidence: str) -> Validation:
    tau: Interval = ours.tau
    shared = " that learnt from the same people" if evidence == "same" else " fitted apart"
    return Validation(
        dataset=f"Coat ({people} people)",
        ranking=f"{many} recommenders{shared} by the stars of their first choice",
        audience="an audience that rates by features and alike people",
        tau=tau,
        right=ours.right,
        pairs=ours.pairs,
        not_for="clicks, longer use, other kinds of items or the size of a gain for one person",
        holds=tau.low > 0.0,
    )
