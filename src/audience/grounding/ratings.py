"""Ratings as real people give them: what is expected, and stars drawn over the whole scale."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from audience.errors import BadInput
from audience.grounding._posterior import Given, Sample, draw_samples, expected
from audience.grounding._stars import (
    STARS,
    Scale,
    Ways,
    chances_of,
    drawn_stars,
    fit_scale,
    ways_of,
    whole,
)
from audience.grounding.lives import Lives
from audience.recommenders.matrix import known
from audience.world.rng import Dice, Floats, Generator, Ints, rng

LEAST = 50
"""Ratings below which nothing is fitted."""
RANKS = (4, 8, 12)
_HELD = 0.1
"""Share of the training part on which the length of points and the scale are chosen."""

History = Sequence[tuple[int, float]]
"""Items with the stars somebody gave them; 0 stars say nothing."""


class Rater:
    """What people make of items. Fitted on a training part; pure afterwards.

    Everything about a person comes from its own ratings, so that people who were not there when it
    was fitted are read in the same way as those who were; each is read as it would be alone.
    """

    def __init__(
        self, centre: float, bounds: tuple[float, float], given: Given, samples: tuple[Sample, ...]
    ) -> None:
        self.centre = centre
        self.bounds = bounds
        self.given = given
        """Of everybody in the fit; the last row is empty: that of people nobody knows."""
        self.samples = samples
        self.rank = int(samples[0].items.shape[1])
        self.scale = Scale((), 1.0, 0.0, 0.0, (), 1.0)
        self.tried: dict[int, float] = {}
        """The error of each length of points on ratings set aside within the training part."""

    def predict(self, users: Ints, items: Ints) -> Floats:
        """Return the stars expected from user i for item i."""
        rows, given = self._known(users)
        return self._within(expected(self.samples, given, rows, items)[0])

    def predict_for(
        self, histories: Sequence[History], items: Sequence[Sequence[int]]
    ) -> list[Floats]:
        """Return the stars expected for each of `items[i]` from somebody with `histories[i]`."""
        rows, places, cuts = _flat(items)
        asked, _ = expected(self.samples, self._told(histories), rows, places)
        return np.split(self._within(asked), cuts)

    def chances(self, users: Ints, items: Ints) -> Floats:
        """Return [rows, 5]: the chance of one to five stars from user i for item i."""
        rows, given = self._known(users)
        return self._chances(given, rows, items)

    def chances_for(
        self, histories: Sequence[History], items: Sequence[Sequence[int]]
    ) -> list[Floats]:
        """Return the same for each of `items[i]` from somebody with `histories[i]`."""
        rows, places, cuts = _flat(items)
        return np.split(self._chances(self._told(histories), rows, places), cuts)

    def sample(self, users: Ints, items: Ints, dice: Dice) -> Ints:
        """Return stars, 1 to 5, drawn for user i and item i with key i of the dice."""
        return drawn_stars(self.chances(users, items), dice.uniform("stars"))

    def _known(self, users: Ints) -> tuple[Ints, Given]:
        people = known(users, self.given.values.shape[0] - 1)
        here, rows = np.unique(people, return_inverse=True)
        return rows, self.given.rows(here)

    def _told(self, histories: Sequence[History]) -> Given:
        many = self.given.values.shape[1]
        rated = [
            {item: stars for item, stars in one if stars > 0 and item < many} for one in histories
        ]
        owners = np.repeat(np.arange(len(rated)), [len(one) for one in rated])
        items = np.array([item for one in rated for item in one], np.int64)
        values = np.array([stars for one in rated for stars in one.values()], np.float64)
        return Given.of(owners, items, values - self.centre, (len(rated), many))

    def _within(self, apart: Floats) -> Floats:
        found: Floats = np.clip(self.centre + apart, *self.bounds)
        return found

    def _chances(self, given: Given, rows: Ints, items: Ints) -> Floats:
        asked, own = expected(self.samples, given, rows, items)
        ways = self._ways(given, own, self.scale.usual, self.scale.missed)
        return chances_of(self.scale, self._within(asked), rows, ways)

    def _ways(self, given: Given, own: Floats, usual: tuple[float, ...], missed: float) -> Ways:
        stars = given.values.data + self.centre
        people = given.values.shape[0]
        return ways_of(people, given.owners, stars, self._within(own), usual, missed)

    def learn_scale(self, held: Rated | None = None, scale: Scale | None = None) -> None:
        """Fit the scale on ratings that were `held` back, or take the shape of another's."""
        rows = held.users if held else np.empty(0, np.int64)
        asked, own = expected(
            self.samples, self.given, rows, held.items if held else np.empty(0, np.int64)
        )
        stars = self.given.values.data + self.centre
        counts = np.bincount(whole(stars), minlength=STARS + 1)[1:] + 1.0
        usual = tuple((counts / counts.sum()).tolist())
        missed = max(float(((stars - self._within(own)) ** 2).mean()), 1e-3)
        if held is not None:
            ways = self._ways(self.given, own, usual, missed)
            self.scale = fit_scale(held.stars, self._within(asked), rows, ways, usual, missed)
        if scale is not None:
            self.scale = msgspec.structs.replace(scale, usual=usual, missed=missed)


