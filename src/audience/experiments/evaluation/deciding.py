"""From scores to yes and no: as many as promise most, by chances learnt from others' practice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from audience.experiments.evaluation.cases import Case
from audience.experiments.evaluation.mixing import FOLDS, Flat, folds_of
from audience.world.rng import Bools, Floats

_PENALTY = 1e-3


def decided(
    name: str,
    cases: Sequence[Case],
    scores: Sequence[Floats],
    practice: Sequence[Case],
    before: Sequence[Floats],
    seed: int,
) -> list[Floats]:
    """Return 1 for what is said yes to, else 0; NaN stays where nothing could be said.

    The chance that a candidate was taken up is logistic in its score, in how it stands out from
    its list and in its place there, by the practice of people in other folds. Of each list the
    best are taken, as many as accuracy and F1 together may be expected to be highest with.
    """
    now, earlier = _columns(name, cases, scores), _columns(name, practice, before)
    asked, told = folds_of(cases, seed), folds_of(practice, seed)
    chances = np.zeros(len(now.truth))
    for fold in range(FOLDS):
        others = (told != fold)[earlier.owner] & ~np.isnan(earlier.values).any(axis=1)
        if not others.any():
            continue
        mine = (asked == fold)[now.owner]
        chances[mine] = _Chance(earlier, others).of(now.values[mine])
    found = [np.full(len(one), np.nan) for one in scores]
    there = np.array([not np.isnan(one).any() for one in scores])
    sizes = np.array([len(one) for one in scores], np.int64)
    parts = now.split(chances)
    for size in np.unique(sizes[there]).tolist():
        rows = np.flatnonzero(there & (sizes == size)).tolist()
        said = yes(np.stack([scores[row] for row in rows]), np.stack([parts[row] for row in rows]))
        for row, each in zip(rows, said, strict=True):
            found[row] = each
    return found


def yes(scores: Floats, chances: Floats) -> Floats:
    """Return [lists, items]: 1 for the best of each list, as many as promise most.

    Equal scores are told alike.
    """
    order = np.argsort(-scores, axis=1, kind="stable")
    ranked, likely = (np.take_along_axis(one, order, axis=1) for one in (scores, chances))
    worth = expected_worth(likely)
    worth[:, 1:-1][ranked[:, 1:] == ranked[:, :-1]] = -1.0
    counts = worth.argmax(axis=1)
    said = np.zeros(scores.shape)
    taken = (np.arange(scores.shape[1])[None, :] < counts[:, None]).astype(np.float64)
    np.put_along_axis(said, order, taken, axis=1)
    return said


def expected_worth(chances: Floats) -> Floats:
    """Return [lists, items + 1]: accuracy + F1 to expect of a yes to the first 0, 1, 2 and so on.

    Each item is taken up by its own chance, whatever the others are.
    """
    lists, size = chances.shape
    before, after = sums_of(chances), sums_of(chances[:, ::-1])[::-1]
    worth = np.zeros((lists, size + 1))
    number = np.arange(size + 1)
    for count in range(size + 1):
        right, missed = number[:, None], number[None, :]
        f1 = 2.0 * right / np.maximum(count + right + missed, 1)
        # No BLAS: what is said of one list must not depend on how many others there are.
        inner = np.einsum("la,ab->lb", before[count], f1)
        worth[:, count] = (inner * after[count]).sum(axis=1)
        likely = chances[:, :count].sum(axis=1) + (1.0 - chances[:, count:]).sum(axis=1)
        worth[:, count] += likely / max(size, 1)
    return worth


def sums_of(chances: Floats) -> Floats:
    """Return [items + 1, lists, items + 1]: how likely so many of the first few are taken up."""
    lists, size = chances.shape
    found = np.zeros((size + 1, lists, size + 1))
    found[0, :, 0] = 1.0
    for place in range(size):
        chance = chances[:, place, None]
        found[place + 1] = found[place] * (1.0 - chance)
        found[place + 1, :, 1:] += found[place, :, :-1] * chance
    return found


def _columns(name: str, cases: Sequence[Case], scores: Sequence[Floats]) -> Flat:
    """Return scores, how far they are from the list's mean and best, and their places in it."""
    flat = Flat(cases, {name: scores})
    sums = np.stack([np.add.reduceat(column, flat.starts) for column in flat.values.T], axis=1)
    best = np.stack([np.maximum.reduceat(column, flat.starts) for column in flat.values.T], axis=1)
    sizes = np.bincount(flat.owner)[:, None]
    apart = [flat.values - (sums / sizes)[flat.owner], flat.values - best[flat.owner]]
    places = np.concatenate([_places(one) for one in scores])
    flat.values = np.concatenate([flat.values, *apart, np.log(places)[:, None]], axis=1)
    return flat


def _places(scores: Floats) -> Floats:
    """Return 1 for the highest, and so on; equal scores share the middle of their places."""
    above = (scores[None, :] > scores[:, None]).sum(axis=1)
    level = (scores[None, :] == scores[:, None]).sum(axis=1)
    places: Floats = above + (np.maximum(level, 1) + 1.0) / 2.0
    return places


class _Chance:
    """A plain logistic regression."""

    def __init__(self, flat: Flat, rows: Bools) -> None:
        from scipy.optimize import minimize

        values, truth = flat.values[rows], flat.truth[rows]
        self.middle: Floats = values.mean(axis=0)
        self.spread: Floats = values.std(axis=0) + 1e-9
        scaled = np.column_stack([(values - self.middle) / self.spread, np.ones(len(values))])

        def loss(weights: Floats) -> tuple[float, Floats]:
            logits = scaled @ weights
            wrong = float((np.logaddexp(0.0, logits) - truth * logits).mean())
            slope = scaled.T @ (1.0 / (1.0 + np.exp(-logits)) - truth) / len(truth)
            inner = np.append(weights[:-1], 0.0)
            return wrong + 0.5 * _PENALTY * float(inner @ inner), slope + _PENALTY * inner

        nothing = np.zeros(scaled.shape[1])
        self.weights: Floats = minimize(loss, nothing, jac=True, method="L-BFGS-B").x

    def of(self, values: Floats) -> Floats:
        """Return the chance of each row."""
        logits = (values - self.middle) / self.spread @ self.weights[:-1] + self.weights[-1]
        chances: Floats = 1.0 / (1.0 + np.exp(-logits))
        return chances
