"""Interactions as sparse matrices, the input of most methods, and related helpers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from audience.errors import BadInput
from audience.recommenders.recommender import Context
from audience.recommenders.view import RecommenderView
from audience.world import Bools, Ints

Sparse = Any
"""A scipy.sparse.csr_array; scipy has no types of its own and is slow to import."""


def lived_matrix(interactions: RecommenderView, min_stars: int = 0) -> Sparse:
    """Return [people + 1, items]: the watched fraction of each item, at most 1.

    The last row is empty, for unknown people. Items rated below `min_stars` are left out.
    """
    from scipy.sparse import csr_array

    kept = counted(interactions, min_stars)
    shape = (interactions.people + 1, len(interactions.catalogue))
    places = (interactions.agents[kept], interactions.items[kept])
    matrix = csr_array((interactions.fractions[kept], places), shape)
    matrix.sum_duplicates()
    np.minimum(matrix.data, np.float32(1.0), out=matrix.data)
    matrix.eliminate_zeros()
    return matrix


def counted(interactions: RecommenderView, min_stars: int) -> Bools:
    """Return which interactions count: rated well enough, or unrated."""
    stars = interactions.stars
    kept: Bools = (stars == 0) | (stars >= min_stars)
    return kept


def rows_for(matrix: Sparse, users: Ints, context: Context) -> Sparse:
    """Return what each user watched: from the context if given, else from the fit."""
    if context.lived is None:
        return matrix[known(users, matrix.shape[0] - 1)]
    return listed(context.lived, matrix.shape[1])


def known(users: Ints, people: int) -> Ints:
    """Return the users, with `people` in place of those added after the fit."""
    return np.where((users >= 0) & (users < people), users, people)


def listed(lists: Sequence[tuple[int, ...]], items: int) -> Sparse:
    """Return [lists, items]: 1 where a list names the item, without items added after the fit."""
    from scipy.sparse import csr_array

    owners, places = flat(lists, items)
    matrix = csr_array((np.ones(len(places), np.float32), (owners, places)), (len(lists), items))
    matrix.sum_duplicates()
    matrix.data[:] = 1.0
    return matrix


def flat(lists: Sequence[tuple[int, ...]], items: int) -> tuple[Ints, Ints]:
    """Return the list and the item of each entry, without items added after the fit."""
    counts = [len(items_) for items_ in lists]
    places = np.fromiter((item for items_ in lists for item in items_), np.int64, sum(counts))
    owners = np.repeat(np.arange(len(lists)), counts)
    inside = places < items
    return owners[inside], places[inside]


def packed(matrix: Sparse) -> bytes:
    """Return a matrix as bytes, rounded."""
    values: bytes = np.round(matrix.data, 6).tobytes()
    places: bytes = matrix.indices.tobytes()
    return values + places


@contextmanager
def one_thread() -> Iterator[None]:
    """Run matrix products on one thread, since their last bits depend on the number of threads."""
    # Only loaded libraries are limited, and scipy brings its own.
    import scipy.linalg  # noqa: F401
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1, user_api="blas"):
        yield


def check_size(kind: str, items: int, most: int, instead: str) -> None:
    """Refuse a catalogue that is too large for a method that is dense in the items."""
    if items > most:
        raise BadInput(
            f"recommender {kind!r} bears at most {most:,} items and the catalogue has {items:,}; "
            f"use {instead}"
        )
