"""The platform: ranked pages, random items on them, feeds, delivery of posts, and search.

Of a page of p positions, k may be random. The ranker's best p - k keep their order; the k random
items are drawn without replacement from all others that this visit may still be shown, and are put
at random positions. The ranked items that had to make room come first on the next page.

The propensity of an item is the probability, over these draws and given the ranking and all that
was shown before, that it is on this page. Let u be how many items may still be shown: a kept item
has 1, every other item k / (u - (p - k)), shown or not. None is 0, so that weighting by
1 / propensity estimates the plain mean over all u items, whatever the ranker does (Horvitz and
Thompson): the sum over shown items of y / propensity, divided by u.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from audience.errors import AudienceError
from audience.recommenders import (
    AsyncRanker,
    Context,
    Ranked,
    Ranker,
    SelfChecking,
    Shuffled,
    UserKeys,
    search_in,
)
from audience.user_code import LONGEST, PASSING, is_stopped, said, stepped, within
from audience.world import (
    HUMAN,
    INBOX,
    SYSTEM,
    Agent,
    Bools,
    Failed,
    Floats,
    Ints,
    Message,
    View,
    dice,
    events as e,
    sent,
    tastes,
)


def mixed(
    world: View, agent: int, page: int, exclude: tuple[int, ...], kept: tuple[int, ...], k: int
) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Return a page of the kept items and k random ones, and the propensity of each.

    There are fewer random ones if fewer items are left. The draws are named by agent, round and
    `page`, the number of the page within the visit.
    """
    barred = tuple({*exclude, *kept})
    pool = len(world.catalogue) - len(barred)
    k = min(k, pool)
    if k < 1:
        return kept, (1.0,) * len(kept)
    users, pages = np.array([agent]), np.array([page])
    draws = dice(world.seed, "random_k", users, world.round, pages)
    context = Context(np.array([world.now]), pages, [barred], draws)
    drawn = iter(Shuffled(len(world.catalogue)).rank(users, k, context)[0].tolist())
    ranked = iter(kept)
    order = np.argsort(draws.integers("place", len(kept) + k)[0], kind="stable")
    places = set(order[:k].tolist())
    items, chances = list[int](), list[float]()
    for place in range(len(kept) + k):
        is_random = place in places
        items.append(next(drawn if is_random else ranked))
        chances.append(k / pool if is_random else 1.0)
    return tuple(items), tuple(chances)


def delivered(world: View, outbox: Sequence[e.Posted | e.Forwarded]) -> list[e.Delivered]:
    """Return one delivery per post that has readers."""
    deliveries = []
    for post in outbox:
        author = post.author if isinstance(post, e.Forwarded) else post.agent
        readers = tuple(reader for reader in world.graph.followers(post.agent) if reader != author)
        if readers:
            news: tuple[int, int, str] = (-1, -1, "")
            if post.topic >= 0:
                root = post.root if isinstance(post, e.Forwarded) else post.post
                news = (post.topic, post.agent, root)
            voice = post.voice if isinstance(post, e.Posted) else ""
            told = (post.text, post.items, post.stance, *news, voice)
            deliveries.append(e.Delivered(post.post, author, readers, *told))
    return deliveries


FEEDS = ("time", "ranked")
HALF_LIFE = 3.0
"""Rounds after which the freshness of a message halves."""
PLATFORM = 0.5
"""The closeness assumed for the platform."""
UNKNOWN = 0.1
"""The closeness assumed for someone no longer followed."""


def feed_of(world: View, me: Agent, order: str, length: int) -> tuple[Message, ...]:
    """Return the messages of the inbox that are shown, the newest or the best last.

    What a human player wrote comes before all others.
    """
    if not me.inbox:
        return ()
    if order == "time":
        if not any(message.voice == HUMAN for message in me.inbox):
            return me.inbox[-length:]
        return tuple(sorted(me.inbox, key=lambda message: message.voice == HUMAN)[-length:])
    close = {tie.other: tie.closeness for tie in world.graph.ties(me.profile.id)}
    close[SYSTEM] = PLATFORM
    taste = tastes([me.taste])[0]

    def worth(message: Message) -> float:
        round_, sender = sent(message.post)
        fresh = 0.5 ** (max(world.round - round_, 0) / HALF_LIFE)
        fits = [
            (1.0 + float((taste * world.catalogue.weights[item]).sum())) / 2.0
            for item in message.items
        ]
        match = sum(fits) / len(fits) if fits else 0.5
        value: float = round(close.get(sender, UNKNOWN) * fresh * match, 6)
        return value

    order_ = sorted(
        (message.voice == HUMAN, worth(message), place) for place, message in enumerate(me.inbox)
    )
    return tuple([me.inbox[place] for _, _, place in order_[-length:]])


