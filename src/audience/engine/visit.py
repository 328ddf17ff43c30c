"""One agent's visit as a generator that asks for decisions and rankings.

It waits for nothing and knows nothing of other visits. Waves drive thousands of them in step,
coroutines drive each at its own pace (engine/drivers.py); both give the same bytes.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import TypeAlias

import msgspec
from msgspec.structs import replace

from audience.agents import Decision, Scene, Script
from audience.engine.platform import Note, Noted, PageRequest, Platform, Served, feed_of, mixed
from audience.engine.rules import is_text, refuse, resolve
from audience.world import (
    FOLDS,
    LAST_PAGE,
    LAST_RESULTS,
    MENUS,
    Agent,
    Observation,
    World,
    actions as a,
    events as e,
    observe,
)

EMOTION = 0.7
"""The importance of an emotion about a visit."""
Need: TypeAlias = Observation | PageRequest | Scene
Answer: TypeAlias = Decision | Served | Script


class Visited(msgspec.Struct, frozen=True, gc=False):
    """A finished visit: the agent before and after it, and what happened."""

    before: Agent
    me: Agent
    entries: tuple[e.Entry, ...]
    decisions: int


Life = Generator[Need, Answer, Visited]


def visit(
    world: World,
    platform: Platform,
    who: int,
    at: int,
    max_turns: int,
    *,
    briefly: bool = False,
    me: Agent | None = None,
) -> Life:
    """Run one visit: observe, decide, resolve, until the agent leaves or its turns are used up.

    An agent with news of a topic reads that first; one that came `briefly` then leaves. `me` is the
    agent as it will be then, by default as it is.
    """
    stay = _Stay(world, platform, me or world.agents[who])
    stay.wake(at)
    first = 0
    if briefly or any(message.topic >= 0 for message in stay.me.inbox):
        first = yield from stay.read_news()
        if briefly:
            stay.emit(e.Left(who))
            return stay.done(first)
        stay.emit(e.Entered(who, "home"))
    for turn in range(first, max_turns):
        decision = yield observe(world, stay.eyes(), stay.begin + turn, stay.menu())
        if isinstance(decision, e.Failed):
            stay.emit(decision)
            stay.emit(e.Left(who, None, "failed"))
            return stay.done(turn + 1)
        assert isinstance(decision, Decision)
        for event in minded(stay.me, decision, at):
            stay.emit(event)
        if decision.failure:
            stay.emit(e.Failed(who, decision.failure), "", decision.calls)
            stay.emit(e.Left(who, None, "failed"))
            return stay.done(turn + 1)
        yield from stay.attempt(decision)
        if not stay.me.situation.surface:
            return stay.done(turn + 1)
    stay.emit(e.Left(who, None, "out of turns"))
    return stay.done(max_turns)


def minded(me: Agent, decision: Decision, at: int) -> list[e.AnyEvent]:
    """Return what a decision leaves beside its actions: what was not read, recalled and felt."""
    who = me.profile.id
    events: list[e.AnyEvent] = [e.Failed(who, why) for why in decision.unread]
    if decision.recalled or decision.cut:
        events.append(e.Recalled(who, decision.recalled, at, decision.cut))
    if decision.emotion and is_text(decision.emotion):
        feeling = e.Reflected(who, me.thoughts_had, decision.emotion, EMOTION, at, (), "emotion")
        events.append(feeling)
    return events


class _Stay:
    """The state of one visit: its agent, its entries, the pages fetched ahead."""

    __slots__ = tuple(
        "before begin entries feed me notes place platform queries ranked results unserved "
        "world".split()
    )

    def __init__(self, world: World, platform: Platform, me: Agent) -> None:
        self.world = world
        self.platform = platform
        self.before = self.me = me
        self.entries: list[e.Entry] = []
        self.ranked: tuple[int, ...] = ()
        self.place = 0
        self.results: tuple[int, ...] = ()
        self.notes: dict[int, Note] = {}
        self.unserved = 0
        self.queries: set[str] = set()
        self.begin = 0
        self.feed = feed_of(world, me, platform.feed, platform.feed_length)

    def wake(self, at: int) -> None:
        """Begin the visit; its turns are numbered on from those of earlier ones in the round."""
        self.emit(e.Woke(self.me.profile.id, at))
        self.begin = self.me.numbered

    def eyes(self) -> Agent:
        """Return the agent with its feed in place of its whole inbox."""
        if self.feed == self.me.inbox:
            return self.me
        return replace(self.me, inbox=self.feed)

    def emit(self, event: e.AnyEvent, cause: str = "", calls: tuple[str, ...] = ()) -> None:
        self.entries.append(e.Entry(event, cause, calls))
        fold = FOLDS.get(type(event))
        if fold is not None:
            self.me = fold(self.me, event, self.world.laws)

    def done(self, decisions: int) -> Visited:
        return Visited(self.before, self.me, tuple(self.entries), decisions)

    def menu(self) -> tuple[str, ...]:
        """Return the actions possible on the current page."""
        now = self.me.situation
        if now.surface not in a.PAGE_SURFACES:
            return MENUS[now.surface]
        if now.pages >= self.platform.max_pages:
            return LAST_PAGE
        shown = (now.page + 1) * self.platform.page_size
        if now.surface == "search" and shown >= len(self.results):
            return LAST_RESULTS
        return MENUS[now.surface]

    def read_news(self) -> Generator[Need, Answer, int]:
        """Read the news of topics and return the number of decisions this took, 0 or 1."""
        who, at = self.me.profile.id, self.me.situation.at
        self.emit(e.Entered(who, "news"))
        seen = observe(self.world, self.me, self.begin)
        if not seen.news:  # crowded out of the inbox by other posts
            return 0
        decision = yield seen
        if isinstance(decision, e.Failed):
            self.emit(decision)
            return 1
        assert isinstance(decision, Decision)
        for event in minded(self.me, decision, at):
            self.emit(event)
        if decision.failure:
            self.emit(e.Failed(who, decision.failure), "", decision.calls)
        else:
            self._respond(decision)
        return 1

    def _respond(self, decision: Decision) -> None:
        cause, calls = decision.reason, decision.calls
        if not is_text(cause):
            cause = cause.encode("utf-8", "replace").decode()
        for action in decision.actions:
            if type(action) in (a.Leave, a.Nothing):
                break
            for event in resolve(self.world, self.me, action):
                self.emit(event, cause, calls)
                cause, calls = "", ()

    def attempt(self, decision: Decision) -> Generator[Need, Answer, None]:
        cause, calls = decision.reason, decision.calls
        if not is_text(cause):
            cause = cause.encode("utf-8", "replace").decode()
        for action in decision.actions:
            if type(action) in a.PAGE_TURNS:
                events: Iterable[e.AnyEvent] = yield from self._turn_page(action)
            else:
                events = resolve(self.world, self.me, action)
            for event in events:
                self.emit(event, cause, calls)
            cause, calls = "", ()
            if not self.me.situation.surface:
                return

    def _turn_page(self, action: a.AnyAction) -> Generator[Need, Answer, list[e.AnyEvent]]:
        now = self.me.situation
        if type(action).__name__ not in MENUS[now.surface]:
            return [refuse(self.me, action, f"not possible on the {now.surface} surface")]
        if now.pages >= self.platform.max_pages:
            return [refuse(self.me, action, f"a visit has at most {self.platform.max_pages} pages")]
        if isinstance(action, a.Search):
            return self._search(action)
        if isinstance(action, a.NextPage) and now.surface == "search":
            return self._more_results(action)
        if isinstance(action, a.Browse) and not now.pages and self.me.saved:
            kept = self.me.saved[-self.platform.page_size :]
            return [e.SlateShown(self.me.profile.id, kept, 0, "saved")]
        if self.place >= len(self.ranked):
            served = yield self.platform.want(self.me)
            if isinstance(served, e.Failed):
                return self._unserved(served)
            self._take(served)
        return self._shown(action)

    def _take(self, served: Answer) -> None:
        if isinstance(served, tuple):
            self.ranked, self.place, self.notes = served, 0, {}
        else:
            assert isinstance(served, Noted)
            self.ranked, self.place, self.notes = served.items, 0, served.notes

    def _unserved(self, failed: e.Failed) -> list[e.AnyEvent]:
        """Return the failure to get a page; after a second one the agent leaves."""
        self.unserved += 1
        if self.unserved < 2:
            return [failed]
        return [failed, e.Left(self.me.profile.id, None, "failed")]

    def _shown(self, action: a.AnyAction) -> list[e.AnyEvent]:
        who, now = self.me.profile.id, self.me.situation
        items = self._next_items()
        chances: tuple[float, ...] = ()
        if self.platform.random_k:
            want = self.platform.want(self.me)
            k = self.platform.random_k
            page = want.page + want.begin
            items, chances = mixed(self.world, who, page, want.exclude, items, k)
        if not items:
            return [refuse(self.me, action, "there is nothing left to show")]
        turned = isinstance(action, a.NextPage) and now.surface == "recommender"
        page = now.page + 1 if turned else 0
        shown = e.SlateShown(who, items, page)
        known = annotated(who, items, self.notes, chances) if chances or self.notes else None
        return [shown, known] if known else [shown]

    def _next_items(self) -> tuple[int, ...]:
        """Return the next ranked items, without those shown in the meantime."""
        if self.results or self.platform.random_k:
            shown = set(self.me.situation.shown)
            left = [item for item in self.ranked[self.place :] if item not in shown]
            self.ranked, self.place = tuple(left), 0
        size = self.platform.page_size - self.platform.random_k
        items = self.ranked[self.place : self.place + size]
        self.place += size
        return items

    def _search(self, action: a.Search) -> list[e.AnyEvent]:
        if not action.query.strip() or not is_text(action.query):
            return [refuse(self.me, action, "there are no words to search for")]
        query = " ".join(action.query.casefold().split())
        if query in self.queries:
            return [refuse(self.me, action, "searched for already in this visit")]
        self.queries.add(query)
        who = self.me.profile.id
        self.results = self.platform.search(self.world, action.query)
        found: list[e.AnyEvent] = [e.Searched(who, action.query, len(self.results))]
        page = self.results[: self.platform.page_size]
        if page:
            found.append(e.SlateShown(who, page, 0, "search"))
        return found

    def _more_results(self, action: a.AnyAction) -> list[e.AnyEvent]:
        page = self.me.situation.page + 1
        size = self.platform.page_size
        items = self.results[page * size : (page + 1) * size]
        if not items:
            return [refuse(self.me, action, "there are no more results")]
        return [e.SlateShown(self.me.profile.id, items, page, "search")]


_NOTHING = Note()


def annotated(
    who: int, items: tuple[int, ...], notes: dict[int, Note], chances: tuple[float, ...]
) -> e.SlateAnnotated | None:
    """Return what is known about a slate, if anything; our own `chances` take precedence."""
    said = [notes.get(item, _NOTHING) for item in items]
    own: tuple[float | None, ...] = chances or tuple([note.propensity for note in said])
    reasons = tuple([note.reason for note in said])
    scores = tuple([note.score for note in said])
    known = e.SlateAnnotated(
        who,
        own if any(number is not None for number in own) else (),
        reasons if any(reasons) else (),
        scores if any(number is not None for number in scores) else (),
    )
    return known if known.propensities or known.reasons or known.scores else None
