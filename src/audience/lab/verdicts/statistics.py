"""What each person did with what was recommended, and whether two orders agree."""

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
"""Stars from which on an item counts as liked."""
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
    """One number per person. Search results, and what is picked from them, do not count."""

    visits: Floats
    """Visits in which the recommender showed a page."""
    pages: Floats
    clicked: Floats
    """Pages on which something was picked."""
    shown: Floats
    views: Floats
    likes: Floats
    """Views that got four or five stars in the same visit."""
    minutes: Floats
    """Watched; if the source has no durations, each item counts as one minute."""
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
    """Return the duration of each item; 1 if the source has none."""
    minutes = [item.minutes for item in catalogue.items]
    return minutes if any(minutes) else [1.0] * len(minutes)


def _visit(chapter: Chapter, minutes: list[float]) -> list[float]:
    pages = clicked = shown = likes = 0
    watched, satisfied = 0.0, None
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
                satisfied = satisfaction
    if not pages:
        return [0.0] * len(FIELDS)
    ended = (0.0, 0.0) if satisfied is None else (satisfied, 1.0)
    return [1.0, pages, clicked, shown, len(views), likes, watched, *ended]


def measures(counts: VisitCounts, variety: Floats) -> dict[str, Floats]:
    """Return each measure of each person; NaN for those who were shown nothing.

    view ratio    views / items shown
    likes         likes / visits
    like ratio    likes / items shown
    exit page     pages / visits
    satisfaction  1 + 9 x the mean satisfaction at the end of visits
    click rate    pages with a pick / pages
    watch time    minutes / visits; items / visits if the source has no durations
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
    ratios: Floats = np.divide(parts, wholes, out=np.full(len(parts), np.nan), where=wholes > 0)
    return ratios


ALL_ORDERS = 7
"""Up to this many recommenders all orders are tried; beyond, some are drawn."""
DRAWS = 2_000
FEWEST = 5
"""With fewer recommenders no order can be distinguished from chance."""


class RankAgreement(msgspec.Struct, frozen=True):
    """How far the order of recommenders by one measure agrees with that by another."""

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
    """How often a random order agrees or disagrees as much or more (Kendall, two-sided)."""


def agreement(names: tuple[str, str], first: Floats, second: Floats, seed: int) -> RankAgreement:
    """Return the rank correlations of two measures, each [recommenders, seeds].

    The bounds are bootstrap percentiles over recommenders and seeds; NaN with fewer than five
    recommenders, where they would be meaningless.
    """
    many = len(first)
    left, right = first.mean(axis=1), second.mean(axis=1)
    tau, rho = kendall(left, right), spearman(left, right)
    taus = rhos = np.empty(0)

    def drawn(rows: Ints, columns: Ints) -> tuple[float, float]:
        if len(np.unique(rows)) < 3:  # two can only agree or disagree
            return math.nan, math.nan
        left, right = (values[np.ix_(rows, columns)].mean(axis=1) for values in (first, second))
        return kendall(left, right), spearman(left, right)

    if many >= FEWEST and not math.isnan(tau):
        taus, rhos = bootstrap(drawn, *first.shape, seed=seed, names=("verdicts",))
    of_tau = percentile_interval(tau, taus, bounds=CORRELATION)
    of_rho = percentile_interval(rho, rhos, bounds=CORRELATION)
    chance = _chance(left, right, tau, seed)
    return RankAgreement(*names, many, *of_tau.three, *of_rho.three, chance)


def _chance(left: Floats, right: Floats, tau: float, seed: int) -> float:
    if math.isnan(tau):
        return math.nan
    signs = _signs(left)
    taus = [_tau(signs, _signs(right[order])) for order in _orders(len(left), seed)]
    return float(np.mean(np.abs(taus) >= abs(tau) - 1e-12))


def least_chance(many: int) -> float:
    """Return the least possible `chance` with so many recommenders."""
    return 2.0 / math.factorial(many) if many <= ALL_ORDERS else 1.0 / (DRAWS + 1)


def _orders(many: int, seed: int) -> Iterator[Ints]:
    if many <= ALL_ORDERS:
        yield from (np.array(order) for order in permutations(range(many)))
        return
    draw = rng(seed, "verdicts", "permutation")
    yield np.arange(many)
    yield from (draw.permutation(many) for _ in range(DRAWS))


def kendall(left: Floats, right: Floats) -> float:
    """Return Kendall's tau-b: 1 for equal orders, -1 for reversed; NaN if all are equal."""
    return _tau(_signs(left), _signs(right))


def _signs(values: Floats) -> Floats:
    return np.sign(values[:, None] - values[None, :])


def _tau(left: Floats, right: Floats) -> float:
    scale = math.sqrt(float((left * left).sum()) * float((right * right).sum()))
    return float((left * right).sum()) / scale if scale else math.nan


def spearman(left: Floats, right: Floats) -> float:
    """Return Spearman's rho with shared ranks for ties; NaN if all are equal."""
    ranks = [_signs(values).sum(axis=1) for values in (left, right)]
    return _tau(*ranks)