REASON = 120
"""The most characters of a reason that are shown."""


class RecommenderFault(AudienceError):
    """A recommender raised an exception or returned something that cannot be shown."""


class PageRequest(msgspec.Struct, frozen=True, gc=False):
    """A visit's request for ranked items, several pages at once."""

    agent: int
    at: int
    page: int
    exclude: tuple[int, ...]
    lived: tuple[int, ...] = ()
    skipped: tuple[int, ...] = ()
    begin: int = 0
    """Where the numbers of the visit begin; see world/agent.py."""


class Note(msgspec.Struct, frozen=True, gc=False):
    """What a ranker says about an item."""

    propensity: float | None = None
    reason: str = ""
    score: float | None = None


class Noted(msgspec.Struct, frozen=True):
    """Ranked items with what their ranker says about each."""

    items: tuple[int, ...]
    notes: dict[int, Note]


Served = tuple[int, ...] | Noted | Failed
"""The result of a request: plain items, annotated items, or a failure."""


class Platform:
    """Serves pages of `page_size`; ranks `ahead` pages in one request.

    `random_k` items of each page are drawn at random; `explain` shows the reasons that a ranker
    gives. `feed` is the order of messages in the feed, and `feed_length` how many are shown.
    """

    def __init__(
        self,
        *,
        page_size: int = 5,
        max_pages: int = 5,
        repeat: bool = False,
        found: int = 20,
        random_k: int = 0,
        explain: bool = True,
        feed: str = "time",
        feed_length: int = INBOX,
    ) -> None:
        self.page_size = page_size
        self.max_pages = max_pages
        self.repeat = repeat
        self.found = found
        self.random_k = min(random_k, page_size)
        self.explain = explain
        self.feed = feed
        self.feed_length = feed_length
        self.ahead = min(max_pages, 5)

    def want(self, me: Agent) -> PageRequest:
        """Return the request for the next pages of `me`."""
        now = me.situation
        lived = tuple([lived.item for lived in me.history])
        exclude = now.shown if self.repeat else lived + now.shown
        taken = set(lived) if now.shown else ()
        skipped = tuple([item for item in now.shown if item not in taken])
        place = (me.profile.id, now.at, now.pages)
        return PageRequest(*place, exclude, lived, skipped, me.numbered)

    def rank(
        self,
        world: View,
        ranker: Ranker,
        wants: Sequence[PageRequest],
        part_deadline: float = LONGEST,
    ) -> Sequence[Served]:
        """Return what is ranked for each request, best first."""
        users, k, context = self._question(world, wants)
        try:
            with within(part_deadline):
                found = ranker.rank(users, k, context)
        except PASSING:
            raise
        except BaseException as error:
            raise _fault(ranker, error) from error
        return self._served(world, ranker, found, wants, k)

    async def rank_async(
        self,
        world: View,
        ranker: AsyncRanker,
        wants: Sequence[PageRequest],
        part_deadline: float = LONGEST,
    ) -> Sequence[Served]:
        """Return the same as `rank`, from an asynchronous ranker."""
        users, k, context = self._question(world, wants)
        try:
            found = await stepped(ranker.rank_async(users, k, context), part_deadline)
        except BaseException as error:
            if is_stopped(error):
                raise
            raise _fault(ranker, error) from error
        return self._served(world, ranker, found, wants, k)

    def _question(self, world: View, wants: Sequence[PageRequest]) -> tuple[Ints, int, Context]:
        users = np.array([want.agent for want in wants], np.int64)
        pages = np.array([want.page for want in wants], np.int64)
        moments = np.array([want.at for want in wants], np.int64)
        numbers = np.array([want.page + want.begin for want in wants], np.int64)
        k = min(self.page_size * self.ahead, len(world.catalogue))
        context = Context(
            moments,
            pages,
            [want.exclude for want in wants],
            dice(world.seed, "rank", users, world.round, numbers),
            lived=[want.lived for want in wants],
            key_of=UserKeys({user: world.profile(user).key for user in users.tolist()}),
            skipped=[want.skipped for want in wants],
        )
        return users, k, context

    def _served(
        self,
        world: View,
        ranker: object,
        found: Ints | Ranked,
        wants: Sequence[PageRequest],
        k: int,
    ) -> Sequence[Served]:
        try:
            slates = np.asarray(found)
        except ValueError as error:
            raise _fault(ranker, error) from error
        if isinstance(found, Ranked):
            if not (isinstance(ranker, SelfChecking) and ranker.checks_itself):
                given = [row for row in range(len(wants)) if row not in found.failures]
                part = slates[given] if slates.shape[:1] == (len(wants),) else slates
                some = [wants[row] for row in given]
                check_slates(ranker, part, some, k, len(world.catalogue))
            return [self._noted(ranker, found, row, wants[row]) for row in range(len(wants))]
        check_slates(ranker, slates, wants, k, len(world.catalogue))
        rows: list[list[int]] = slates.tolist()
        if slates.size and slates.min() < 0:
            return [tuple(item for item in row if item >= 0) for row in rows]
        return [tuple(row) for row in rows]

    def _noted(self, ranker: object, found: Ranked, row: int, want: PageRequest) -> Served:
        """Return one row, annotated if the ranker says something about its items."""
        if row in found.failures:
            return Failed(want.agent, f"recommender: {found.failures[row]}")
        places = [(at, item) for at, item in enumerate(found.items[row].tolist()) if item >= 0]
        items = tuple(item for _, item in places)
        reasons = found.reasons[row] if found.reasons is not None and self.explain else ()
        columns = (found.propensities, found.scores)
        if not any(reasons) and all(column is None for column in columns):
            return items
        try:
            return Noted(
                items,
                {
                    item: Note(
                        _known(found.propensities, row, at),
                        one_line(reasons[at]) if reasons else "",
                        _known(found.scores, row, at),
                    )
                    for at, item in places
                },
            )
        except (IndexError, TypeError, ValueError, AttributeError) as error:
            raise RecommenderFault(
                f"{name_of(ranker)}.rank returned unreadable annotations for user {want.agent} "
                f"({error!r}); give numbers and texts in the shape of the items"
            ) from error

    def search(self, world: View, query: str) -> tuple[int, ...]:
        """Return what a query finds, best first."""
        return search_in(world.catalogue).find(query, self.found)


