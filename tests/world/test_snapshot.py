from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from audience.world import (
    NOTHING,
    Agent,
    Catalogue,
    Generator,
    Genesis,
    Item,
    Past,
    Profile,
    Shared,
    Ties,
    World,
    capture,
    changes as c,
    events as e,
    mark,
    restore,
    rng,
)

PEOPLE = 6
ITEMS = 5


def small() -> Genesis:
    items = tuple(Item(n, f"item {n}", tags=("a", "b", "c")[: 1 + n % 3]) for n in range(ITEMS))
    profiles = tuple(Profile(n, f"p{n}", interests=("a",)) for n in range(PEOPLE))
    firsts = [a for a in range(PEOPLE) for b in (1, 2)]
    others = [(a + b) % PEOPLE for a in range(PEOPLE) for b in (1, 2)]
    ties = Ties.of(PEOPLE, firsts, others, [0] * len(firsts), [0.25] * len(firsts))
    return Genesis(Catalogue(items), profiles, ties, past=(Past(0, 1, 5), Past(2, 3, 6, 0.5, 4)))


def happening(world: World, draw: Generator) -> e.AnyEvent:
    """Return one event that may happen to this world, of any kind that changes it."""
    people, items = len(world.agents), len(world.catalogue)
    me, other = (int(n) for n in draw.integers(people, size=2))
    item, stars = int(draw.integers(items)), int(draw.integers(1, 6))
    added = Profile(people, "new", interests=("b",), activity=2.0)
    kinds: tuple[e.AnyEvent, ...] = (
        e.Woke(me, world.now + 1),
        e.SlateShown(me, (item,), 0),
        e.Searched(me, f"words {item}", 1),
        e.Watched(me, item, float(draw.random())),
        e.Watched(me, item, 1.0),
        e.Rated(me, item, stars),
        e.Rated(me, item, stars),
        e.Felt(me, item, "so so"),
        e.Posted(me, "p1", "hello", (item,), 0.5),
        e.Said(me, other, "try this", (item,), 0.5),
        e.Delivered("p1", me, (other,), "hello", (item,), 0.5),
        e.Left(me, float(draw.random())),
        e.Remembered(me, 1, "a fine day", 0.5, world.now),
        e.TasteShifted(me, 0, 0.1),
        e.RecommenderFitted("popular", 3, "abc"),
        *(e.Followed(a, b) for a, b in draw.integers(people, size=(6, 2)).tolist()),
        *(e.Unfollowed(a, b) for a, b in draw.integers(people, size=(6, 2)).tolist()),
        e.Intervened(c.AddPerson(added, (me,))),
        e.Intervened(c.AddItem(Item(items, "new", tags=("c",)))),
        e.Intervened(c.AddTie(me, other, "colleague", 0.9)),
        e.Intervened(c.CutTie(me, other)),
        e.Intervened(c.Silence(me)),
        e.Intervened(c.Remind(me, "you were asked")),
        e.Intervened(c.SwapRecommender("random", {"k": 3})),
        e.Intervened(c.ChangeProfile(me, {"interests": ["c"], "activity": 3.0})),
    )
    return kinds[int(draw.integers(len(kinds)))]


def live_round(world: World, number: int, draw: Generator, events: int = 12) -> None:
    world.apply(e.RoundStarted(number, 1000 * number))
    for _ in range(events):
        world.apply(happening(world, draw))
    world.apply(e.RoundEnded(number))


