"""Visits told in columns leave the world that their events leave."""

from __future__ import annotations

from itertools import groupby

import msgspec
import pytest

from audience.engine import Groups, Rules, TieRules
from audience.recommenders import Random
from audience.testing import simulate, tiny_genesis
from audience.world import (
    FOLDS,
    NOTHING,
    VISITS,
    Agent,
    Chapter,
    Entry,
    Past,
    Raise,
    SharedChanges,
    Topic,
    World,
    capture,
    events as e,
)

GENESIS = tiny_genesis(30, 25, past=(Past(3, 4, 10, 0.5),))
TOPIC = Topic("a new library", "The town builds a library.")


def visited(world: World, chapter: Chapter) -> tuple[Agent, tuple[Entry, ...]]:
    """Return the agent after a visit, and what happened."""
    me = world.agents[chapter.agent]
    for entry in chapter.entries:
        if type(entry.event) in FOLDS:
            me = FOLDS[type(entry.event)](me, entry.event, world.laws)
    return me, chapter.entries


@pytest.mark.parametrize("block", [1, 7, 1_000])
def test_visits_told_in_columns_leave_the_world_that_their_events_leave(block: int) -> None:
    _, keeper = simulate(
        GENESIS,
        recommender=Random(),
        rules=Rules(rounds=5),
        ties=TieRules(grow=0.4, fade=5.0, rewire=0.2, every=1),
        groups=Groups(share=0.4, size=3),
        changes={2: [Raise(TOPIC, (1, 2))]},
    )
    by_events, in_columns = World(GENESIS), World(GENESIS)
    for (_, phase), some in groupby(keeper.ordered(), lambda each: (each.round, each.phase)):
        chapters = list(some)
        for chapter in chapters:
            by_events.apply_all(chapter.entries)
        if phase != VISITS:
            for chapter in chapters:
                in_columns.apply_all(chapter.entries)
            continue
        for start in range(0, len(chapters), block):
            visits = [visited(in_columns, each) for each in chapters[start : start + block]]
            sent = msgspec.msgpack.encode(in_columns.shared_changes(visits))
            for me, _ in visits:
                in_columns.agents[me.profile.id] = me
            in_columns.share(msgspec.msgpack.decode(sent, type=SharedChanges))
        assert capture(in_columns, NOTHING) == capture(by_events, NOTHING)
    happened = {type(event) for event in keeper.events()}
    assert {e.Posted, e.Wished, e.Forwarded, e.Rated, e.Searched, e.MoodShifted} <= happened


def test_stars_for_what_was_watched_before_are_given_there() -> None:
    world = World(GENESIS)
    visit = (world.agents[3], (Entry(e.Woke(3, 5)), Entry(e.Rated(3, 4, 2)), Entry(e.Left(3))))
    changes = world.shared_changes([visit])
    assert changes.others == (e.Rated(3, 4, 2),)
    world.share(changes)
    assert world.interactions.stars.tolist() == [2]


def test_what_happens_often_is_sent_in_columns_alone() -> None:
    _, keeper = simulate(tiny_genesis(30, 25), rules=Rules(rounds=1))
    world = World(GENESIS)
    visits = [visited(world, each) for each in keeper.ordered() if each.phase == VISITS]
    others = {type(event) for event in world.shared_changes(visits).others}
    assert others <= {e.Posted, e.Forwarded, e.Wished, e.Followed, e.Unfollowed}
