"""The rating model: expected ratings, and whole stars as each person gives them.

Expectations are close to the middle; people use the whole scale, each in their own way.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from audience.errors import BadInput
from audience.grounding.lives import Lives
from audience.grounding.posterior import CentredRatings, Sample, draw_samples, expected
from audience.recommenders import known
from audience.world import Dice, Floats, Generator, Ints, rng

STARS = 5
_BOUNDS = np.array([1.5, 2.5, 3.5, 4.5])
_WIDTH = 0.45
_DOUBT = 10.0
"""Pseudo-count by which a person's use of the scale is shrunk towards the usual one."""
_LEAST = 1e-6


class Scale(msgspec.Struct, frozen=True, eq=False):
    """Stars given an expectation m: bounds smoothed by a logistic, then the person's own use.

    P(at most k stars) = logistic((bounds[k] - m) / (width * spread^power)); a person's spread is
    how far their ratings are from expectations, 1 for the usual. Then star k is weighed by
    (its share in the person's ratings / the share expected there)^lean.
    """

    bounds: tuple[float, ...]
    width: float
    power: float
    lean: float
    usual: tuple[float, ...]
    """The shares of the stars over all people."""
    missed: float
    """The mean squared distance of all ratings from their expectations."""


class Ways(msgspec.Struct, frozen=True, eq=False):
    """How each of some people uses the scale."""

    spread: Floats
    own: Floats
    """[people, stars]: the log ratio of the person's share to the expected share."""


def whole(stars: Floats) -> Ints:
    """Return whole stars, rounded up: 0.5 is one star."""
    rounded: Ints = np.clip(np.floor(stars + 0.5), 1, STARS).astype(np.int64)
    return rounded


def ways_of(
    people: int,
    owners: Ints,
    stars: Floats,
    expectations: Floats,
    usual: tuple[float, ...],
    missed: float,
) -> Ways:
    """Return how people use the scale, from their ratings and the expectations of these."""
    counts = np.bincount(owners, minlength=people)
    apart = np.bincount(owners, (stars - expectations) ** 2, people)
    spread = np.sqrt((apart + _DOUBT * missed) / (counts + _DOUBT) / missed)
    chances = _smeared(expectations, _BOUNDS, _WIDTH * spread[owners])
    rated = whole(stars)
    shares = np.array(usual)
    own = np.empty((people, STARS))
    for star in range(STARS):
        seen = np.bincount(owners, rated == star + 1, people) + _DOUBT * shares[star]
        meant = np.bincount(owners, chances[:, star], people) + _DOUBT * shares[star]
        own[:, star] = np.log(seen / meant)
    return Ways(spread, own)


def chances_of(scale: Scale, expectations: Floats, owners: Ints, ways: Ways) -> Floats:
    """Return [rows, stars]: the probability of one to five stars."""
    width = scale.width * ways.spread[owners] ** scale.power
    plain = _smeared(expectations, np.array(scale.bounds), width)
    weighed = plain * np.exp(scale.lean * ways.own[owners])
    chances: Floats = weighed / weighed.sum(axis=1, keepdims=True)
    return chances


def drawn_stars(chances: Floats, draws: Floats) -> Ints:
    """Return whole stars, 1 to 5, for a uniform number per row."""
    below = (np.cumsum(chances, axis=1) <= draws[:, None]).sum(axis=1)
    drawn: Ints = 1 + np.minimum(below, STARS - 1)
    return drawn


def fit_scale(
    stars: Floats,
    expectations: Floats,
    owners: Ints,
    ways: Ways,
    usual: tuple[float, ...],
    missed: float,
) -> Scale:
    """Return the scale of highest likelihood for ratings held out from their expectations."""
    from scipy.optimize import minimize

    rated, rows = whole(stars) - 1, np.arange(len(stars))

    def unlikely(x: Floats) -> float:
        chances = chances_of(_scale(x, usual, missed), expectations, owners, ways)
        return -float(np.log(np.maximum(chances[rows, rated], _LEAST)).mean())

    start = np.array([_BOUNDS[0], 0.0, 0.0, 0.0, np.log(_WIDTH), 0.5, 0.5])
    limits = [(-1.0, 5.0), *[(-3.0, 2.0)] * 3, (-3.0, 1.0), (0.0, 2.0), (0.0, 1.5)]
    return _scale(minimize(unlikely, start, method="L-BFGS-B", bounds=limits).x, usual, missed)


