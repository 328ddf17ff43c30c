"""What each person did with what a recommender showed it, counted from a log."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import numpy as np

from audience.world.events import VISITS, Chapter, Left, Picked, Rated, SlateShown, Watched
from audience.world.genesis import Genesis
from audience.world.items import Catalogue
from audience.world.rng import Floats

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
"""What is measured of each person, and how tables call it."""


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