def one_line(text: str) -> str:
    """Return a reason on one line, shortened if long."""
    flat = " ".join(text[: 8 * REASON].split()).encode("utf-8", "replace").decode()
    return flat if len(flat) <= REASON else flat[: REASON - 1] + "…"


def _known(numbers: Floats | None, row: int, at: int) -> float | None:
    found = None if numbers is None else float(numbers[row][at])
    return None if found is None or found != found else found


def _fault(ranker: object, error: BaseException) -> RecommenderFault:
    return RecommenderFault(
        f"{name_of(ranker)}.rank {said(error)}; fix it, then resume, "
        "or resume with another recommender by an intervention"
    )


def name_of(ranker: object) -> str:
    """Return the name of a ranker for messages."""
    return type(ranker).__qualname__


def check_slates(
    ranker: object, slates: Ints, wants: Sequence[PageRequest], k: int, items: int
) -> None:
    """Raise a fault that names the user and the item if slates cannot be shown."""
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


def _complain(who: str, slates: Ints, wants: Sequence[PageRequest], bad: Bools, what: str) -> None:
    if bad.any():
        row, column = np.argwhere(bad)[0].tolist()
        raise RecommenderFault(
            f"{who}.rank gave user {wants[row].agent} item {slates[row, column]}, {what}"
        )


def _check_enough(who: str, slates: Ints, wants: Sequence[PageRequest], items: int) -> None:
    given = (slates >= 0).sum(axis=1)
    for row in np.flatnonzero(given < slates.shape[1]).tolist():
        left = items - len(set(wants[row].exclude))
        needed = min(slates.shape[1], left)
        if given[row] < needed:
            raise RecommenderFault(
                f"{who}.rank gave user {wants[row].agent} {given[row]} items; {needed} were asked "
                "for and could be shown: rank the whole catalogue, best first"
            )