def _scale(x: Floats, usual: tuple[float, ...], missed: float) -> Scale:
    bounds = x[0] + np.concatenate([[0.0], np.cumsum(np.exp(x[1:4]))])
    return Scale(
        tuple(bounds.tolist()), float(np.exp(x[4])), float(x[5]), float(x[6]), usual, missed
    )


def _smeared(expectations: Floats, bounds: Floats, width: Floats) -> Floats:
    reach = (bounds[None, :] - expectations[:, None]) / width[:, None]
    upto = 1.0 / (1.0 + np.exp(-np.clip(reach, -30.0, 30.0)))
    edges = np.zeros((len(expectations), 1))
    return np.maximum(np.diff(np.hstack([edges, upto, edges + 1.0]), axis=1), _LEAST)


class PlainBiases(msgspec.Struct, frozen=True, eq=False):
    """What each item gets above the mean, and how a person's own leaning is found."""

    of_item: Floats
    doubt: float
    """Pseudo-count by which leanings are shrunk towards none."""

    def expected(
        self, centred_ratings: CentredRatings, rows: Ints, items: Ints
    ) -> tuple[Floats, Floats]:
        """Return what row `rows[i]` makes of item `items[i]`, and of all it has rated."""
        owners, rated = centred_ratings.owners, centred_ratings.items
        people = centred_ratings.values.shape[0]
        left = centred_ratings.values.data - self.of_item[rated]
        leaning = _shrunk(owners, left, people, self.doubt)
        return leaning[rows] + self.of_item[items], leaning[owners] + self.of_item[rated]


def fit_biases(centred_ratings: CentredRatings, doubt: float) -> PlainBiases:
    """Return the biases of items beside those of people, both shrunk."""
    owners, rated = centred_ratings.owners, centred_ratings.items
    people, items = centred_ratings.values.shape
    of_person, of_item = np.zeros(people), np.zeros(items)
    for _ in range(_ROUNDS):
        of_item = _shrunk(rated, centred_ratings.values.data - of_person[owners], items, doubt)
        of_person = _shrunk(owners, centred_ratings.values.data - of_item[rated], people, doubt)
    return PlainBiases(of_item, doubt)


def _shrunk(owners: Ints, values: Floats, count: int, doubt: float) -> Floats:
    sums = np.bincount(owners, values, count)
    return sums / (np.bincount(owners, minlength=count) + doubt)


