"""What kind of page somebody looks at: any items, items of like popularity, or recommended ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from audience.grounding.network import CLIP, Values
from audience.recommenders import one_thread
from audience.world import Floats, Generator, Ints, rng

KINDS = 3
"""Any items, those of like popularity, recommended ones; the order of `NEGATIVES`."""
COLUMNS = (
    "popularity",
    "popularity beside usual",
    "collaborative",
    "alike",
    "window whole",
    "around whole",
    "stage",
    "next fading 0.85",
)
"""The evidence that tells kinds of pages apart."""
SHAPES = ((1, 4), (1, 5), (1, 6), (1, 19), (2, 4), (2, 18), (3, 3), (3, 7), (5, 15), (10, 10))
"""Numbers of taken and other items on the pages that are practised on."""
PAGES = 4000
"""Maximum number of pages of each kind."""
_QUANTILES = 512
_NEAR = 0.003
_PENALTY = 2e-3


class PageScale(msgspec.Struct, frozen=True, eq=False):
    """How evidence is centred and scaled, and how popular items are among all."""

    middle: Values
    scale: Values
    popular: Floats
    """Quantiles of the popularity of any items."""

    def features(self, pages: Values) -> Floats:
        """Return [pages, features] of pages [pages, items, columns] of equal size."""
        values = np.clip((pages - self.middle) * self.scale, -CLIP, CLIP).astype(np.float64)
        ordered = np.sort(values, axis=1)
        size = pages.shape[1]
        rank = (
            np.searchsorted(self.popular, pages[:, :, 0], "left")
            + np.searchsorted(self.popular, pages[:, :, 0], "right")
        ) / (2.0 * max(len(self.popular), 1))
        rank = np.sort(rank, axis=1)
        apart = np.diff(rank, axis=1)
        far = np.ones((len(pages), 1))
        nearest = np.minimum(np.hstack([apart, far]), np.hstack([far, apart]))
        spread = (nearest.mean(axis=1), np.median(nearest, axis=1), nearest.max(axis=1))
        plain = [
            *(values.mean(axis=1), values.std(axis=1)),
            *(ordered[:, 0], ordered[:, -1], ordered[:, size // 2]),
            np.stack([rank.mean(axis=1), rank.std(axis=1), rank[:, 0], rank[:, -1]], axis=1),
            np.log(np.stack(spread, axis=1) + _NEAR),
            np.full((len(pages), 1), np.log(size)),
        ]
        told = np.concatenate(plain, axis=1)
        return np.concatenate([told, told**2, np.ones((len(pages), 1))], axis=1)


class PageGate(msgspec.Struct, frozen=True, eq=False):
    """Gives the chance of each kind of page, from the evidence on it."""

    scale: PageScale
    middle: Floats
    spread: Floats
    weights: Floats
    """[features, kinds]."""

    def chances(self, pages: Values) -> Floats:
        """Return [pages, kinds] for pages [pages, items, COLUMNS]; each for itself."""
        scaled = (self.scale.features(pages) - self.middle) / self.spread
        logits = np.zeros((len(pages), KINDS))
        # Sums in a fixed order: a matrix product's last bits depend on the number of rows.
        for feature in range(scaled.shape[1]):
            logits += scaled[:, feature, None] * self.weights[feature]
        return _softmax(logits)


def fit_gates(
    lists: Sequence[Values], owners: Sequence[Ints], folds: Sequence[Ints], seed: int, count: int
) -> tuple[PageGate, ...]:
    """Return a gate without the people of each of `count` folds, and one of everybody.

    `lists` [lists, items, COLUMNS] are those of each kind, what was taken first.
    """
    flat = np.concatenate([each.reshape(-1, len(COLUMNS)) for each in lists])
    spread = flat.std(axis=0, dtype=np.float64)
    inverse = np.where(spread > 1e-6, 1.0 / np.maximum(spread, 1e-6), 0.0).astype(np.float32)
    middle = flat.mean(axis=0, dtype=np.float64).astype(np.float32)
    any_items = lists[0][:, 1:, 0].astype(np.float64)
    popular: Floats = np.quantile(any_items, (np.arange(_QUANTILES) + 0.5) / _QUANTILES)
    scale = PageScale(middle, inverse, popular)
    draws = rng(seed, "grounding", "pages")
    values, kinds, fold = [], [], []
    for kind, (each, own, mine) in enumerate(zip(lists, owners, folds, strict=True)):
        for page, whose in _pages(each, own, mine, draws):
            values.append(scale.features(page[None])[0])
            kinds.append(kind)
            fold.append(whose)
    table, kind_of, fold_of = np.stack(values), np.array(kinds), np.array(fold)
    return tuple(
        _gate(scale, table[fold_of != left], kind_of[fold_of != left]) for left in range(count + 1)
    )


def _pages(
    lists: Values, owners: Ints, folds: Ints, draws: Generator
) -> Iterator[tuple[Values, int]]:
    """Yield pages of one person each, of several shapes, with the person's fold."""
    order = np.argsort(owners, kind="stable")
    _, starts = np.unique(owners[order], return_index=True)
    groups = np.split(order, starts[1:].tolist())
    others = lists.shape[1] - 1
    for place in draws.permutation(2 * len(groups))[:PAGES].tolist():
        group = groups[place % len(groups)]
        taken, count = SHAPES[int(draws.integers(len(SHAPES)))]
        taken = min(taken, len(group))
        rows = draws.choice(group, min(len(group), max(taken, -(-count // others))), replace=False)
        rest = lists[rows][:, 1:].reshape(-1, lists.shape[2])
        rest = rest[draws.permutation(len(rest))[:count]]
        yield np.concatenate([lists[rows[:taken], 0], rest]), int(folds[group[0]])


def _gate(scale: PageScale, table: Floats, kinds: Ints) -> PageGate:
    """Return the multinomial logit of the kinds, all of which weigh the same."""
    from scipy.optimize import minimize

    middle, spread = table.mean(axis=0), table.std(axis=0)
    middle, spread = np.where(spread < 1e-9, 0.0, middle), np.where(spread < 1e-9, 1.0, spread)
    scaled, truth = (table - middle) / spread, np.eye(KINDS)[kinds]
    weight = 1.0 / np.maximum(np.bincount(kinds, minlength=KINDS), 1)[kinds]
    weight = weight / weight.sum()

    def loss(flat: Floats) -> tuple[float, Floats]:
        chances = _softmax(scaled @ flat.reshape(-1, KINDS))
        wrong = -float((weight * np.log(np.maximum((chances * truth).sum(axis=1), 1e-12))).sum())
        slope = scaled.T @ ((chances - truth) * weight[:, None])
        return wrong + 0.5 * _PENALTY * float(flat @ flat), slope.ravel() + _PENALTY * flat

    nothing = np.zeros(scaled.shape[1] * KINDS)
    with one_thread():
        fitted = minimize(loss, nothing, jac=True, method="L-BFGS-B", options={"maxiter": 200})
    return PageGate(scale, middle, spread, fitted.x.reshape(-1, KINDS))


def _softmax(logits: Floats) -> Floats:
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: Floats = raised / raised.sum(axis=1, keepdims=True)
    return shares
