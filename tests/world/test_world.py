from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audience.testing import simulate, tiny_genesis
from audience.world import World
from audience.world import changes as c
from audience.world import events as e
from audience.world.agent import HEARD, INBOX, Heard, Laws, Lived, fold_agent
from audience.world.items import Item
from audience.world.people import Profile
from audience.world.taste import taste_of
from audience.world.thoughts import Thought
from audience.world.topics import Message

PEOPLE, ITEMS, TAGS = 4, 6, 5
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


def tiny_world() -> World:
    return World(tiny_genesis(PEOPLE, ITEMS))


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


def applied(*events: e.AnyEvent) -> World:
    world = tiny_world()
    for event in events:
        world.apply(event)
    return world


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


def test_a_visit_is_carried_in_the_situation_and_ends_with_it() -> None:
    before = (e.Woke(1, 50), e.Entered(1, "recommender"), e.SlateShown(1, (3, 4), 0))
    here = applied(*before).agents[1].situation
    assert (here.at, here.surface, here.slate, here.page, here.pages) == (
        50,
        "recommender",
        (3, 4),
        0,
        1,
    )
    world = applied(*before, e.Watched(1, 4, 0.5), e.SlateShown(1, (5,), 1, "search"))
    here = world.agents[1].situation
    assert (here.surface, here.slate, here.shown, here.picks) == ("search", (5,), (3, 4, 5), 1)
    assert here.quality == world.catalogue[4].quality
    assert world.agents[1].lived_now() == (Lived(4, 50, 0.5),)
    world.apply(e.Left(1, 0.9))
    assert world.agents[1].situation.surface == ""
    assert world.agents[1].lived_now() == ()
    assert world.agents[1].satisfaction == pytest.approx(0.7)
    assert world.satisfaction[1] == pytest.approx(0.7)


def test_leaving_without_a_word_keeps_the_satisfaction() -> None:
    assert applied(e.Woke(0, 1), e.Left(0, None)).agents[0].satisfaction == 0.5


def test_stars_and_feelings_are_written_beside_the_newest_of_the_item() -> None:
    world = applied(e.Woke(0, 1), e.Watched(0, 2, 1.0), e.Watched(0, 3, 1.0), e.Watched(0, 2, 0.5))
    world.apply(e.Rated(0, 2, 4))
    world.apply(e.Felt(0, 3, "Fine."))
    assert world.agents[0].history == (
        Lived(2, 1, 1.0),
        Lived(3, 1, 1.0, 0, "Fine."),
        Lived(2, 1, 0.5, 4),
    )
    assert world.interactions.stars.tolist() == [0, 0, 4]


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


def test_inbox_and_hearsay_keep_the_newest() -> None:
    world = tiny_world()
    for number in range(50):
        world.apply(e.Delivered(f"p{number}", 1, (0,), "Look", (number % ITEMS,), 0.0))
    me = world.agents[0]
    assert (len(me.inbox), len(me.heard)) == (INBOX, HEARD)
    assert me.inbox[-1].post == "p49"


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


def test_thoughts_come_and_go() -> None:
    world = applied(e.Remembered(0, 1, "A", 0.5, 9), e.Remembered(0, 2, "B", 0.1, 9, "insight"))
    assert world.agents[0].thoughts[1] == Thought(2, "B", 0.1, 9, "insight")
    world.apply(e.Forgot(0, 1))
    assert [thought.text for thought in world.agents[0].thoughts] == ["B"]


def test_a_reminder_is_a_thought_of_that_moment_with_an_id_of_its_own() -> None:
    world = applied(
        e.RoundStarted(2, 77),
        e.Remembered(0, 4, "A", 0.5, 9),
        e.Intervened(c.Remind(0, "I was asked.", 0.9)),
        e.Intervened(c.Remind(0, "And again.")),
    )
    assert world.agents[0].thoughts[1:] == (
        Thought(5, "I was asked.", 0.9, 77, "reminder"),
        Thought(6, "And again.", 0.5, 77, "reminder"),
    )
    assert world.agents[1].thoughts == ()
    world.apply(e.Forgot(0, 5))
    assert [thought.id for thought in world.agents[0].thoughts] == [4, 6]


