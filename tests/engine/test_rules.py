from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, strategies as st

from audience.agents import Decision
from audience.engine import Platform
from audience.engine.platform import PageRequest
from audience.engine.rules import LONGEST_TEXT, resolve
from audience.engine.visit import Visited, visit
from audience.testing import tiny_genesis
from audience.world import MENUS, World, actions as a, events as e

ME = 0
GENESIS = tiny_genesis(8, 20)
LIVED, SHOWN, HEARD, UNKNOWN = 3, 4, 9, 15
LONG = "x" * (LONGEST_TEXT + 1)
PLACES: dict[str, tuple[e.AnyEvent, ...]] = {
    "home": (),
    "recommender": (e.Entered(ME, "recommender"), e.SlateShown(ME, (2, 3, 4), 0)),
    "search": (e.Entered(ME, "recommender"), e.SlateShown(ME, (2, 3, 4), 0, "search")),
    "social": (e.SlateShown(ME, (2, 3, 4), 0),),
}


def placed(surface: str) -> World:
    """Return a world where `ME` is on a surface, has lived item 3 and heard of item 9."""
    world = World(GENESIS)
    message = e.Delivered("1.1.0", 1, (ME,), "Look", (HEARD,), 0.5)
    for event in (e.RoundStarted(2, 10), message, e.Woke(ME, 11), *PLACES[surface]):
        world.apply(event)
    if surface != "home":
        world.apply(e.Watched(ME, LIVED, 0.5))
    if surface == "social":
        world.apply(e.Entered(ME, "social"))
    return world


def resolved(surface: str, action: a.AnyAction) -> list[e.AnyEvent]:
    world = placed(surface)
    return resolve(world, world.agents[ME], action)


LEGAL: list[tuple[str, a.AnyAction, list[e.AnyEvent]]] = [
    ("home", a.Enter("social"), [e.Entered(ME, "social")]),
    ("recommender", a.Enter("recommender"), [e.Entered(ME, "recommender")]),
    ("recommender", a.Pick(4, 0.25), [e.Picked(ME, 4, 2), e.Watched(ME, 4, 0.25)]),
    ("search", a.Pick(2, 0.0), [e.Picked(ME, 2, 0), e.Watched(ME, 2, 0.0)]),
    ("recommender", a.Rate(3, 1), [e.Rated(ME, 3, 1)]),
    ("search", a.Rate(3, 5, "Good."), [e.Rated(ME, 3, 5), e.Felt(ME, 3, "Good.")]),
    ("recommender", a.Rate(3, 5, LONG), [e.Rated(ME, 3, 5), e.Felt(ME, 3, LONG[:-1])]),
    ("social", a.Post("Hello"), [e.Posted(ME, "2.0.0", "Hello")]),
    (
        "social",
        a.Post("Hello", (LIVED, SHOWN, HEARD), -1.0),
        [e.Posted(ME, "2.0.0", "Hello", (LIVED, SHOWN, HEARD), -1.0)],
    ),
    (
        "social",
        a.Forward("1.1.0"),
        [e.Forwarded(ME, "2.0.0", "1.1.0", 1, "Look", (HEARD,), 0.5)],
    ),
    ("social", a.Say(1, "Hi", (LIVED,), 0.5), [e.Wished(ME, 1, "Hi", (LIVED,), 0.5)]),
    ("social", a.Follow(4), [e.Followed(ME, 4)]),
    ("social", a.Unfollow(1), [e.Unfollowed(ME, 1)]),
    ("home", a.Shift(1, -0.5), [e.TasteShifted(ME, 1, -0.5)]),
    ("social", a.Leave(), [e.Left(ME, None)]),
    ("recommender", a.Leave(1.0, "tired"), [e.Left(ME, 1.0, "tired")]),
    ("home", a.Nothing(), [e.Left(ME, None, "nothing to do")]),
]


@pytest.mark.parametrize(("surface", "action", "events"), LEGAL, ids=repr)
def test_what_is_legal_happens(surface: str, action: a.AnyAction, events: list[e.AnyEvent]) -> None:
    assert resolved(surface, action) == events


