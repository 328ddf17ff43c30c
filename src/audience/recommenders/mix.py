"""Mixtures of recommenders, and a wrapper that adds explanations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
import numpy as np

from audience.errors import BadInput, unknown
from audience.outside import PartOf
from audience.plugins import find
from audience.ranges import check_options
from audience.recommenders.recommender import Context, Ranked, Ranker, Recommender, learnt_by
from audience.recommenders.view import ItemTable, RecommenderView
from audience.world import Bools, Floats, Generator, Ints

Part = Annotated[str | Mapping[str, Any] | Recommender, PartOf("recommenders")]
WAYS = ("ranks", "scores")
_SOFT = 60.0


class Mix:
    """Scores items by the weighted sum of several recommenders.

    `parts` are kinds, kinds with their options, or recommenders; `weights` default to 1. By `ranks`
    an item gets 1 / (60 + rank) from each part; by `scores` its distance above the least of the
    user's best items, in standard deviations.
    """

    def __init__(
        self, parts: Sequence[Part], weights: Sequence[float] | None = None, by: str = "ranks"
    ) -> None:
        if not parts or (weights is not None and len(weights) != len(parts)):
            raise BadInput(
                f"mix: {len(parts)} parts and {len(weights or ())} weights; give at least one part "
                "and a weight for each, or no weights"
            )
        if by not in WAYS:
            raise unknown("mix: by", by, WAYS)
        self.parts = tuple(part_of(part) for part in parts)
        self.weights = tuple(weights or [1.0] * len(parts))
        self.by = by

    def fit(self, interactions: RecommenderView, rng: Generator) -> Ranker:
        draws = zip(self.parts, rng.spawn(len(self.parts)), strict=True)
        fitted = tuple(part.fit(interactions, own) for part, own in draws)
        return Mixed(fitted, self.weights, self.by, len(interactions.catalogue))


@dataclass(frozen=True, eq=False)
class Mixed:
    """Merges the best items of each part."""

    parts: tuple[Ranker, ...]
    weights: tuple[float, ...]
    by: str
    items: int

    def learnt(self) -> bytes:
        return b"".join(learnt_by(part) for part in self.parts)

    def rank(self, users: Ints, k: int, context: Context) -> Ints:
        depth = min(self.items, max(4 * k, 100))
        found, points = [], []
        for part, weight in zip(self.parts, self.weights, strict=True):
            items, worth = self._worth(part, users, depth, context)
            found.append(items)
            points.append(weight * worth)
        return merged(np.hstack(found), np.hstack(points), k)

    def _worth(
        self, part: Ranker, users: Ints, depth: int, context: Context
    ) -> tuple[Ints, Floats]:
        ranked = part.rank(users, depth, context)
        items = np.asarray(ranked)
        worth = np.broadcast_to(1.0 / (_SOFT + np.arange(1, depth + 1)), items.shape)
        if self.by == "ranks":
            return items, worth
        if isinstance(ranked, Ranked) and ranked.scores is not None:
            worth = ranked.scores
        return items, distances(worth, (items >= 0) & ~np.isnan(worth))


def distances(scores: Floats, there: Bools) -> Floats:
    """Return how far each score is above the least of its row, in standard deviations.

    Above the least and not the mean, so that an item left out by a part gets 0 from it.
    """
    counts = np.maximum(there.sum(axis=1, keepdims=True), 1)
    kept = np.where(there, scores, 0.0)
    mean = kept.sum(axis=1, keepdims=True) / counts
    spread = np.sqrt((np.where(there, scores - mean, 0.0) ** 2).sum(axis=1, keepdims=True) / counts)
    least = np.where(there, scores, np.inf).min(axis=1, keepdims=True, initial=np.inf)
    return np.where(there, (scores - least) / np.maximum(spread, 1e-9), 0.0)


def merged(items: Ints, points: Floats, k: int) -> Ints:
    """Return [rows, k]: the items with the most points of each row, ties to the lower id."""
    slates = np.full((len(items), k), -1, np.int64)
    rows = np.repeat(np.arange(len(items)), items.shape[1])
    flat, worth = items.ravel(), points.ravel()
    there = flat >= 0
    rows, flat, worth = rows[there], flat[there], worth[there]
    if not len(rows):
        return slates
    cells, inverse = np.unique(rows * (int(flat.max()) + 1) + flat, return_inverse=True)
    total = np.round(np.bincount(inverse, worth), 9)
    owners, which = np.divmod(cells, int(flat.max()) + 1)
    order = np.lexsort((which, -total, owners))
    owners, which = owners[order], which[order]
    place = np.arange(len(owners)) - np.searchsorted(owners, owners)
    kept = place < k
    slates[owners[kept], place[kept]] = which[kept]
    return slates


def part_of(part: Part) -> Recommender:
    """Return the recommender that a kind, or a kind with its options, describes."""
    if not isinstance(part, str | Mapping):
        return part
    options = {} if isinstance(part, str) else dict(part)
    kind = part if isinstance(part, str) else options.pop("kind", None)
    if not isinstance(kind, str):
        raise BadInput(f'mix: part {part!r} has no kind; write {{ kind = "popular" }}')
    make = find("recommenders", kind)
    if str(getattr(make, "__module__", "")).startswith("audience."):
        check_options("recommender", options, f"mix: {kind!r}")
    try:
        made: Recommender = make(**options)
    except TypeError as error:
        raise BadInput(f"mix: {kind!r} does not take these options: {error}") from error
    return made


class Explained:
    """Ranks like `of`, and adds explanations.

    An item with one of the `most` frequent tags of a user's history gets the reason "Because you
    like TAG"; the others get none.
    """

    def __init__(self, of: Part = "ease", most: int = 2) -> None:
        self.of = part_of(of)
        self.most = most

    def fit(self, interactions: RecommenderView, rng: Generator) -> Explaining:
        ranker = self.of.fit(interactions, rng)
        lived: dict[int, list[int]] = {}
        columns = (interactions.agents.tolist(), interactions.items.tolist())
        for agent, item in zip(*columns, strict=True):
            lived.setdefault(agent, []).append(item)
        return Explaining(ranker, interactions.catalogue, lived, self.most)


@dataclass(frozen=True, eq=False)
class Explaining:
    """A ranker with explanations."""

    ranker: Ranker
    catalogue: ItemTable
    lived: dict[int, list[int]]
    most: int

    def learnt(self) -> bytes:
        return learnt_by(self.ranker)

    def rank(self, users: Ints, k: int, context: Context) -> Ranked:
        ranked = self.ranker.rank(users, k, context)
        items = np.asarray(ranked)
        reasons = []
        for row, user in enumerate(users.tolist()):
            lived = context.lived[row] if context.lived is not None else self.lived.get(user, [])
            reasons.append(self._reasons(items[row].tolist(), lived))
        if isinstance(ranked, Ranked):
            return msgspec.structs.replace(ranked, reasons=reasons)
        return Ranked(items, reasons=reasons)

    def _reasons(self, items: Sequence[int], lived: Sequence[int]) -> list[str]:
        tags_of, tags = self.catalogue.tags_of, self.catalogue.tags
        counts = Counter(tag for item in lived for tag in tags_of[item])
        liked = sorted(counts, key=lambda tag: (-counts[tag], tag))[: self.most]
        found = []
        for item in items:
            shared = [tag for tag in liked if item >= 0 and tag in tags_of[item]]
            found.append(f"Because you like {tags[shared[0]]}" if shared else "")
        return found