class Rated(msgspec.Struct, frozen=True, eq=False):
    """Ratings as columns, each pair of person and item once."""

    users: Ints
    items: Ints
    stars: Floats

    def rows(self, chosen: Ints) -> Rated:
        return Rated(self.users[chosen], self.items[chosen], self.stars[chosen])


def rated_in(lives: Lives) -> Rated:
    """Return the last rating of each person for each item."""
    there = np.flatnonzero(lives.stars > 0)
    pairs = lives.users[there] * len(lives.catalogue) + lives.items[there]
    _, last = np.unique(pairs[::-1], return_index=True)
    rows = np.sort(there[len(there) - 1 - last])
    return Rated(lives.users[rows], lives.items[rows], lives.stars[rows])


def fit_ratings(
    lives: Lives, seed: int = 1, *, ranks: Sequence[int] = RANKS, sweeps: int = 140
) -> Rater:
    """Return a rater from the ratings of a training part.

    The length of points and the scale are chosen on a tenth of them that is set aside for it; then
    all are fitted. `sweeps` is how often everything is drawn anew in that last fit.
    """
    rated = rated_in(lives)
    if len(rated.users) < LEAST:
        raise BadInput(
            f"ratings cannot be learnt from {len(rated.users)} ratings; give data with at least "
            f"{LEAST}"
        )
    shape = (lives.people, len(lives.catalogue))
    order = rng(seed, "ratings", "held").permutation(len(rated.users))
    held = max(1, int(_HELD * len(order)))
    inner, aside = rated.rows(np.sort(order[held:])), rated.rows(np.sort(order[:held]))
    best, tried = None, {}
    for rank in dict.fromkeys(ranks):
        rater = _drawn(inner, shape, rank, rng(seed, "ratings", "try", rank), sweeps * 2 // 3)
        missed = rater.predict(aside.users, aside.items) - aside.stars
        tried[rank] = round(float(np.sqrt((missed**2).mean())), 6)
        if best is None or tried[rank] < tried[best.rank]:
            best = rater
    if best is None:
        raise BadInput("no length of points was given; give at least one rank, such as 8")
    best.learn_scale(held=aside)
    rater = _drawn(rated, shape, best.rank, rng(seed, "ratings", "fit"), sweeps)
    rater.learn_scale(scale=best.scale)
    rater.tried = tried
    return rater


def _drawn(rated: Rated, shape: tuple[int, int], rank: int, draws: Generator, sweeps: int) -> Rater:
    centre = float(rated.stars.mean())
    size = (shape[0] + 1, shape[1])
    given = Given.of(rated.users, rated.items, rated.stars - centre, size)
    kept = sweeps * 2 // 7
    samples = draw_samples(given, rank, draws, sweeps=sweeps, burn=kept, every=2)
    bounds = (min(1.0, float(rated.stars.min())), float(max(STARS, rated.stars.max())))
    return Rater(centre, bounds, given, samples)


def _flat(lists: Sequence[Sequence[int]]) -> tuple[Ints, Ints, Ints]:
    """Return the list and the item of each entry, and where one list ends and the next begins."""
    sizes = np.array([len(one) for one in lists], np.int64)
    rows = np.repeat(np.arange(len(sizes)), sizes)
    places = np.array([item for one in lists for item in one], np.int64)
    return rows, places, np.cumsum(sizes)[:-1]
