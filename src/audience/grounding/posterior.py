"""Bayesian matrix factorisation of ratings, sampled by Gibbs.

After Salakhutdinov and Mnih (2008): the vectors of people and items are drawn in turn, given the
ratings and the other vectors, so that nothing has to be tuned but their length.
"""

from __future__ import annotations

from typing import cast

import msgspec
import numpy as np

from audience.recommenders import Sparse, one_thread
from audience.world import Floats, Generator, Ints

_ROWS = 8192
_START = 0.1
_NOISE = 1.5
"""Prior precision of a rating."""
_WEIGHT = 2.0
"""Pseudo-count of the prior that vectors are centred at zero."""


class CentredRatings(msgspec.Struct, frozen=True, eq=False):
    """Ratings minus their mean as a sparse matrix [people, items]."""

    values: Sparse
    there: Sparse
    """1 where there is a rating."""

    @classmethod
    def of(
        cls, people: Ints, items: Ints, values: Floats, shape: tuple[int, int]
    ) -> CentredRatings:
        """Return ratings from columns with each pair once."""
        from scipy.sparse import csr_array

        matrix = csr_array((values, (people, items)), shape)
        matrix.sort_indices()
        return cls._having(matrix)

    @classmethod
    def _having(cls, values: Sparse) -> CentredRatings:
        from scipy.sparse import csr_array

        ones = np.ones(len(values.data))
        return cls(values, csr_array((ones, values.indices, values.indptr), values.shape))

    def rows(self, people: Ints) -> CentredRatings:
        """Return the ratings of some people, in the given order."""
        return CentredRatings(self.values[people], self.there[people])

    def turned(self) -> CentredRatings:
        """Return the transposed ratings, by item."""
        values = self.values.T.tocsr()
        values.sort_indices()
        return self._having(values)

    @property
    def owners(self) -> Ints:
        """The row of each rating."""
        rows: Ints = np.repeat(np.arange(self.values.shape[0]), np.diff(self.values.indptr))
        return rows

    @property
    def items(self) -> Ints:
        return cast(Ints, self.values.indices)


class Sample(msgspec.Struct, frozen=True, eq=False):
    """A sample of all that a person's vector depends on."""

    items: Floats
    """[items, rank]: the vectors of the items."""
    mean: Floats
    """Mean and precision of people's vectors."""
    precision: Floats
    noise: float
    """The precision of a rating."""


def draw_samples(
    centred_ratings: CentredRatings,
    rank: int,
    rng: Generator,
    *,
    sweeps: int,
    burn: int,
    every: int,
) -> tuple[Sample, ...]:
    """Return every `every`-th sample after the first `burn`."""
    by_item = centred_ratings.turned()
    owners, where, values = (
        centred_ratings.owners,
        centred_ratings.items,
        centred_ratings.values.data,
    )
    people = _START * rng.standard_normal((centred_ratings.values.shape[0], rank))
    items = _START * rng.standard_normal((centred_ratings.values.shape[1], rank))
    noise, kept = _NOISE, []
    with one_thread():
        for sweep in range(sweeps):
            around = _around(items, rng)
            items = _drawn(by_item, Sample(people, *around, noise), rng)
            mean, precision = _around(people, rng)
            people = _drawn(centred_ratings, Sample(items, mean, precision, noise), rng)
            missed = values - _products(people, owners, items, where)
            noise = float(rng.gamma(1.0 + len(values) / 2.0, 1.0 / (1.0 + (missed**2).sum() / 2)))
            if sweep >= burn and (sweep - burn) % every == 0:
                kept.append(Sample(items, mean, precision, noise))
    return tuple(kept)


def expected(
    samples: tuple[Sample, ...], centred_ratings: CentredRatings, rows: Ints, items: Ints
) -> tuple[Floats, Floats]:
    """Return what row `rows[i]` makes of item `items[i]`, and of all it has rated.

    Both minus the mean. A row does not depend on the others.
    """
    asked, own = np.zeros(len(rows)), np.zeros(len(centred_ratings.items))
    owners = centred_ratings.owners
    for sample in samples:
        points = _points(centred_ratings, sample)
        asked += _products(points, rows, sample.items, items)
        own += _products(points, owners, sample.items, centred_ratings.items)
    return np.round(asked / len(samples), 6), np.round(own / len(samples), 6)


def _products(people: Floats, rows: Ints, items: Floats, columns: Ints) -> Floats:
    products: Floats = np.einsum("nk,nk->n", people[rows], items[columns])
    return products


def _points(centred_ratings: CentredRatings, sample: Sample) -> Floats:
    """Return the posterior mean of each row's vector."""
    points = np.empty((centred_ratings.values.shape[0], sample.items.shape[1]))
    for start in range(0, len(points), _ROWS):
        part = slice(start, start + _ROWS)
        systems, linear = _systems(centred_ratings, sample, part)
        points[part] = np.linalg.solve(systems, linear[:, :, None])[:, :, 0]
    return points


def _drawn(centred_ratings: CentredRatings, sample: Sample, rng: Generator) -> Floats:
    """Return a sample of each row's vector."""
    points = rng.standard_normal((centred_ratings.values.shape[0], sample.items.shape[1]))
    for start in range(0, len(points), _ROWS):
        part = slice(start, start + _ROWS)
        systems, linear = _systems(centred_ratings, sample, part)
        roots = np.linalg.cholesky(systems)
        moved = np.linalg.solve(roots, linear[:, :, None]) + points[part][:, :, None]
        points[part] = np.linalg.solve(roots.transpose(0, 2, 1), moved)[:, :, 0]
    return points


def _systems(centred_ratings: CentredRatings, sample: Sample, part: slice) -> tuple[Floats, Floats]:
    """Return precision and linear term of the vectors of some rows."""
    points, rank = sample.items, sample.items.shape[1]
    first, second = np.tril_indices(rank)
    half = centred_ratings.there[part] @ (points[:, first] * points[:, second])
    systems = np.empty((len(half), rank, rank))
    systems[:, first, second] = half
    systems[:, second, first] = half
    pulled = np.einsum("jk,k->j", sample.precision, sample.mean)
    return sample.noise * systems + sample.precision, (
        sample.noise * (centred_ratings.values[part] @ points) + pulled
    )


def _around(points: Floats, rng: Generator) -> tuple[Floats, Floats]:
    """Return a sample of the mean and precision of vectors."""
    count, rank = points.shape
    mean = points.mean(axis=0)
    apart = points - mean
    weight = _WEIGHT + count
    spread = np.eye(rank) + apart.T @ apart + _WEIGHT * count / weight * np.outer(mean, mean)
    inverse = np.linalg.inv(spread)
    precision = _wishart((inverse + inverse.T) / 2.0, rank + count, rng)
    root = np.linalg.cholesky(weight * precision)
    moved = np.linalg.solve(root.T, rng.standard_normal(rank))
    return count * mean / weight + moved, precision


def _wishart(scale: Floats, freedom: int, rng: Generator) -> Floats:
    """Return a sample of a Wishart matrix, by Bartlett's decomposition."""
    rank = len(scale)
    lower = np.tril(rng.standard_normal((rank, rank)), -1)
    lower[np.diag_indices(rank)] = np.sqrt(rng.chisquare(freedom - np.arange(rank)))
    root = np.linalg.cholesky(scale) @ lower
    sample: Floats = root @ root.T
    return sample
