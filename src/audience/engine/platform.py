"""What agents act on: ranked pages and search, with what a ranker returned checked."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from audience.errors import AudienceError
from audience.recommenders import Context, Ranker, search_in
from audience.world.agent import Agent
from audience.world.rng import Bools, Ints, dice
from audience.world.world import View


class RecommenderFault(AudienceError):
    """A recommender raised or returned something that cannot be shown."""


class Wanted(msgspec.Struct, frozen=True, gc=False):
    """A visit's request for ranked items: several pages at once."""

    agent: int
    at: int
    page: int
    exclude: tuple[int, ...]


class Platform:
    """Serves pages of `page_size`; ranks `ahead` pages in one request."""

    def __init__(
        self, *, page_size: int = 5, max_pages: int = 5, repeat: bool = False, found: int = 20
    ) -> None:
        self.page_size = page_size
        self.max_pages = max_pages
        self.repeat = repeat
        self.found = found
        self.ahead = min(max_pages, 5)

    def want(self, me: Agent) -> Wanted:
        """Return the request for the next pages of `me`."""
        now = me.situation
        lived = () if self.repeat else tuple([lived.item for lived in me.history])
        return Wanted(me.profile.id, now.at, now.pages, lived + now.shown)

    def rank(self, world: View, ranker: Ranker, wants: Sequence[Wanted]) -> list[tuple[int, ...]]:
        """Return the ranked items for each request, best first."""
        users = np.array([want.agent for want in wants], np.int64)
        pages = np.array([want.page for want in wants], np.int64)
        moments = np.array([want.at for want in wants], np.int64)
        exclude = [want.exclude for want in wants]
        k = min(self.page_size * self.ahead, len(world.catalogue))
        draws = dice(world.seed, "rank", users, world.round, pages)
        try:
            slates = np.asarray(ranker.rank(users, k, Context(moments, pages, exclude, draws)))
        except Exception as error:
            raise RecommenderFault(
                f"{name_of(ranker)}.rank raised {error!r}; mend it and resume, "
                "or resume with another recommender by an intervention"
            ) from error
        check_slates(ranker, slates, wants, k, len(world.catalogue))
        rows: list[list[int]] = slates.tolist()
        if slates.size and slates.min() < 0:
            return [tuple(item for item in row if item >= 0) for row in rows]
        return [tuple(row) for row in rows]

    def search(self, world: View, query: str) -> tuple[int, ...]:
        """Return what a query finds, best first."""
        return search_in(world.catalogue).find(query, self.found)


def name_of(ranker: object) -> str:
    """Return what to call a ranker in a message."""
    return type(ranker).__qualname__


def check_slates(ranker: Ranker, slates: Ints, wants: Sequence[Wanted], k: int, items: int) -> None:
    """Raise a fault that names the user and the item when slates cannot be shown."""
    who, users = name_of(ranker), len(wants)
    if slates.shape != (users, k) or not np.issubdtype(slates.dtype, np.integer):
        raise RecommenderFault(
            f"{who}.rank returned {slates.dtype} of shape {slates.shape}; "
            f"it must return whole numbers of shape ({users}, {k}), -1 where nothing is left"
        )
    if not slates.size:
        return
    _complain(
        who, slates, wants, (slates >= items) | (slates < -1), "which is not in the catalogue"
    )
    ordered = np.sort(slates, axis=1)
    twice = np.zeros(slates.shape, np.bool_)
    twice[:, 1:] = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)
    _complain(who, ordered, wants, twice, "twice")
    _check_enough(who, slates, wants, items)
    if not type(ranker).__module__.startswith("audience."):  # ours are held to it by their suite
        barred = [np.isin(row, want.exclude) for row, want in zip(slates, wants, strict=True)]
        _complain(who, slates, wants, np.array(barred), "which it was told to leave out")


def _complain(who: str, slates: Ints, wants: Sequence[Wanted], bad: Bools, what: str) -> None:
    if bad.any():
        row, column = np.argwhere(bad)[0].tolist()
        raise RecommenderFault(
            f"{who}.rank gave user {wants[row].agent} item {slates[row, column]}, {what}"
        )


def _check_enough(who: str, slates: Ints, wants: Sequence[Wanted], items: int) -> None:
    given = (slates >= 0).sum(axis=1)
    for row in np.flatnonzero(given < slates.shape[1]).tolist():
        left = items - len(set(wants[row].exclude))
        needed = min(slates.shape[1], left)
        if given[row] < needed:
            raise RecommenderFault(
                f"{who}.rank gave user {wants[row].agent} {given[row]} items; {needed} were asked "
                "for and could be shown: rank the whole catalogue, best first"
            )
