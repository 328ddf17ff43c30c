"""Simple recommenders, the baselines of every experiment: popular, random, none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from audience.recommenders.matrix import flat
from audience.recommenders.recommender import Context, Ranked
from audience.recommenders.view import RecommenderView
from audience.world import Bools, Floats, Generator, Ints


@dataclass(frozen=True, eq=False)
class Popular:
    """The most watched items first; ties go to the lower id.

    An interaction counts by its watched fraction. `half_life_days` lets old ones fade and
    `window_days` drops older ones, counted back from the newest; 0 disables either.
    """

    half_life_days: float = 0.0
    window_days: float = 0.0

    def fit(self, interactions: RecommenderView, rng: Generator) -> FixedOrder:
        del rng
        return self.order(interactions)

    def order(self, interactions: RecommenderView) -> FixedOrder:
        """Return the items by popularity."""
        counts = interactions.fractions.astype(np.float64)
        if len(interactions):
            age = (interactions.at.max() - interactions.at) / 86400.0
            if self.half_life_days > 0:
                counts = counts * 0.5 ** (age / self.half_life_days)
            if self.window_days > 0:
                counts = counts * (age <= self.window_days)
        scores = np.bincount(interactions.items, counts, minlength=len(interactions.catalogue))
        return FixedOrder(np.round(scores, 6))


_TABLE = 1 << 22
"""Cells of users and items up to which a table of them is faster than a search."""


class FixedOrder:
    """The same order of items for everybody, without each user's exclusions."""

    def __init__(self, scores: Floats) -> None:
        self.scores = scores
        self.order = np.argsort(-scores, kind="stable")

    @cached_property
    def places(self) -> Ints:
        """The rank of each item."""
        places = np.empty(len(self.order), np.int64)
        places[self.order] = np.arange(len(self.order))
        return places

    def learnt(self) -> bytes:
        return self.scores.tobytes()

    def rank(self, users: Ints, k: int, context: Context) -> Ints:
        if context.candidates is not None:
            return self._among(context.candidates, k, context)
        longest = max((len(items) for items in context.exclude), default=0)
        head = self.order[: min(len(self.order), k + longest)]
        rows = np.broadcast_to(head, (len(users), len(head)))
        return first_allowed(rows, allowed_in(rows, context, len(self.order)), k)

    def _among(self, candidates: Sequence[tuple[int, ...]], k: int, context: Context) -> Ints:
        slates = np.full((len(candidates), k), -1, np.int64)
        for row, items in enumerate(candidates):
            fitting = [item for item in set(items) if 0 <= item < len(self.order)]
            left = np.setdiff1d(np.array(fitting, np.int64), context.exclude[row])
            found = left[np.argsort(self.places[left])][:k]
            slates[row, : len(found)] = found
        return slates


class Random:
    """Uniformly random items, drawn by name for each user and page."""

    def fit(self, interactions: RecommenderView, rng: Generator) -> Shuffled:
        del rng
        return Shuffled(len(interactions.catalogue))


@dataclass(frozen=True, eq=False)
class Shuffled:
    """Draws items without replacement from what a user may still see."""

    items: int

    def rank(self, users: Ints, k: int, context: Context) -> Ints:
        slates = np.empty((len(users), k), np.int64)
        chosen = context.candidates is not None
        crowded = np.array(
            [chosen or (k + len(barred)) * 4 >= self.items for barred in context.exclude], np.bool_
        )
        for rows, draw in ((crowded, self._by_hash), (~crowded, self._by_rejection)):
            if rows.any():
                slates[rows] = draw(k, context.part(np.flatnonzero(rows)))
        return slates

    def _by_hash(self, k: int, context: Context) -> Ints:
        rows = np.argsort(context.dice.integers("item", self.items), axis=1, kind="stable")
        return first_allowed(rows, allowed_in(rows, context, self.items), k)

    def _by_rejection(self, k: int, context: Context) -> Ints:
        tries = 2 * k + 12
        rows = (context.dice.integers("item", tries) % np.uint64(self.items)).astype(np.int64)
        slates = first_allowed(rows, allowed_in(rows, context, self.items) & firsts(rows), k)
        short = np.flatnonzero(slates[:, -1] < 0)
        if len(short):
            slates[short] = self._by_hash(k, context.part(short))
        return slates


def allowed_in(rows: Ints, context: Context, items: int) -> Bools:
    """Return which of the offered items may be shown to their user."""
    allowed = ~_named(rows, context.exclude, items)
    if context.candidates is not None:
        allowed &= _named(rows, context.candidates, items)
    return allowed


def _named(rows: Ints, lists: Sequence[tuple[int, ...]], items: int) -> Bools:
    owners, places = flat(lists, items)
    if not len(places):
        return np.zeros(rows.shape, np.bool_)
    if len(lists) * items <= _TABLE:
        named = np.zeros((len(lists), items), np.bool_)
        named[owners, places] = True
        return np.take_along_axis(named, rows, axis=1)
    cells = np.arange(len(lists))[:, None] * items + rows
    return np.isin(cells, owners * items + places)


def firsts(rows: Ints) -> Bools:
    """Return which candidates are the first occurrence in their row."""
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


class NoRecommender:
    """No recommender: pages stay empty, so that people only find what they search for."""

    def fit(self, interactions: RecommenderView, rng: Generator) -> Empty:
        del interactions, rng
        return Empty()


class Empty:
    """Shows nothing."""

    checks_itself = True
    """Empty slates are intended here."""

    def rank(self, users: Ints, k: int, context: Context) -> Ranked:
        del context
        return Ranked(np.full((len(users), k), -1, np.int64))