LEAST = 50
"""Minimum number of ratings."""
_ROUNDS = 8
LEANS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""How much factors may weigh beside plain biases."""
BIAS_DOUBT = 5.0
_ERRORS = 2.0
"""Standard errors by which factors must be better than what leans on them less."""
RANKS = (4, 8, 12)
_HELD = 0.1
"""Share of the training part on which the length of vectors and the scale are chosen."""

History = Sequence[tuple[int, float]]
"""Items with the stars a person gave them; 0 for no rating."""


class Rater:
    """A model of ratings. Fitted on a training part; pure afterwards.

    Everything about a person comes from their own ratings, so that people who were not in the fit
    are treated in the same way as those who were, each independently of the others.
    """

    def __init__(
        self,
        centre: float,
        bounds: tuple[float, float],
        centred_ratings: CentredRatings,
        samples: tuple[Sample, ...],
    ) -> None:
        self.centre = centre
        self.bounds = bounds
        self.given = centred_ratings
        """Of everybody in the fit; the last row is that of unknown people."""
        self.samples = samples
        self.rank = int(samples[0].items.shape[1])
        self.scale = Scale((), 1.0, 0.0, 0.0, (), 1.0)
        self.biases = PlainBiases(np.zeros(centred_ratings.values.shape[1]), 1.0)
        self.lean = 1.0
        """What factors weigh beside plain biases: less where ratings are few."""
        self.tried: dict[int, float] = {}
        """The error of each length of vectors on ratings held out within the training part."""

    def predict(self, users: Ints, items: Ints) -> Floats:
        """Return the stars expected from user i for item i."""
        rows, ratings = self._known(users)
        return self._within(self._expected(ratings, rows, items)[0])

    def predict_for(
        self, histories: Sequence[History], items: Sequence[Sequence[int]]
    ) -> list[Floats]:
        """Return the stars expected for each of `items[i]` from somebody with `histories[i]`."""
        rows, places, cuts = _flat(items)
        asked, _ = self._expected(self._told(histories), rows, places)
        return np.split(self._within(asked), cuts)

    def chances(self, users: Ints, items: Ints) -> Floats:
        """Return [rows, 5]: the chance of one to five stars from user i for item i."""
        rows, ratings = self._known(users)
        return self._chances(ratings, rows, items)

    def chances_for(
        self, histories: Sequence[History], items: Sequence[Sequence[int]]
    ) -> list[Floats]:
        """Return the same for each of `items[i]` from somebody with `histories[i]`."""
        rows, places, cuts = _flat(items)
        return np.split(self._chances(self._told(histories), rows, places), cuts)

    def sample(self, users: Ints, items: Ints, dice: Dice) -> Ints:
        """Return stars, 1 to 5, drawn for user i and item i with key i of the dice."""
        return drawn_stars(self.chances(users, items), dice.uniform("stars"))

    def _known(self, users: Ints) -> tuple[Ints, CentredRatings]:
        people = known(users, self.given.values.shape[0] - 1)
        here, rows = np.unique(people, return_inverse=True)
        return rows, self.given.rows(here)

    def _told(self, histories: Sequence[History]) -> CentredRatings:
        many = self.given.values.shape[1]
        rated = [
            {item: stars for item, stars in history if stars > 0 and item < many}
            for history in histories
        ]
        owners = np.repeat(np.arange(len(rated)), [len(one) for one in rated])
        items = np.array([item for one in rated for item in one], np.int64)
        values = np.array([stars for one in rated for stars in one.values()], np.float64)
        return CentredRatings.of(owners, items, values - self.centre, (len(rated), many))

    def _expected(
        self, centred_ratings: CentredRatings, rows: Ints, items: Ints
    ) -> tuple[Floats, Floats]:
        """Return what is expected of each, minus the mean: factors and biases as they weigh."""
        by_factors = expected(self.samples, centred_ratings, rows, items)
        if self.lean == 1.0:
            return by_factors
        plain = self.biases.expected(centred_ratings, rows, items)
        asked, own = (
            np.round(self.lean * one + (1.0 - self.lean) * other, 6)
            for one, other in zip(by_factors, plain, strict=True)
        )
        return asked, own

    def learn_lean(self, held: RatingColumns) -> None:
        """Choose what factors weigh beside plain biases.

        They weigh as little as is not clearly worse than the best, over the people whose ratings
        were `held` back: with few ratings factors are mostly noise.
        """
        factors, _ = expected(self.samples, self.given, held.users, held.items)
        real = held.stars - self.centre
        self.biases = fit_biases(self.given, BIAS_DOUBT)
        plain, _ = self.biases.expected(self.given, held.users, held.items)
        _, owner = np.unique(held.users, return_inverse=True)
        errors = [(lean * factors + (1.0 - lean) * plain - real) ** 2 for lean in LEANS]
        least = errors[int(np.argmin([error.mean() for error in errors]))]
        for lean, error in zip(LEANS, errors, strict=True):
            worse = np.bincount(owner, error - least)
            if worse.sum() <= _ERRORS * np.sqrt((worse**2).sum()):
                self.lean = lean
                return

    def take_lean(self, other: Rater) -> None:
        """Shrink as another does that was fitted on a part of the same ratings."""
        self.biases, self.lean = fit_biases(self.given, other.biases.doubt), other.lean

    def _within(self, apart: Floats) -> Floats:
        clipped: Floats = np.clip(self.centre + apart, *self.bounds)
        return clipped

    def _chances(self, centred_ratings: CentredRatings, rows: Ints, items: Ints) -> Floats:
        asked, own = self._expected(centred_ratings, rows, items)
        ways = self._ways(centred_ratings, own, self.scale.usual, self.scale.missed)
        return chances_of(self.scale, self._within(asked), rows, ways)

    def _ways(
        self, centred_ratings: CentredRatings, own: Floats, usual: tuple[float, ...], missed: float
    ) -> Ways:
        stars = centred_ratings.values.data + self.centre
        people = centred_ratings.values.shape[0]
        return ways_of(people, centred_ratings.owners, stars, self._within(own), usual, missed)

    def learn_scale(self, held: RatingColumns | None = None, scale: Scale | None = None) -> None:
        """Fit the scale on ratings that were `held` back, or take the shape of another's."""
        rows = held.users if held else np.empty(0, np.int64)
        asked, own = self._expected(self.given, rows, held.items if held else np.empty(0, np.int64))
        stars = self.given.values.data + self.centre
        counts = np.bincount(whole(stars), minlength=STARS + 1)[1:] + 1.0
        usual = tuple((counts / counts.sum()).tolist())
        missed = max(float(((stars - self._within(own)) ** 2).mean()), 1e-3)
        if held is not None:
            ways = self._ways(self.given, own, usual, missed)
            self.scale = fit_scale(held.stars, self._within(asked), rows, ways, usual, missed)
        if scale is not None:
            self.scale = msgspec.structs.replace(scale, usual=usual, missed=missed)