NAN = float("nan")
ILLEGAL: list[tuple[str, a.AnyAction, str]] = [
    ("home", a.Enter("cinema"), "surface 'cinema' is not one of recommender, social"),
    ("home", a.Enter("search"), "is not one of"),
    ("recommender", a.Pick(5), "item 5 is not on the page"),
    ("recommender", a.Pick(-1), "item -1 is not on the page"),
    ("recommender", a.Pick(4, 1.5), "fraction 1.5 is not in"),
    ("recommender", a.Pick(4, NAN), "fraction nan is not in"),
    ("recommender", a.Pick(LIVED), "picked already in this visit"),
    ("recommender", a.Rate(4, 3), "item 4 was not lived in this visit"),
    ("recommender", a.Rate(3, 0), "0 is not 1, 2, 3, 4 or 5 stars"),
    ("recommender", a.Rate(3, 6), "6 is not 1, 2, 3, 4 or 5 stars"),
    ("social", a.Post(" \n"), "no words"),
    ("social", a.Post(LONG), "2001 characters are more than 2000"),
    ("social", a.Post("x", (), 1.01), "stance 1.01 is not in"),
    ("social", a.Post("x", (), NAN), "stance nan is not in"),
    ("social", a.Post("x", (20,)), "item 20 does not exist"),
    ("social", a.Post("x", (-1,)), "item -1 does not exist"),
    ("social", a.Post("x", (UNKNOWN,)), "item 15 was neither seen nor heard of"),
    ("social", a.Forward("1.1.9"), "post '1.1.9' is not in the inbox"),
    ("social", a.Say(4, "Hi"), "4 is not among the people it listens to"),
    ("social", a.Say(ME, "Hi"), "0 is not among the people it listens to"),
    ("social", a.Say(99, "Hi"), "99 is not among the people it listens to"),
    ("social", a.Say(1, ""), "no words"),
    ("social", a.Say(1, "x", (UNKNOWN,)), "neither seen nor heard of"),
    ("social", a.Say(1, "x", (), -2.0), "stance -2.0 is not in"),
    ("social", a.Follow(8), "person 8 does not exist"),
    ("social", a.Follow(-1), "person -1 does not exist"),
    ("social", a.Follow(ME), "nobody follows itself"),
    ("social", a.Follow(1), "person 1 is followed already"),
    ("social", a.Unfollow(4), "person 4 is not followed"),
    ("home", a.Shift(5, 0.1), "tag 5 does not exist"),
    ("home", a.Shift(-1, 0.1), "tag -1 does not exist"),
    ("home", a.Shift(0, 2.5), "a taste cannot move by 2.5"),
    ("home", a.Shift(0, NAN), "a taste cannot move by nan"),
    ("home", a.Leave(1.5), "satisfaction 1.5 is not in"),
    ("home", a.Leave(NAN), "satisfaction nan is not in"),
    ("home", a.Pick(3), "not possible on the home surface"),
    ("social", a.Pick(3), "not possible on the social surface"),
    ("recommender", a.Post("x"), "not possible on the recommender surface"),
    ("recommender", a.Nothing(), "not possible on the recommender surface"),
    ("search", a.Say(1, "Hi"), "not possible on the search surface"),
]


@pytest.mark.parametrize(("surface", "action", "why"), ILLEGAL, ids=repr)
def test_what_is_not_legal_is_refused_with_a_reason(
    surface: str, action: a.AnyAction, why: str
) -> None:
    (refused,) = resolved(surface, action)
    assert isinstance(refused, e.Refused)
    assert (refused.agent, refused.action) == (ME, type(action).__name__)
    assert why in refused.why


def test_posts_of_one_visit_have_different_ids() -> None:
    world = placed("social")
    (first,) = resolve(world, world.agents[ME], a.Post("one"))
    world.apply(first)
    (second,) = resolve(world, world.agents[ME], a.Forward("1.1.0"))
    assert isinstance(first, e.Posted)
    assert isinstance(second, e.Forwarded)
    assert (first.post, second.post) == ("2.0.0", "2.0.1")


NUMBERS = st.integers(-3, 23)
REALS = st.floats(-3, 3) | st.just(NAN)
TEXTS = st.sampled_from(["", " ", "Hello", LONG, "recommender", "social", "1.1.0", "Amber Harbour"])
ITEMS = st.lists(NUMBERS, max_size=3).map(tuple)
ACTIONS: st.SearchStrategy[a.AnyAction] = st.one_of(
    st.builds(a.Enter, TEXTS),
    st.builds(a.Browse),
    st.builds(a.NextPage),
    st.builds(a.Search, TEXTS),
    st.builds(a.Pick, NUMBERS, REALS),
    st.builds(a.Rate, NUMBERS, NUMBERS, TEXTS),
    st.builds(a.Post, TEXTS, ITEMS, REALS),
    st.builds(a.Forward, TEXTS),
    st.builds(a.Say, NUMBERS, TEXTS, ITEMS, REALS),
    st.builds(a.Follow, NUMBERS),
    st.builds(a.Unfollow, NUMBERS),
    st.builds(a.Shift, NUMBERS, REALS),
    st.builds(a.Leave, st.none() | REALS, TEXTS),
    st.builds(a.Nothing),
)
PAGES = ("Browse", "NextPage", "Search")


