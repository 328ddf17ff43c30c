from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from audience.agents import Decision
from audience.engine import Platform
from audience.engine.platform import PageRequest
from audience.engine.visit import Answer, Need, Visited, visit
from audience.testing import tiny_genesis
from audience.world import (
    LAST_PAGE,
    LAST_RESULTS,
    MENUS,
    Observation,
    World,
    actions as a,
    events as e,
)

ME = 2


class Stay:
    """One visit that is answered step by step."""

    def __init__(self, platform: Platform | None = None, max_turns: int = 12) -> None:
        self.world = World(tiny_genesis(6, 20))
        self.world.apply(e.RoundStarted(1, 0))
        self.life = visit(self.world, platform or Platform(page_size=3), ME, 40, max_turns)
        self.need: Need | None = next(self.life)
        self.visited: Visited | None = None

    def answer(self, answer: Answer) -> None:
        try:
            self.need = self.life.send(answer)
        except StopIteration as stop:
            self.need, self.visited = None, stop.value

    def does(self, *actions: a.AnyAction) -> None:
        """Attempt actions in one turn; pages hold the lowest ids that may be shown."""
        self.answer(Decision(actions, "because", ("call",)))
        while isinstance(self.need, PageRequest):
            barred = set(self.need.exclude)
            self.answer(tuple(item for item in range(20) if item not in barred)[:15])

    @property
    def seen(self) -> Observation:
        assert isinstance(self.need, Observation)
        return self.need

    @property
    def events(self) -> Sequence[e.AnyEvent]:
        assert self.visited is not None
        return [entry.event for entry in self.visited.entries]


def test_several_picks_in_one_visit() -> None:
    stay = Stay()
    stay.does(a.Enter("recommender"), a.Browse())
    assert stay.seen.me.situation.slate == (0, 1, 2)
    stay.does(a.Pick(1, 0.5), a.Rate(1, 4), a.Pick(0), a.NextPage())
    assert stay.seen.me.situation.slate == (3, 4, 5)
    stay.does(a.Pick(5), a.Leave(0.75))
    assert stay.visited is not None
    assert stay.visited.decisions == 3
    assert stay.visited.me.situation.surface == ""
    assert [lived.item for lived in stay.visited.me.history] == [1, 0, 5]
    assert [type(event).__name__ for event in stay.events] == [
        "Woke",
        "Entered",
        "SlateShown",
        "Picked",
        "Watched",
        "Rated",
        "Picked",
        "Watched",
        "SlateShown",
        "Picked",
        "Watched",
        "Left",
    ]


def test_reason_and_calls_stand_beside_the_first_events_of_a_decision() -> None:
    stay = Stay()
    stay.does(a.Enter("recommender"), a.Browse(), a.Leave())
    assert stay.visited is not None
    told = [(entry.cause, entry.calls) for entry in stay.visited.entries]
    assert told == [("", ()), ("because", ("call",)), ("", ()), ("", ())]


def test_a_reason_that_is_no_text_can_still_be_written_down() -> None:
    stay = Stay()
    stay.answer(Decision((a.Enter("social"),), "half a \ud83d", ("call",)))
    stay.does(a.Leave())
    assert stay.visited is not None
    causes = [entry.cause for entry in stay.visited.entries]
    assert "half a ?" in causes
    for cause in causes:
        assert cause.encode("utf-8").decode("utf-8") == cause


def test_what_comes_after_leaving_does_not_happen() -> None:
    stay = Stay()
    stay.does(a.Leave(0.5), a.Enter("social"), a.Post("x"))
    assert [type(event) for event in stay.events] == [e.Woke, e.Left]


def test_a_visit_out_of_turns_ends() -> None:
    stay = Stay(max_turns=2)
    stay.does(a.Enter("social"))
    assert stay.seen.turn == 1
    stay.does()
    assert stay.events[-1] == e.Left(ME, None, "out of turns")
    assert stay.visited is not None
    assert stay.visited.decisions == 2


def test_a_failure_ends_the_visit_and_is_recorded() -> None:
    stay = Stay()
    stay.does(a.Enter("social"))
    stay.answer(e.Failed(ME, "unreadable"))
    assert stay.events[-2:] == [e.Failed(ME, "unreadable"), e.Left(ME, None, "failed")]
    assert stay.visited is not None
    assert stay.visited.me.situation.surface == ""