class RatingColumns(msgspec.Struct, frozen=True, eq=False):
    """Ratings as columns, each pair of person and item once."""

    users: Ints
    items: Ints
    stars: Floats

    def rows(self, chosen: Ints) -> RatingColumns:
        return RatingColumns(self.users[chosen], self.items[chosen], self.stars[chosen])


def rated_in(lives: Lives) -> RatingColumns:
    """Return the last rating of each person for each item."""
    there = np.flatnonzero(lives.stars > 0)
    pairs = lives.users[there] * len(lives.catalogue) + lives.items[there]
    _, last = np.unique(pairs[::-1], return_index=True)
    rows = np.sort(there[len(there) - 1 - last])
    return RatingColumns(lives.users[rows], lives.items[rows], lives.stars[rows])


def fit_ratings(
    lives: Lives, seed: int = 1, *, ranks: Sequence[int] = RANKS, sweeps: int = 140
) -> Rater:
    """Return a rater from the ratings of a training part.

    The length of vectors, what they weigh beside plain biases, and the scale are chosen on a tenth
    of them that is held out; then all are fitted. `sweeps` is the number of Gibbs sweeps of that
    last fit.
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
    best.learn_lean(aside)
    best.learn_scale(held=aside)
    rater = _drawn(rated, shape, best.rank, rng(seed, "ratings", "fit"), sweeps)
    rater.take_lean(best)
    rater.learn_scale(scale=best.scale)
    rater.tried = tried
    return rater


def _drawn(
    rated: RatingColumns, shape: tuple[int, int], rank: int, draws: Generator, sweeps: int
) -> Rater:
    centre = float(rated.stars.mean())
    size = (shape[0] + 1, shape[1])
    ratings = CentredRatings.of(rated.users, rated.items, rated.stars - centre, size)
    kept = sweeps * 2 // 7
    samples = draw_samples(ratings, rank, draws, sweeps=sweeps, burn=kept, every=2)
    bounds = (min(1.0, float(rated.stars.min())), float(max(STARS, rated.stars.max())))
    return Rater(centre, bounds, ratings, samples)


def _flat(lists: Sequence[Sequence[int]]) -> tuple[Ints, Ints, Ints]:
    """Return the list and the item of each entry, and where one list ends and the next begins."""
    sizes = np.array([len(one) for one in lists], np.int64)
    rows = np.repeat(np.arange(len(sizes)), sizes)
    places = np.array([item for one in lists for item in one], np.int64)
    return rows, places, np.cumsum(sizes)[:-1]
