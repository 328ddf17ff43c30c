from __future__ import annotations

import msgspec

from audience.testing import tiny_genesis
from audience.world import (
    MENUS,
    Agent,
    Friend,
    Observation,
    World,
    actions as a,
    events as e,
    observe,
    overhear,
)
from audience.world.observation import STRANGERS, friends_of

SECRETS: tuple[e.AnyEvent, ...] = (
    e.Woke(1, 99),
    e.Entered(1, "recommender"),
    e.SlateShown(1, (7, 8), 0),
    e.Picked(1, 7, 0),
    e.Watched(1, 7, 0.9),
    e.Rated(1, 7, 5),
    e.Felt(1, 7, "my secret"),
    e.Delivered("p", 2, (1,), "my secret", (8,), 1.0),
    e.Said(3, 1, "my secret", (9,), 1.0),
    e.Remembered(1, 1, "my secret", 1.0, 1),
    e.TasteShifted(1, 0, 1.0),
    e.Posted(1, "1.1.0", "not delivered yet"),
    e.Wished(1, 0, "not said yet"),
    e.Left(1, 0.1),
)


def awake(*events: e.AnyEvent) -> tuple[World, Agent]:
    world = World(tiny_genesis())
    for event in (e.RoundStarted(2, 5), *events, e.Woke(0, 77), e.Entered(0, "social")):
        world.apply(event)
    return world, world.agents[0]


def print_of(seen: Observation) -> bytes:
    parts = (seen.me, seen.round, seen.turn, seen.surface, seen.menu, seen.domain)
    return msgspec.json.encode((*parts, seen.friends, seen.lines, seen.catalogue.items))


def test_nothing_of_others_leaks_into_a_visit() -> None:
    plain, changed = (print_of(observe(*awake(*events), 3)) for events in ((), SECRETS))
    assert changed == plain


def test_nothing_of_others_leaks_into_a_conversation() -> None:
    found = []
    for events in ((), SECRETS):
        world, me = awake(*events)
        line = e.Said(1, 0, "Hello")
        found.append(print_of(overhear(world, me, 1, world.agents[1], (line,), 9)))
    assert found[0] == found[1]


def test_an_observation_holds_no_world() -> None:
    seen = observe(*awake(), 0)
    held = [getattr(seen, field) for field in seen.__struct_fields__]
    assert not any(isinstance(value, World) for value in held)


def test_friends_are_known_by_name_kind_and_closeness() -> None:
    world, me = awake()
    seen = observe(world, me, 0)
    ties = world.graph.ties(0)
    assert seen.friends == tuple(
        Friend(tie.other, f"Person {tie.other}", tie.kind, tie.closeness) for tie in ties
    )
    assert [friend.id for friend in seen.friends] == [1, 2, 10, 11]


def test_friends_are_shown_among_friends_only() -> None:
    world, _ = awake()
    world.apply(e.Entered(0, "recommender"))
    assert observe(world, world.agents[0], 0).friends == ()


def test_the_moment_is_that_of_the_visit() -> None:
    seen = observe(*awake(), 4)
    assert (seen.now, seen.round, seen.turn, seen.surface) == (77, 2, 4, "social")


def test_the_menu_is_of_the_surface_unless_given() -> None:
    world, me = awake()
    assert observe(world, me, 0).menu == MENUS["social"]
    assert observe(world, me, 0, ("Leave",)).menu == ("Leave",)


def test_a_conversation_shows_the_other_one_and_the_lines() -> None:
    world, me = awake()
    line = e.Said(1, 0, "Hello", (3,), 0.5)
    seen = overhear(world, me, 2, world.agents[1], (line,), 9)
    assert (seen.surface, seen.lines, seen.menu) == ("conversation", (line,), MENUS["conversation"])
    assert [friend.id for friend in seen.friends] == [1]
    assert seen.now == 9
    stranger = overhear(world, me, 0, world.agents[6], (line,), 9).friends[0]
    assert (stranger.name, stranger.kind, stranger.closeness) == ("Person 6", "", 0.0)


def test_menus_name_real_actions_and_everybody_can_leave() -> None:
    known = {kind.__name__ for kind in a.Action.__subclasses__()}
    for menu in MENUS.values():
        assert set(menu) <= known
        assert "Leave" in menu
    assert {name for menu in MENUS.values() for name in menu} == known


def test_the_newest_strangers_are_before_ones_eyes_and_few_of_them() -> None:
    world = World(tiny_genesis())
    near = {friend.id for friend in friends_of(world, world.agents[0])}
    far = [who for who in range(1, len(world.agents)) if who not in near][: STRANGERS + 2]
    sent = [e.Delivered(f"p{who}", who, (0,), "hello") for who in (*far, *near)]
    seen = observe(*awake(*sent), 0)
    assert len(far) > STRANGERS
    assert [one.id for one in seen.strangers] == far[::-1][:STRANGERS]
