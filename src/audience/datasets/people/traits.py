"""Activity laws fitted to real people, and traits and habits measured from their histories."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from audience.datasets.splits import Training
from audience.errors import BadInput, unknown
from audience.world import Bools, Floats, Habits, Ints, rng

LAWS = ("lognormal", "pareto")
RAREST, OFTENEST = 0.05, 20.0
"""The bounds of a level, as a multiple of the mean count."""
POOR = 0.15
"""Above this KS distance a law does not describe the counts."""
_ROUNDING = 0.5
"""A count k stands for all levels that round to it: those up to k + 1/2."""


class Pareto(msgspec.Struct, frozen=True):
    """p(x) = a x_min^a / x^(a+1) from x_min on."""

    shape: float
    least: float
    ks: float
    likelihood: float
    """The logarithm of it, per person."""
    people: int
    """Those with `least` or more: the others are not fitted."""


class Lognormal(msgspec.Struct, frozen=True):
    """The logarithm of a count is normal."""

    mu: float
    sigma: float
    ks: float
    likelihood: float
    people: int


class ActivityFit(msgspec.Struct, frozen=True):
    """Both laws for the same counts."""

    pareto: Pareto
    lognormal: Lognormal
    best: str
    """The law of the smaller KS distance."""
    people: int
    silent: int
    """People without any interaction, who are not fitted."""
    mean: float
    """The mean count of those who are."""


def fit_activity(counts: Sequence[int] | Ints, least: float | None = None) -> ActivityFit:
    """Return the laws that make the counts likeliest.

    x_min is `least`, or its own likeliest value, the smallest count. KS is the largest difference,
    over all counts k, between the share of people with at most k and what a law says of it.
    """
    every = np.asarray(counts, np.float64)
    if np.any(every < 0) or not np.all(np.isfinite(every)):
        raise BadInput("counts of interactions are whole numbers of 0 or more; correct them")
    some = every[every > 0]
    if len(np.unique(some)) < 2:
        what = "all have equally many" if len(some) else "nobody has interactions"
        raise BadInput(
            f"of {len(every)} people {what}: no law can be fitted; take a dataset where people "
            "differ, or another activity such as 'equal'"
        )
    pareto, lognormal = _pareto(some, least), _lognormal(some)
    best = "lognormal" if lognormal.ks <= pareto.ks else "pareto"
    silent = len(every) - len(some)
    return ActivityFit(pareto, lognormal, best, len(some), silent, float(some.mean()))


def draw_levels(fitted: ActivityFit, people: int, seed: int, law: str = "") -> Floats:
    """Return levels drawn from a law, the best unless named, as multiples of the mean count.

    Person i does not depend on how many there are. A level is at least 0.05 and at most 20: a
    Pareto law of a shape below 1 has no mean.
    """
    kind = law or fitted.best
    if kind not in LAWS:
        raise unknown("law", kind, LAWS)
    draws = rng(seed, "population", "activity")
    if kind == "pareto":
        tail = 1.0 - draws.random(people)
        levels = fitted.pareto.least * tail ** (-1.0 / fitted.pareto.shape)
    else:
        levels = np.exp(
            fitted.lognormal.mu + fitted.lognormal.sigma * draws.standard_normal(people)
        )
    return levels_of(levels, fitted.mean)


def levels_of(counts: Floats | Ints, mean: float) -> Floats:
    """Return how often people come, from how much each did and the mean of that."""
    ratios: Floats = np.asarray(counts, np.float64) / max(mean, 1e-12)
    bounded: Floats = np.minimum(np.maximum(ratios, RAREST), OFTENEST)
    return np.round(bounded, 4)


def _pareto(counts: Floats, least: float | None) -> Pareto:
    floor = float(counts.min()) if least is None else float(least)
    tail = counts[counts >= floor]
    if floor <= 0 or len(np.unique(tail)) < 2:
        raise BadInput(
            f"x_min {floor:g}: fewer than two different counts are as high; "
            f"give a number from 1 to {counts.max():g}"
        )
    over = np.log(tail / floor)
    shape = len(tail) / float(over.sum())
    ks = _distance(tail, lambda k: 1.0 - np.maximum(k / floor, 1.0) ** -shape)
    likelihood = float(np.log(shape / floor) - (shape + 1.0) * over.mean())
    return Pareto(shape, floor, ks, likelihood, len(tail))


def _lognormal(counts: Floats) -> Lognormal:
    logs = np.log(counts)
    mu, sigma = float(logs.mean()), float(logs.std())
    ks = _distance(counts, lambda k: _normal((np.log(k) - mu) / sigma))
    likelihood = -mu - float(np.log(sigma)) - 0.5 * (float(np.log(2 * np.pi)) + 1.0)
    return Lognormal(mu, sigma, ks, likelihood, len(counts))


def _normal(places: Floats) -> Floats:
    return np.array([0.5 * math.erfc(-place / math.sqrt(2.0)) for place in places.tolist()])


def _distance(counts: Floats, law: Callable[[Floats], Floats]) -> float:
    values, sizes = np.unique(counts, return_counts=True)
    upto = np.cumsum(sizes) / len(counts)
    before = np.concatenate([[0.0], upto[:-1]])
    # Between two observed counts a law goes on growing: just below each it may be furthest off.
    here = np.abs(upto - law(values + _ROUNDING))
    below = np.abs(before - law(values - _ROUNDING))
    return float(max(here.max(), below.max()))


COVERED = 0.8
"""The share of a history that the top genres cover."""
UNKNOWN = -1
WORDS = {
    "activity": ("rare visitor", "regular visitor", "frequent visitor"),
    "conformity": ("rates as most do", "rates partly its own way", "rates against the majority"),
    "diversity": ("narrow taste", "varied taste", "broad taste"),
}
"""The words for each tier. Conformity is a distance: the lowest tier conforms most."""


class Trait(msgspec.Struct, frozen=True, eq=False):
    """One trait of everybody."""

    values: Floats
    """NaN where it is not known."""
    tiers: Ints
    """0, 1, 2 for the lower, middle and upper third of people; -1 where it is not known.

    People of one value stay together, in the third where their middle lies.
    """
    bounds: tuple[float, float]
    """The highest values of the lower and of the middle third; -inf where nobody is in it."""

    @property
    def known(self) -> Bools:
        known: Bools = self.tiers != UNKNOWN
        return known


class Traits(msgspec.Struct, frozen=True, eq=False):
    """The traits of the people of a training part, by place."""

    activity: Trait
    """The number of interactions."""
    conformity: Trait
    """The mean over items of (rating - item mean)^2; unknown without ratings."""
    diversity: Trait
    """The number of top tags that cover 80 % of the history."""
    tags: Trait
    """The number of different tags in the history, which the paper takes for diversity."""
    leniency: Floats
    """The mean stars each gives; NaN where none."""

    def words(self, place: int) -> tuple[str, ...]:
        """Return the trait words of a person; unknown traits are left out."""
        tiers = ((key, int(getattr(self, key).tiers[place])) for key in WORDS)
        return tuple(WORDS[key][tier] for key, tier in tiers if tier != UNKNOWN)


def traits_of(training: Training) -> Traits:
    """Return everybody's traits. People without history have none."""
    counts = training.counts.astype(np.float64)
    here = counts > 0
    wide, different = _spread(training, here)
    return Traits(
        activity=_trait(np.where(here, counts, np.nan)),
        conformity=_trait(_deviation(training)),
        diversity=_trait(wide),
        tags=_trait(different),
        leniency=training.person_means,
    )


