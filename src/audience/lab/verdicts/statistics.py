"""What each person did with what a recommender showed it, counted from a log."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import permutations

import msgspec
import numpy as np

from audience.results import (
    CORRELATION,
    POSITIVE,
    SHARE,
    Bounds,
    bootstrap,
    percentile_interval,
)
from audience.world import (
    VISITS,
    Catalogue,
    Chapter,
    Floats,
    Genesis,
    Ints,
    Left,
    Picked,
    Rated,
    SlateShown,
    Watched,
    rng,
)

LIKED = 4
"""Stars from which an item counts as liked."""
FIELDS = ("visits", "pages", "clicked", "shown", "views", "likes", "minutes", "said", "rated_visit")
MEASURES = {
    "view_ratio": "view ratio",
    "likes": "likes",
    "like_ratio": "like ratio",
    "exit_page": "exit page",
    "satisfaction": "satisfaction",
    "click_rate": "click rate",
    "watch_time": "watch time",
    "diversity": "diversity",
}
"""What is measured of each person, and its name in tables."""
BOUNDS: dict[str, Bounds] = {
    **dict.fromkeys(("view_ratio", "like_ratio", "click_rate", "ndcg", "recall"), SHARE),
    **dict.fromkeys(("likes", "watch_time", "diversity"), POSITIVE),
    "exit_page": (1.0, math.inf),
    "satisfaction": (1.0, 10.0),
}
"""The possible values of each measure, the offline ones among them."""


class VisitCounts(msgspec.Struct, frozen=True, eq=False):
    """One number per person. Pages of search results, and what is picked on them, do not count."""

    visits: Floats
    """Visits in which the recommender showed a page."""
    pages: Floats
    clicked: Floats
    """Pages on which something was picked."""
    shown: Floats
    views: Floats
    likes: Floats
    """Views that were given four or five stars in the same visit."""
    minutes: Floats
    """Watched; where the source knows no lengths, each item counts as one minute."""
    said: Floats
    """Satisfaction summed over the visits that ended with one, 0 to 1 each."""
    rated_visit: Floats
    """How many those are."""


def count(chapters: Iterable[Chapter], genesis: Genesis) -> VisitCounts:
    """Return what everybody did with what was recommended, over a whole run."""
    sums = np.zeros((len(FIELDS), len(genesis.profiles)))
    minutes = lengths(genesis.catalogue)
    for chapter in chapters:
        if chapter.phase == VISITS and chapter.agent < sums.shape[1]:
            sums[:, chapter.agent] += _visit(chapter, minutes)
    return VisitCounts(*sums)


def lengths(catalogue: Catalogue) -> list[float]:
    """Return how long each item takes; one where the source knows of none."""
    found = [item.minutes for item in catalogue.items]
    return found if any(found) else [1.0] * len(found)


def _visit(chapter: Chapter, minutes: list[float]) -> list[float]:
    pages = clicked = shown = likes = 0
    watched, said = 0.0, None
    recommended, fresh = False, False
    views: list[int] = []
    for entry in chapter.entries:
        match entry.event:
            case SlateShown(surface=surface, items=items):
                recommended = fresh = surface == "recommender"
                pages += recommended
                shown += len(items) if recommended else 0
            case Picked(item=item) if recommended:
                clicked, fresh = clicked + fresh, False
                views.append(item)
            case Watched(item=item, fraction=fraction) if item in views:
                watched += minutes[item] * fraction if item < len(minutes) else 0.0
            case Rated(item=item, stars=stars) if item in views:
                likes += stars >= LIKED
            case Left(satisfaction=satisfaction):
                said = satisfaction
    if not pages:
        return [0.0] * len(FIELDS)
    ended = (0.0, 0.0) if said is None else (said, 1.0)
    return [1.0, pages, clicked, shown, len(views), likes, watched, *ended]


def measures(counts: VisitCounts, variety: Floats) -> dict[str, Floats]:
    """Return each measure of each person; NaN of those who were shown nothing.

    view ratio    views / items shown
    likes         likes / visits
    like ratio    likes / items shown
    exit page     pages / visits
    satisfaction  1 + 9 x the mean of what visits ended with
    click rate    pages with a pick / pages
    watch time    minutes / visits; items / visits where the source knows no lengths
    diversity     `variety`: entropy of the genres shown, in bits
    """
    visits, shown = counts.visits, counts.shown
    return {
        "view_ratio": _ratio(counts.views, shown),
        "likes": _ratio(counts.likes, visits),
        "like_ratio": _ratio(counts.likes, shown),
        "exit_page": _ratio(counts.pages, visits),
        "satisfaction": 1.0 + 9.0 * _ratio(counts.said, counts.rated_visit),
        "click_rate": _ratio(counts.clicked, counts.pages),
        "watch_time": _ratio(counts.minutes, visits),
        "diversity": np.where(visits > 0, variety[: len(visits)], np.nan),
    }


def _ratio(parts: Floats, wholes: Floats) -> Floats:
    found: Floats = np.divide(parts, wholes, out=np.full(len(parts), np.nan), where=wholes > 0)
    return found


ALL_ORDERS = 7
"""Up to so many recommenders every order is tried; of more, some are drawn."""
DRAWS = 2_000
FEWEST = 5
"""Below so many recommenders no order can be told from chance."""


class RankAgreement(msgspec.Struct, frozen=True):
    """How far the order of recommenders by one measure is the order by another."""

    audience: str
    offline: str
    recommenders: int
    kendall: float
    kendall_low: float
    kendall_high: float
    spearman: float
    spearman_low: float
    spearman_high: float
    chance: float
    """How often an order by chance agrees or disagrees at least as much (Kendall, two-sided)."""


def agreement(names: tuple[str, str], first: Floats, second: Floats, seed: int) -> RankAgreement:
    """Return the rank correlations of two measures, each [recommenders, seeds].

    The bounds are percentiles over recommenders and seeds drawn again with replacement; NaN with
    fewer than five recommenders, where they would only look exact.
    """
    many = len(first)
    one, two = first.mean(axis=1), second.mean(axis=1)
    tau, rho = kendall(one, two), spearman(one, two)
    taus = rhos = np.empty(0)

    def drawn(rows: Ints, columns: Ints) -> tuple[float, float]:
        if len(np.unique(rows)) < 3:  # two can only agree or disagree
            return math.nan, math.nan
        one, two = (values[np.ix_(rows, columns)].mean(axis=1) for values in (first, second))
        return kendall(one, two), spearman(one, two)

    if many >= FEWEST and not math.isnan(tau):
        taus, rhos = bootstrap(drawn, *first.shape, seed=seed, names=("verdicts",))
    of_tau = percentile_interval(tau, taus, bounds=CORRELATION)
    of_rho = percentile_interval(rho, rhos, bounds=CORRELATION)
    chance = _chance(one, two, tau, seed)
    return RankAgreement(*names, many, *of_tau.three, *of_rho.three, chance)


def _chance(one: Floats, two: Floats, tau: float, seed: int) -> float:
    if math.isnan(tau):
        return math.nan
    signs = _signs(one)
    found = [_tau(signs, _signs(two[order])) for order in _orders(len(one), seed)]
    return float(np.mean(np.abs(found) >= abs(tau) - 1e-12))


def least_chance(many: int) -> float:
    """Return the least chance that can be found with so many recommenders."""
    return 2.0 / math.factorial(many) if many <= ALL_ORDERS else 1.0 / (DRAWS + 1)


def _orders(many: int, seed: int) -> Iterator[Ints]:
    if many <= ALL_ORDERS:
        yield from (np.array(order) for order in permutations(range(many)))
        return
    draw = rng(seed, "verdicts", "permutation")
    yield np.arange(many)
    yield from (draw.permutation(many) for _ in range(DRAWS))


def kendall(one: Floats, two: Floats) -> float:
    """Return Kendall's tau-b: 1 for one order, -1 for its reverse; NaN where all are equal."""
    return _tau(_signs(one), _signs(two))


def _signs(values: Floats) -> Floats:
    return np.sign(values[:, None] - values[None, :])


def _tau(one: Floats, two: Floats) -> float:
    scale = math.sqrt(float((one * one).sum()) * float((two * two).sum()))
    return float((one * two).sum()) / scale if scale else math.nan


def spearman(one: Floats, two: Floats) -> float:
    """Return Spearman's rho, equal values sharing their rank; NaN where all are equal."""
    ranks = [_signs(values).sum(axis=1) for values in (one, two)]
    return _tau(*ranks)
