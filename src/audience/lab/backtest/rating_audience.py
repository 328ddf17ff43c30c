"""An audience that rates items: people known by features and by what others alike rated.

A rating is a mean plus effects: of a person, of an item, of people alike for items alike. How much
each of them varies is estimated from the products of residuals of all pairs of ratings (Haseman
and Elston 1972): the product of two ratings is larger, on average, the more effects they share.
Given these variances, what a person would give is the posterior mean, which shrinks each effect by
as much as its evidence is thin. Nothing is tuned by hand, and nothing but ratings and features is
read.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from audience.world import Bools, Floats

_STEPS = 400
_CLOSE = 1e-5
_LEAST_NOISE = 0.05


class RatedTable(msgspec.Struct, frozen=True):
    """What some people rated, and what is known about them and the items."""

    ratings: Floats
    """[people, items]; 0 where there is no rating."""
    people: Floats
    """[people, features], 0 or 1."""
    items: Floats
    """[items, features], 0 or 1."""
    person_names: tuple[str, ...]
    """A feature is written `attribute:value`."""
    item_names: tuple[str, ...]
    chances: Floats | None = None
    """[people, items]: the probability that the person rated the item, where it is known."""

    @property
    def seen(self) -> Bools:
        return self.ratings > 0.0

    def only(self, kept: Bools) -> RatedTable:
        """Return the table with some of the ratings."""
        return msgspec.structs.replace(self, ratings=np.where(kept, self.ratings, 0.0))


class Effect(msgspec.Struct, frozen=True):
    """One source of variation: pairs of people alike, times pairs of items alike."""

    name: str
    people: Floats
    items: Floats


class FittedEffects(msgspec.Struct, frozen=True):
    """The variances of an audience, and what it would rate."""

    mean: float
    variances: dict[str, float]
    noise: float
    expected: Floats
    """[people, items]: the stars expected from each person for each item."""


def attributes(names: Sequence[str]) -> dict[str, list[int]]:
    """Return the columns of each attribute of features written `attribute:value`."""
    columns: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        columns.setdefault(name.partition(":")[0], []).append(place)
    return columns


def effects_of(table: RatedTable) -> list[Effect]:
    """Return every pairing of likeness of people with likeness of items, the residual left out."""
    people, items = table.ratings.shape
    of_people = {"everybody": np.ones((people, people))}
    for name, columns in attributes(table.person_names).items():
        of_people[f"same {name}"] = table.people[:, columns] @ table.people[:, columns].T
    of_people["people alike"] = _likeness(table.people)
    of_people["a person"] = np.eye(people)
    of_items = {
        "all items": np.ones((items, items)),
        "items alike": _likeness(table.items),
        "an item": np.eye(items),
    }
    left_out = (("everybody", "all items"), ("a person", "an item"))
    return [
        Effect(f"{who}, {what}", alike, similar)
        for who, alike in of_people.items()
        for what, similar in of_items.items()
        if (who, what) not in left_out
    ]


def _likeness(features: Floats) -> Floats:
    centred = features - features.mean(axis=0)
    likeness: Floats = centred @ centred.T
    scale = float(np.diag(likeness).mean())
    return likeness / scale if scale > 0.0 else likeness


def fitted(table: RatedTable, *, weighed: bool = False) -> FittedEffects:
    """Return the audience of a table; `weighed` counts a rating by 1 / its chance."""
    seen = table.seen.astype(np.float64)
    weights = seen / table.chances if weighed and table.chances is not None else seen
    weights = weights / weights[table.seen].mean()
    mean = float((weights * table.ratings).sum() / weights.sum())
    rest = np.where(table.seen, table.ratings - mean, 0.0)
    effects = effects_of(table)
    variances = variances_of(effects, rest, np.sqrt(weights))
    whole = float((weights * rest * rest).sum() / weights.sum())
    noise = max(whole - float(variances.sum()), _LEAST_NOISE * whole)
    kept = [(effect, v) for effect, v in zip(effects, variances, strict=True) if v > 0.0]
    expected = mean + posterior(kept, rest, weights, noise)
    named = {effect.name: float(v) for effect, v in kept}
    return FittedEffects(mean, named, noise, expected)


def variances_of(effects: Sequence[Effect], rest: Floats, weights: Floats) -> Floats:
    """Return how much each effect varies, from the products of all pairs of ratings.

    The least squares over pairs are sums over people times sums over items, so no pair is visited.
    """
    from scipy.optimize import nnls

    many = len(effects)
    paired = np.zeros((many + 1, many + 1))
    found = np.zeros(many + 1)
    own = [np.outer(np.diag(effect.people), np.diag(effect.items)) for effect in effects]
    ones = Effect("mean", np.ones_like(effects[0].people), np.ones_like(effects[0].items))
    own.append(np.ones_like(rest))
    every = [*effects, ones]
    square, product = weights**2, weights * rest
    joint: dict[tuple[int, int], Floats] = {}  # there are few kinds of likeness of items
    for row, left in enumerate(every):
        alike = float((left.people * (product @ left.items @ product.T)).sum())
        found[row] = alike - float((own[row] * product**2).sum())
        for column, right in enumerate(every[: row + 1]):
            kinds = (id(left.items), id(right.items))
            if kinds not in joint:
                joint[kinds] = weights @ (left.items * right.items) @ weights.T
            sums = float((left.people * right.people * joint[kinds]).sum())
            same = float((own[row] * own[column] * square).sum())
            paired[row, column] = paired[column, row] = sums - same
    scale = np.sqrt(np.maximum(np.diag(paired), 1e-12))
    paired, found = paired / np.outer(scale, scale), found / scale
    values, vectors = np.linalg.eigh(paired)
    root = np.sqrt(np.maximum(values, 1e-10))
    solved, _ = nnls(root[:, None] * vectors.T, (vectors.T @ found) / root)
    variances: Floats = (solved / scale)[:many]
    return variances


def posterior(
    effects: Sequence[tuple[Effect, float]], rest: Floats, weights: Floats, noise: float
) -> Floats:
    """Return [people, items]: the posterior mean of the effects, by conjugate gradients."""
    seen = weights > 0.0
    spread = np.where(seen, noise / np.where(seen, weights, 1.0), 0.0)

    alike: dict[int, tuple[Floats, Floats]] = {}
    for effect, variance in effects:
        kind = id(effect.items)
        people = alike[kind][0] if kind in alike else np.zeros_like(effect.people)
        alike[kind] = (people + variance * effect.people, effect.items)

    def shared(cells: Floats) -> Floats:
        total = np.zeros_like(cells)
        for people, items in alike.values():
            total += people @ cells @ items
        return total

    def applied(cells: Floats) -> Floats:
        return np.where(seen, shared(cells), 0.0) + spread * cells

    solved = np.zeros_like(rest)
    left = np.where(seen, rest, 0.0)
    step, size = left.copy(), float((left * left).sum())
    first = size
    for _ in range(_STEPS):
        if size <= _CLOSE**2 * first or size == 0.0:
            break
        moved = applied(step)
        along = size / float((step * moved).sum())
        solved += along * step
        left -= along * moved
        size, before = float((left * left).sum()), size
        step = left + (size / before) * step
    return shared(solved)


def held_out_error(table: RatedTable, *, weighed: bool, folds: int = 3, seed: int = 1) -> float:
    """Return the error over held-out ratings, each counted by 1 / its chance where it is known."""
    from audience.world import rng

    order = rng(seed, "backtest", "folds").permutation(int(table.seen.sum()))
    fold = np.full(table.ratings.shape, -1)
    fold[table.seen] = order % folds
    weights = 1.0 / table.chances if table.chances is not None else np.ones_like(table.ratings)
    errors = np.zeros_like(table.ratings)
    for part in range(folds):
        away = fold == part
        audience = fitted(table.only(table.seen & ~away), weighed=weighed)
        errors[away] = (audience.expected[away] - table.ratings[away]) ** 2
    total = (weights * errors)[table.seen].sum() / weights[table.seen].sum()
    return float(np.sqrt(total))