@given(st.sampled_from(sorted(PLACES)), ACTIONS)
def test_any_action_anywhere_gives_events_and_a_refusal_changes_nothing(
    surface: str, action: a.AnyAction
) -> None:
    world = placed(surface)
    kind = type(action).__name__
    if kind in PAGES and kind in MENUS[surface]:
        return  # pages are shown by the visit, see below
    before = msgspec.json.encode(list(world.agents)), len(world.interactions), len(world.outbox)
    events = resolve(world, world.agents[ME], action)
    assert events
    refused = [event for event in events if isinstance(event, e.Refused)]
    for event in events:
        world.apply(event)
    after = msgspec.json.encode(list(world.agents)), len(world.interactions), len(world.outbox)
    if refused:
        assert len(events) == 1
        assert after == before


def lived(decisions: list[Decision]) -> Visited:
    """Live a visit with these decisions on a platform that shows the items by id."""
    world = placed("home")
    life = visit(world, Platform(page_size=3, max_pages=3), ME, 11, len(decisions))
    need = next(life)
    rest = iter(decisions)
    while True:
        try:
            if isinstance(need, PageRequest):
                barred = set(need.exclude)
                need = life.send(tuple(item for item in range(20) if item not in barred)[:9])
            else:
                need = life.send(next(rest))
        except StopIteration as stop:
            visited: Visited = stop.value
            return visited


@given(st.lists(st.lists(ACTIONS, max_size=6), min_size=1, max_size=4))
def test_a_visit_of_any_actions_ends_and_folds_to_the_same_agent(
    turns: list[list[a.AnyAction]],
) -> None:
    visited = lived([Decision(tuple(actions)) for actions in turns])
    events = [entry.event for entry in visited.entries]
    assert isinstance(events[0], e.Woke)
    assert isinstance(events[-1], e.Left)
    assert sum(isinstance(event, e.Left) for event in events) == 1
    world = placed("home")
    for event in events:
        world.apply(event)
    assert world.agents[ME] == visited.me
    read = msgspec.json.decode(msgspec.json.encode(visited.entries), type=tuple[e.Entry, ...])
    assert read == visited.entries


def test_a_feeling_may_be_told_without_stars() -> None:
    assert resolved("recommender", a.Rate(LIVED, 0, "I smiled.", "model")) == [
        e.Felt(ME, LIVED, "I smiled.", "model")
    ]
    (refused,) = resolved("recommender", a.Rate(LIVED, 0))
    assert isinstance(refused, e.Refused)


def test_answers_that_could_not_be_read_are_counted_and_the_visit_goes_on() -> None:
    world = World(GENESIS)
    for event in (e.RoundStarted(2, 10),):
        world.apply(event)
    life = visit(world, Platform(), ME, 11, 4)
    next(life)
    unread = Decision((a.Enter("social"),), unread=("stars: no stars in 'Many.'",))
    life.send(unread)
    with pytest.raises(StopIteration) as done:
        life.send(Decision((a.Leave(),)))
    visited = done.value.value
    assert isinstance(visited, Visited)
    events = [entry.event for entry in visited.entries]
    assert e.Failed(ME, "stars: no stars in 'Many.'") in events
    assert e.Entered(ME, "social") in events


def test_a_search_is_made_once_a_visit() -> None:
    world = World(GENESIS)
    world.apply(e.RoundStarted(2, 10))
    life = visit(world, Platform(), ME, 11, 4)
    next(life)
    title = GENESIS.catalogue[0].title
    life.send(Decision((a.Enter("recommender"), a.Search(title))))
    again = Decision((a.Search(f" {title.upper()} "), a.Leave()))
    with pytest.raises(StopIteration) as done:
        life.send(again)
    events = [entry.event for entry in done.value.value.entries]
    assert sum(isinstance(event, e.Searched) for event in events) == 1
    assert e.Refused(ME, "Search", "searched for already in this visit") in events