def test_a_new_person_is_one_of_us() -> None:
    world = applied(e.Intervened(c.AddPerson(Profile(PEOPLE, "New", activity=2.0), (0,))))
    assert len(world.agents) == PEOPLE + 1
    assert [agent.profile.name for agent in world.agents][-1] == "New"
    assert world.graph.neighbours(PEOPLE) == (0,)
    assert PEOPLE in world.graph.neighbours(0)
    assert world.activity.tolist()[-1] == 2.0
    assert len(world.satisfaction) == len(world.last_visit) == PEOPLE + 1
    assert world.interactions.people == PEOPLE + 1
    world.apply(e.Woke(PEOPLE, 3))
    assert world.agents[PEOPLE].visits == 1


def test_a_new_item_can_be_lived() -> None:
    world = applied(
        e.RunStarted(1, "", 0.5),
        e.Intervened(c.AddItem(Item(ITEMS, "New", tags=("Comedy",), quality=0.9))),
        e.Woke(0, 1),
        e.Watched(0, ITEMS, 1.0),
    )
    assert world.catalogue[ITEMS].title == world.interactions.catalogue[ITEMS].title == "New"
    assert world.agents[0].situation.quality == 0.9
    assert world.laws.drift == 0.5


def test_new_interests_reset_the_taste_and_other_fields_do_not() -> None:
    start = tiny_world().agents[0]
    moved = (e.TasteShifted(0, 1, 0.3), e.Intervened(c.ChangeProfile(0, {"age": 77})))
    world = applied(*moved)
    assert (world.agents[0].profile.age, world.agents[0].taste == start.taste) == (77, False)
    world.apply(e.Intervened(c.ChangeProfile(0, {"interests": ["Drama"], "activity": 3.0})))
    profile = world.agents[0].profile
    assert profile.interests == ("Drama",)
    assert world.agents[0].taste == taste_of(profile, world.catalogue.tag_ids)
    assert world.activity[0] == 3.0


def test_new_interests_count_also_for_somebody_with_a_leaning() -> None:
    world = tiny_world()
    leaning = {"leaning": [1.0] * TAGS, "interests": []}
    world.apply(e.Intervened(c.ChangeProfile(0, leaning)))
    assert np.frombuffer(world.agents[0].taste, np.float32).tolist() == [1.0] * TAGS
    world.apply(e.Intervened(c.ChangeProfile(0, {"interests": ["Drama"]})))
    wanted = taste_of(Profile(0, interests=("Drama",)), world.catalogue.tag_ids)
    assert world.agents[0].taste == wanted


def test_silence_and_swaps_are_remembered() -> None:
    world = applied(
        e.Intervened(c.Silence(1)),
        e.Intervened(c.Silence(2)),
        e.Intervened(c.Silence(1, False)),
        e.Intervened(c.SwapRecommender("random")),
    )
    assert world.silent == {2}
    assert world.recommender == c.SwapRecommender("random")


def test_people_are_looked_up_by_id_and_nobody_else_exists() -> None:
    agents = tiny_world().agents
    assert [agent.profile.id for agent in agents] == list(range(PEOPLE))
    for stranger in (-1, PEOPLE):
        with pytest.raises(IndexError):
            agents[stranger]


def test_an_event_that_concerns_nobody_leaves_an_agent_as_it_is() -> None:
    world = tiny_world()
    me = world.agents[0]
    assert fold_agent(me, e.RoundEnded(1), Laws(world.catalogue, 0.1)) is me


def test_reasons_belong_to_the_page_they_came_with() -> None:
    world = World(tiny_genesis(PEOPLE, ITEMS))

    def after(*events: e.AnyEvent) -> tuple[str, ...]:
        for event in events:
            world.apply(event)
        return world.agents[1].situation.reasons

    assert after(e.Woke(1, 5), e.SlateShown(1, (2, 3), 0)) == ()
    assert after(e.SlateAnnotated(1, (1.0, 0.5))) == ()
    assert after(e.SlateAnnotated(1, (), ("new", ""))) == ("new", "")
    assert after(e.Watched(1, 2, 1.0)) == ("new", "")
    assert after(e.SlateShown(1, (4,), 1)) == ()
    assert after(e.SlateAnnotated(1, (), ("old",)), e.Entered(1, "social")) == ()