def habits_of(traits: Traits, drawn: list[Habits], places: Ints) -> list[Habits]:
    """Return habits where watcher, explorer and critic follow the data, the others as drawn.

    Each is a person's rank among all, 0 to 1: by the number of interactions, by diversity, and by
    how few stars it gives.
    """
    watcher, explorer = _ranks(traits.activity.values), _ranks(traits.diversity.values)
    critic = _ranks(-traits.leniency)
    measured = {"watcher": watcher, "explorer": explorer, "critic": critic}
    changed: list[Habits] = []
    for habits, place in zip(drawn, places.tolist(), strict=True):
        known = {
            name: round(float(ranks[place]), 2)
            for name, ranks in measured.items()
            if not np.isnan(ranks[place])
        }
        changed.append(msgspec.structs.replace(habits, **known))
    return changed


def _deviation(training: Training) -> Floats:
    lived = training.lived
    rated = lived.stars > 0
    users, items = lived.users[rated], lived.items[rated]
    apart = (lived.stars[rated] - training.item_means[items]) ** 2
    sizes = np.bincount(users, minlength=training.people)
    sums = np.bincount(users, apart, training.people)
    deviation: Floats = np.divide(
        sums, sizes, out=np.full(training.people, np.nan), where=sizes > 0
    )
    return deviation


def _spread(training: Training, here: Bools) -> tuple[Floats, Floats]:
    """Return how many top tags cover most of each history, and how many tags it has at all."""
    nothing = np.full(training.people, np.nan)
    if not training.tags:
        return nothing, nothing
    shares = training.tag_shares()
    heaped = np.cumsum(-np.sort(-shares, axis=1), axis=1)
    tagged = here & (heaped[:, -1] > 0)
    # Sums of thirds and quarters miss 0.8 by the last bit.
    wide = 1.0 + (heaped < COVERED - 1e-9).sum(axis=1)
    different = (shares > 0).sum(axis=1).astype(np.float64)
    return np.where(tagged, wide, np.nan), np.where(tagged, different, np.nan)


def _trait(values: Floats) -> Trait:
    ranks = _ranks(values)
    known = ~np.isnan(ranks)
    tiers = (ranks >= 1 / 3).astype(np.int64) + (ranks >= 2 / 3)
    tiers = np.where(known, tiers, UNKNOWN)
    ends = [float(np.max(values[known & (tiers <= tier)], initial=-np.inf)) for tier in (0, 1)]
    return Trait(values, tiers, (ends[0], ends[1]))


def _ranks(values: Floats) -> Floats:
    """Return the share of people below each value, ties halved; NaN for NaN."""
    known = np.flatnonzero(~np.isnan(values))
    ordered = np.sort(values[known])
    below = np.searchsorted(ordered, values[known], side="left")
    upto = np.searchsorted(ordered, values[known], side="right")
    ranks = np.full(len(values), np.nan)
    ranks[known] = (below + upto) / (2.0 * max(1, len(known)))
    return ranks