def assert_same(one: World, two: World) -> None:
    assert list(one.agents) == list(two.agents)
    assert one.agents.changed == two.agents.changed
    assert one.graph.changes() == two.graph.changes()
    people = range(len(one.agents))
    assert [one.graph.ties(n) for n in people] == [two.graph.ties(n) for n in people]
    assert [one.graph.followers(n) for n in people] == [two.graph.followers(n) for n in people]
    assert one.interactions.packed() == two.interactions.packed()
    assert one.impressions.packed() == two.impressions.packed()
    assert one.fitted_shown == two.fitted_shown
    assert one.interactions.people == two.interactions.people
    assert one.interactions.catalogue is one.catalogue
    assert one.catalogue.items == two.catalogue.items
    assert one.catalogue.tags == two.catalogue.tags
    for mine, other in (
        (one.activity, two.activity),
        (one.satisfaction, two.satisfaction),
        (one.last_visit, two.last_visit),
    ):
        assert mine.dtype == other.dtype
        assert np.array_equal(mine, other)
    assert (one.round, one.now, one.seed) == (two.round, two.now, two.seed)
    assert (one.silent, one.recommender, one.fitted) == (two.silent, two.recommender, two.fitted)
    assert (one.laws.drift, one.outbox, one.wishes) == (two.laws.drift, two.outbox, two.wishes)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), every=st.integers(1, 3))
def test_a_restored_world_equals_the_folded_one_and_stays_equal(seed: int, every: int) -> None:
    genesis = small()
    world, draw, since = World(genesis), rng(seed, "lives"), NOTHING
    world.apply(e.RunStarted(seed, genesis.digest, 0.3))
    shared: list[Shared] = []
    agents: dict[int, Agent] = {}
    for number in range(1, 3 * every + 1):
        live_round(world, number, draw)
        if number % every == 0:
            taken, since = capture(world, since), mark(world)
            shared.append(taken.shared)
            agents |= taken.agents
    again = restore(genesis, shared, agents)
    assert_same(again, world)
    for _ in range(12):
        event = happening(world, draw)
        world.apply(event)
        again.apply(event)
    assert_same(again, world)


def test_a_snapshot_holds_only_the_agents_that_changed_since_the_one_before() -> None:
    world = World(small())
    world.apply(e.RoundStarted(1, 1000))
    world.apply(e.Watched(1, 0, 1.0))
    world.apply(e.Watched(2, 0, 1.0))
    first, since = capture(world), mark(world)
    world.apply(e.Watched(2, 1, 0.5))
    second = capture(world, since)
    assert set(first.agents) == {1, 2}
    assert set(second.agents) == {2}
    assert second.shared.begin == 4
    assert len(second.shared.rows[-1]) == 1


def test_stars_given_to_what_an_earlier_snapshot_holds_are_restored() -> None:
    genesis = small()
    world = World(genesis)
    world.apply(e.Watched(1, 0, 1.0))
    first, since = capture(world), mark(world)
    world.apply(e.Rated(1, 0, 5))
    world.apply(e.Rated(0, 1, 2))
    second = capture(world, since)
    assert second.shared.rated == ((0, 2), (2, 5))
    again = restore(genesis, [first.shared, second.shared], first.agents | second.agents)
    assert again.interactions.stars.tolist() == [2, 4, 5]


def test_the_order_of_followers_is_restored_although_ties_are_kept_by_their_other_end() -> None:
    genesis = small()
    world = World(genesis)
    world.graph.add(0, 5, "friend", 0.1)
    world.graph.add(1, 3, "friend", 0.1)
    world.graph.add(0, 3, "friend", 0.1)
    world.graph.cut(1, 2)
    world.graph.add(1, 2, "friend", 0.1)
    taken = capture(world)
    again = restore(genesis, [taken.shared], taken.agents)
    assert world.graph.followers(3) == (1, 2, 0)
    assert again.graph.followers(3) == (1, 2, 0)
    assert again.graph.followers(2) == world.graph.followers(2) == (0, 1)
    assert again.graph.ties(0) == world.graph.ties(0)
    assert again.graph.changes() == world.graph.changes()


def test_a_missing_piece_is_noticed() -> None:
    genesis = small()
    world = World(genesis)
    world.apply(e.Watched(1, 0, 1.0))
    since = mark(world)
    world.apply(e.Watched(1, 1, 1.0))
    later = capture(world, since)
    with pytest.raises(ValueError, match="missing"):
        restore(genesis, [later.shared], later.agents)
    with pytest.raises(ValueError, match="shared part"):
        restore(genesis, [], {})
