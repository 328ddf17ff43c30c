"""Recommenders that need no learning to speak of: the controls of every experiment."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from audience.recommenders.kinds import Context, Ranker
from audience.world.interactions import Interactions
from audience.world.rng import Bools, Floats, Generator, Ints


class Popular:
    """What was enjoyed most often comes first; ties go to the lower id.

    An interaction counts as much as was lived of it. `half_life_days` lets old ones fade; 0 keeps
    them for ever.
    """

    def __init__(self, half_life_days: float = 0.0) -> None:
        self.half_life_days = half_life_days

    def fit(self, interactions: Interactions, rng: Generator) -> Ranker:
        del rng
        counts = interactions.fractions.astype(np.float64)
        if self.half_life_days > 0 and len(interactions):
            at = interactions.at
            counts = counts * 0.5 ** ((at.max() - at) / (86400.0 * self.half_life_days))
        scores = np.bincount(interactions.items, counts, minlength=len(interactions.catalogue))
        return Ordered(np.round(scores, 6))


class Ordered:
    """The same order of items for everybody, less what each must not see."""

    def __init__(self, scores: Floats) -> None:
        self.scores = scores
        self.order = np.argsort(-scores, kind="stable")

    def learnt(self) -> bytes:
        return self.scores.tobytes()

    def rank(self, users: Ints, k: int, context: Context) -> Ints:
        longest = max((len(items) for items in context.exclude), default=0)
        head = self.order[: min(len(self.order), k + longest)]
        rows = np.broadcast_to(head, (len(users), len(head)))
        return first_allowed(rows, allowed_in(rows, context.exclude, len(self.order)), k)


class Random:
    """Uniformly random items, drawn by name for each user and page."""

    def fit(self, interactions: Interactions, rng: Generator) -> Ranker:
        del rng
        return Shuffled(len(interactions.catalogue))


class Shuffled:
    """Draws items without replacement from what a user may still see."""

    def __init__(self, items: int) -> None:
        self.items = items

    def rank(self, users: Ints, k: int, context: Context) -> Ints:
        slates = np.empty((len(users), k), np.int64)
        crowded = np.array([(k + len(barred)) * 4 >= self.items for barred in context.exclude])
        for rows, draw in ((crowded, self._by_hash), (~crowded, self._by_rejection)):
            if rows.any():
                slates[rows] = draw(k, part_of(context, np.flatnonzero(rows)))
        return slates

    def _by_hash(self, k: int, context: Context) -> Ints:
        rows = np.argsort(context.dice.integers("item", self.items), axis=1, kind="stable")
        return first_allowed(rows, allowed_in(rows, context.exclude, self.items), k)

    def _by_rejection(self, k: int, context: Context) -> Ints:
        tries = 2 * k + 12
        rows = (context.dice.integers("item", tries) % np.uint64(self.items)).astype(np.int64)
        slates = first_allowed(
            rows, allowed_in(rows, context.exclude, self.items) & firsts(rows), k
        )
        short = np.flatnonzero(slates[:, -1] < 0)
        if len(short):
            slates[short] = self._by_hash(k, part_of(context, short))
        return slates


def part_of(context: Context, rows: Ints) -> Context:
    """Return what is told about the users in `rows`."""
    exclude = [context.exclude[row] for row in rows.tolist()]
    return Context(context.moments[rows], context.pages[rows], exclude, context.dice.pick(rows))


def allowed_in(rows: Ints, exclude: Sequence[tuple[int, ...]], items: int) -> Bools:
    """Return [users, candidates]: whether each candidate may be shown to its user."""
    counts = [len(barred) for barred in exclude]
    total = sum(counts)
    if not total:
        return np.ones(rows.shape, np.bool_)
    barred = np.fromiter((item for items_ in exclude for item in items_), np.int64, total)
    owners = np.repeat(np.arange(len(exclude)), counts)
    places = np.arange(len(exclude))[:, None] * items + rows
    return ~np.isin(places, owners * items + barred)


def firsts(rows: Ints) -> Bools:
    """Return [users, candidates]: whether a candidate stands there for the first time."""
    order = np.argsort(rows, axis=1, kind="stable")
    ordered = np.take_along_axis(rows, order, axis=1)
    fresh = np.ones(rows.shape, np.bool_)
    fresh[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    first = np.empty_like(fresh)
    np.put_along_axis(first, order, fresh, axis=1)
    return first


def first_allowed(rows: Ints, allowed: Bools, k: int) -> Ints:
    """Return [users, k]: the first k allowed candidates of each row, -1 where there are fewer."""
    slates = np.full((len(rows), k), -1, np.int64)
    place = np.cumsum(allowed, axis=1) - 1
    user, column = np.nonzero(allowed & (place < k))
    slates[user, place[user, column]] = rows[user, column]
    return slates
