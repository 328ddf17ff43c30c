"""Visits as data shows them: what was taken, in how many pages and minutes, with how many stars.

Only what was taken leaves a trace. A page on which nothing was taken and a visit without a pick are
not in such data, so that they are left out of simulated visits too before the two are compared.
"""

from __future__ import annotations

import msgspec
import numpy as np

from audience.errors import BadInput
from audience.grounding._stars import STARS, whole
from audience.grounding.lives import Lives
from audience.world.rng import Floats, Ints

GAP = 60.0
"""Minutes without anything after which the next interaction begins another visit."""
PICKS = np.array([1, 2, 3, 4, 5, 7])
PAGES = np.array([1, 2, 3, 5, 9, 17, 33])
TAKEN = np.array([1, 2, 4, 8, 16, 32, 64])
MINUTES = np.array([0.0, 1.0, 3.0, 10.0, 20.0, 40.0, 80.0])
"""Where the bins of picks a page, and of pages, picks and minutes a visit begin."""
_DAY = 86_400.0
_SEVERAL = 0.05
"""The share of pages with more than one pick from which on a moment is taken for a page."""


class Sessions(msgspec.Struct, frozen=True, eq=False):
    """Visits in which something was taken."""

    users: Ints
    """Whose visit each is."""
    picks: Ints
    pages: Ints
    """Pages of each visit on which something was taken."""
    minutes: Floats
    """From the first pick of each visit to its last."""
    per_page: Ints
    """Picks of each page on which there was one."""
    pauses: Floats
    """Seconds from each page to the next of the same visit."""
    gaps: Floats
    """Days from the begin of each visit to the begin of the person's next."""
    raters: Ints
    """Who gave each rating."""
    stars: Ints
    shown: int = 0
    """Items shown in all, where that is known."""

    @property
    def has_pages(self) -> bool:
        """Whether picks of one page can be told: in some data every pick has its own moment."""
        return bool((self.per_page > 1).mean() >= _SEVERAL) if len(self.per_page) else False

    def histograms(self) -> dict[str, Floats]:
        """Return what is compared: shares over bins, by name."""
        found = {
            "stars": shares(self.stars, np.arange(1, STARS + 1)),
            "picks per page": shares(self.per_page, PICKS),
            "pages per visit": shares(self.pages, PAGES),
            "picks per visit": shares(self.picks, TAKEN),
            "minutes per visit": shares(self.minutes, MINUTES),
        }
        return {name: each for name, each in found.items() if each.sum() > 0.0}


def sessions_of(lives: Lives, *, gap: float = GAP) -> Sessions:
    """Return the visits in some interactions: those of a person with less than `gap` minutes apart.

    Interactions of one person and moment are one page.
    """
    if not len(lives):
        raise BadInput("there are no interactions, so that there are no visits to learn from")
    if gap <= 0.0:
        raise BadInput(f"a gap of {gap:g} minutes between visits makes no sense; give more than 0")
    order = np.lexsort((lives.at, lives.users))
    users, at = lives.users[order], lives.at[order]
    same = np.diff(users) == 0
    begins = np.concatenate([[True], ~same | (np.diff(at) > 60.0 * gap)])
    pages = np.concatenate([[True], ~same | (np.diff(at) > 0)]) | begins
    visit, starts = np.cumsum(begins) - 1, np.flatnonzero(begins)
    ends = np.concatenate([starts[1:], [len(users)]]) - 1
    first = at[pages]
    inside = ~begins[pages][1:]
    again = np.diff(users[starts]) == 0
    rated = lives.stars > 0
    return Sessions(
        users[starts],
        np.bincount(visit),
        np.bincount(visit[pages]),
        (at[ends] - at[starts]) / 60.0,
        np.bincount(np.cumsum(pages) - 1),
        np.diff(first)[inside].astype(np.float64),
        np.diff(at[starts])[again] / _DAY,
        lives.users[rated],
        whole(lives.stars[rated]),
    )


def shares(values: Ints | Floats, bins: Ints | Floats) -> Floats:
    """Return the share of values from each bin's begin to the next's; the last has no end."""
    places = np.searchsorted(bins, values, side="right") - 1
    counts = np.bincount(places[places >= 0], minlength=len(bins)).astype(np.float64)
    found: Floats = counts / max(1.0, float(counts.sum()))
    return found


def divergence(first: Floats, second: Floats) -> float:
    """Return the Jensen-Shannon divergence of two histograms, 0 to 1 bit."""
    middle = (first + second) / 2.0
    return _relative(first, middle) / 2.0 + _relative(second, middle) / 2.0


def _relative(shares: Floats, others: Floats) -> float:
    there = shares > 0.0
    return float((shares[there] * np.log2(shares[there] / others[there])).sum())
