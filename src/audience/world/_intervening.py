"""What interventions do to the world: the parts of its fold that changes from outside need."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import convert, to_builtins
from msgspec.structs import replace

from audience.world import _news as news
from audience.world import changes as c
from audience.world import events as e
from audience.world._remembering import thinking
from audience.world.agent import Agent
from audience.world.taste import taste_of
from audience.world.thoughts import Thought

if TYPE_CHECKING:
    from audience.world.world import World


def intervened(world: World, event: e.Intervened) -> None:
    """Make a change from outside true."""
    make = _CHANGES.get(type(event.change))
    if make is not None:  # what follows an announcement is Delivered
        make(world, event.change)


def _add_item(world: World, change: c.AddItem) -> None:
    world.catalogue = world.catalogue.plus(change.item)
    world.interactions.catalogue = world.catalogue
    world.laws = replace(world.laws, catalogue=world.catalogue)


def _swap(world: World, change: c.SwapRecommender) -> None:
    world.recommender = change


def _add_tie(world: World, change: c.AddTie) -> None:
    world.graph.add(change.agent, change.other, change.kind, change.closeness)


def _cut_tie(world: World, change: c.CutTie) -> None:
    world.graph.cut(change.agent, change.other)


def _silence(world: World, change: c.Silence) -> None:
    agent = {change.agent}
    world.silent = world.silent | agent if change.silent else world.silent - agent


def _remind(world: World, change: c.Remind) -> None:
    me = world.agents[change.agent]
    thought = Thought(me.thoughts_had, change.text, change.weight, world.now, "reminder")
    world.agents[change.agent] = thinking(me, thought, brewing=change.weight)


def _change_profile(world: World, change: c.ChangeProfile) -> None:
    agent, fields = change.agent, change.fields
    if "interests" in fields:
        fields = {"leaning": ()} | fields
    me = world.agents[agent]
    profile = convert(to_builtins(me.profile) | fields, type(me.profile), strict=False)
    taste = taste_of(profile, world.catalogue.tag_ids) if "interests" in fields else me.taste
    world.agents[agent] = replace(me, profile=profile, taste=taste)
    world.activity[agent] = profile.activity


def _add_person(world: World, change: c.AddPerson) -> None:
    profile = change.profile
    world.agents.add(Agent(profile, taste_of(profile, world.catalogue.tag_ids)))
    world.interactions.people = len(world.agents)
    world.activity = np.append(world.activity, profile.activity)
    world.satisfaction = np.append(world.satisfaction, 0.5)
    world.last_visit = np.append(world.last_visit, np.int32(0))
    world.spread.grow(world.seed, profile)
    for friend in change.friends:
        world.graph.add(profile.id, friend, "friend", 0.5)
        world.graph.add(friend, profile.id, "friend", 0.5)


_CHANGES: dict[type, Callable[[World, Any], None]] = {
    c.AddItem: _add_item,
    c.AddPerson: _add_person,
    c.AddTie: _add_tie,
    c.ChangeProfile: _change_profile,
    c.CutTie: _cut_tie,
    c.Raise: news.begin,
    c.Remind: _remind,
    c.Silence: _silence,
    c.SwapRecommender: _swap,
}
