from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import given, strategies as st
from tests.world.scene import ITEMS, PEOPLE, TAGS, applied

from audience.testing import simulate, tiny_genesis
from audience.world import Heard, Message, World, changes as c, events as e, fold_agent, taste_of

WHO = st.integers(0, PEOPLE - 1)
WHAT = st.integers(0, ITEMS - 1)
SOME = st.lists(WHAT, max_size=3).map(tuple)
UNIT = st.floats(0, 1)
STANCE = st.floats(-1, 1)
WORDS = st.text(max_size=6)
AT = st.integers(0, 2**40)

EVENTS: st.SearchStrategy[e.AnyEvent] = st.one_of(
    st.builds(e.RunStarted, AT, WORDS, UNIT),
    st.builds(e.RoundStarted, st.integers(1, 9), AT),
    st.builds(e.Woke, WHO, AT),
    st.builds(e.Entered, WHO, st.sampled_from(["recommender", "social"])),
    st.builds(
        e.SlateShown, WHO, SOME, st.integers(0, 5), st.sampled_from(["recommender", "search"])
    ),
    st.builds(
        e.SlateAnnotated,
        WHO,
        st.lists(st.none() | UNIT, max_size=3).map(tuple),
        st.lists(WORDS, max_size=3).map(tuple),
    ),
    st.builds(e.Searched, WHO, WORDS, WHAT),
    st.builds(e.Picked, WHO, WHAT, st.integers(0, 4)),
    st.builds(e.Watched, WHO, WHAT, UNIT),
    st.builds(e.Rated, WHO, WHAT, st.integers(1, 5)),
    st.builds(e.Felt, WHO, WHAT, WORDS),
    st.builds(e.Posted, WHO, WORDS, WORDS, SOME, STANCE),
    st.builds(e.Forwarded, WHO, WORDS, WORDS, WHO, WORDS, SOME, STANCE),
    st.builds(e.Wished, WHO, WHO, WORDS, SOME, STANCE),
    st.builds(e.Said, WHO, WHO, WORDS, SOME, STANCE),
    st.builds(e.Delivered, WORDS, WHO, st.lists(WHO, max_size=3).map(tuple), WORDS, SOME, STANCE),
    st.builds(e.Followed, WHO, WHO),
    st.builds(e.Unfollowed, WHO, WHO),
    st.builds(e.Left, WHO, st.none() | UNIT, WORDS),
    st.builds(e.Refused, WHO, WORDS, WORDS),
    st.builds(e.Failed, WHO, WORDS),
    st.builds(e.Remembered, WHO, WHAT, WORDS, UNIT, AT),
    st.builds(e.Forgot, WHO, WHAT),
    st.builds(e.TasteShifted, WHO, st.integers(0, TAGS - 1), st.floats(-2, 2)),
    st.builds(e.RecommenderFitted, WORDS, WHAT, WORDS),
    st.builds(
        e.Intervened,
        st.one_of(
            st.builds(c.ChangeProfile, WHO, st.just({"name": "New", "interests": ["Comedy"]})),
            st.builds(c.Announce, WORDS, SOME),
            st.builds(c.SwapRecommender, WORDS),
            st.builds(c.AddTie, WHO, WHO),
            st.builds(c.CutTie, WHO, WHO),
            st.builds(c.Silence, WHO, st.booleans()),
            st.builds(c.Remind, WHO, WORDS, UNIT),
        ),
    ),
    st.builds(e.RoundEnded, st.integers(1, 9)),
)


def state(world: World) -> tuple[Any, ...]:
    """Return all that a world holds, to be compared."""
    return (
        msgspec.json.encode(list(world.agents)),
        [world.graph.ties(agent) for agent in range(len(world.agents))],
        world.interactions.packed(),
        (world.round, world.now, world.seed, world.silent, world.recommender, world.fitted),
        (world.outbox, world.wishes, world.tie_changes, world.laws.drift),
        (world.activity.tolist(), world.satisfaction.tolist(), world.last_visit.tolist()),
        world.catalogue.items,
    )


@given(st.lists(EVENTS, max_size=30))
def test_no_event_raises_and_equal_events_make_equal_worlds(events: list[e.AnyEvent]) -> None:
    assert state(applied(*events)) == state(applied(*events))


@given(st.lists(EVENTS, max_size=15), st.lists(EVENTS, max_size=15))
def test_absorbing_a_visit_is_applying_its_events(
    before: list[e.AnyEvent], visit: list[e.AnyEvent]
) -> None:
    own = [event for event in visit if getattr(event, "agent", None) == 2]
    own = [event for event in own if not isinstance(event, (e.Said, e.Delivered))]
    one, two = applied(*before), applied(*before)
    me = two.agents[2]
    for event in own:
        one.apply(event)
        me = fold_agent(me, event, two.laws)
    two.absorb(me, [e.Entry(event) for event in own])
    assert state(one) == state(two)


def test_a_whole_run_folds_to_the_world_it_left() -> None:
    genesis = tiny_genesis()
    world, keeper = simulate(genesis)
    again = World(genesis)
    for event in keeper.events():
        again.apply(event)
    assert state(again) == state(world)


def test_a_lived_item_moves_the_taste_by_the_drift_of_the_run() -> None:
    still, moved = applied(e.Watched(0, 2, 1.0)), applied(e.RunStarted(1, "", 0.2))
    assert still.agents[0].taste == taste_of(still.genesis.profiles[0], still.catalogue.tag_ids)
    moved.apply(e.Watched(0, 2, 1.0))
    assert moved.agents[0].taste != still.agents[0].taste


def test_a_delivery_reaches_its_readers_alone() -> None:
    world = applied(e.Delivered("p", 3, (0, 2), "Look", (4,), 0.5))
    assert world.agents[0].inbox == (Message("p", 3, "Look", (4,), 0.5),)
    assert world.agents[2].heard == (Heard(4, 3, 0.5),)
    assert world.agents[1].inbox == world.agents[3].inbox == ()
    world.apply(e.Left(0))
    assert [len(world.agents[0].inbox), len(world.agents[0].heard)] == [0, 1]


def test_what_is_said_is_heard_by_the_other_one() -> None:
    world = applied(e.Said(1, 2, "Try it", (3,), 1.0))
    assert world.agents[2].heard == (Heard(3, 1, 1.0),)
    assert world.agents[1].heard == ()


def test_ties_move_when_the_round_ends() -> None:
    genesis = tiny_genesis(8, ITEMS)
    world = World(genesis)
    world.apply(e.Followed(0, 4))
    world.apply(e.Unfollowed(0, 1))
    assert (world.graph.tie(0, 4), world.graph.tie(0, 1) is None) == (None, False)
    world.apply(e.RoundEnded(1))
    assert world.graph.tie(0, 4) is not None
    assert world.graph.tie(0, 1) is None
    assert world.graph.tie(1, 0) is not None
    assert world.tie_changes == []


def test_posts_and_wishes_wait_until_the_round_ends() -> None:
    world = applied(e.Posted(0, "1.0.0", "Hello"), e.Wished(0, 1, "Hi"))
    assert (len(world.outbox), len(world.wishes)) == (1, 1)
    world.apply(e.RoundEnded(1))
    assert (world.outbox, world.wishes) == ([], [])