def test_a_refusal_does_not_end_the_visit() -> None:
    stay = Stay()
    stay.does(a.Pick(3), a.Enter("social"))
    assert stay.seen.surface == "social"
    stay.does(a.Leave())
    assert stay.events[1] == e.Refused(ME, "Pick", "not possible on the home surface")


def test_pages_go_on_where_they_stopped_and_end_at_the_limit() -> None:
    stay = Stay(Platform(page_size=3, max_pages=3))
    stay.does(a.Enter("recommender"), a.Browse())
    assert stay.seen.menu == MENUS["recommender"]
    stay.does(a.NextPage(), a.Browse())
    here = stay.seen.me.situation
    assert (here.slate, here.page, here.pages) == ((6, 7, 8), 0, 3)
    assert stay.seen.menu == LAST_PAGE
    stay.does(a.NextPage(), a.Browse(), a.Search("Amber"), a.Leave())
    refused = [event for event in stay.events if isinstance(event, e.Refused)]
    assert [(one.action, one.why) for one in refused] == [
        (kind, "a visit has at most 3 pages") for kind in ("NextPage", "Browse", "Search")
    ]


def test_the_catalogue_comes_to_an_end() -> None:
    stay = Stay(Platform(page_size=8, max_pages=9))
    stay.does(a.Enter("recommender"), a.Browse(), a.NextPage(), a.NextPage())
    assert stay.seen.me.situation.slate == (15, 16, 17, 18, 19)
    stay.does(a.NextPage(), a.Leave())
    shown = [event for event in stay.events if isinstance(event, e.SlateShown)]
    assert sorted(item for page in shown for item in page.items) == list(range(20))
    assert e.Refused(ME, "NextPage", "there is nothing left to show") in stay.events


def test_pages_are_for_the_recommender_surface() -> None:
    stay = Stay()
    stay.does(a.Browse(), a.Search("Amber"), a.Enter("social"), a.NextPage(), a.Leave())
    refused = [event for event in stay.events if isinstance(event, e.Refused)]
    assert [(one.action, one.why) for one in refused] == [
        ("Browse", "not possible on the home surface"),
        ("Search", "not possible on the home surface"),
        ("NextPage", "not possible on the social surface"),
    ]


def test_search_shows_pages_of_what_was_found() -> None:
    stay = Stay(Platform(page_size=2))
    stay.does(a.Enter("recommender"), a.Search("amber"))
    found = stay.seen.me.situation
    titles = [stay.seen.catalogue[item].title for item in found.slate]
    assert all("Amber" in title for title in titles)
    assert (stay.seen.surface, found.page) == ("search", 0)
    assert stay.seen.menu == MENUS["search"]
    stay.does(a.NextPage())
    assert len(stay.seen.me.situation.slate) == 1
    assert stay.seen.menu == LAST_RESULTS
    stay.does(a.NextPage(), a.Browse(), a.Leave())
    assert e.Searched(ME, "amber", 3) in stay.events
    assert e.Refused(ME, "NextPage", "there are no more results") in stay.events
    last = [event for event in stay.events if isinstance(event, e.SlateShown)][-1]
    assert (last.surface, last.page) == ("recommender", 0)


@pytest.mark.parametrize("query", ["", "   "])
def test_a_search_needs_words(query: str) -> None:
    stay = Stay()
    stay.does(a.Enter("recommender"), a.Search(query), a.Leave())
    assert stay.events[2] == e.Refused(ME, "Search", "there are no words to search for")


def test_a_search_may_find_nothing() -> None:
    stay = Stay()
    stay.does(a.Enter("recommender"), a.Search("xyzzy"))
    assert stay.seen.me.situation.slate == ()
    stay.does(a.Pick(0), a.Leave())
    assert stay.events[2:4] == [
        e.Searched(ME, "xyzzy", 0),
        e.Refused(ME, "Pick", "item 0 is not on the page"),
    ]


def test_the_world_is_left_alone_by_a_visit() -> None:
    stay = Stay()
    before = stay.world.agents[ME]
    stay.does(a.Enter("recommender"), a.Browse(), a.Pick(0), a.Leave(1.0))
    assert stay.world.agents[ME] == before
    assert len(stay.world.interactions) == 0
    assert not np.any(stay.world.last_visit)
