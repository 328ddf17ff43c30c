"""What news of topics does to the world: the parts of its fold that spread needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from audience.world import changes as c
from audience.world import events as e
from audience.world.agent import told
from audience.world.topics import MUTUAL, ONE_WAY, RECOMMENDED

if TYPE_CHECKING:
    from audience.world.world import World


def told_all(world: World, event: e.Delivered) -> None:
    """Bring news: who listens to whom says how authentic it is to each."""
    agents, laws, sender = world.agents, world.laws, event.sender
    heard = set(world.graph.neighbours(sender)) if sender >= 0 else ()
    otherwise = ONE_WAY if sender >= 0 else RECOMMENDED
    for reader in event.to:
        trust = MUTUAL if reader in heard else otherwise
        agents[reader] = told(agents[reader], event, laws, trust)
    world.spread.reach(event.topic, event.to, world.round)
    world.spread.unread[event.topic, list(event.to)] = 1


def entered(world: World, event: e.Entered) -> None:
    if event.surface == "news":
        world.spread.open(event.agent, world.round)


def mood_shifted(world: World, event: e.MoodShifted) -> None:
    world.spread.level[event.topic, event.agent] = event.level


def attitude_shifted(world: World, event: e.AttitudeShifted) -> None:
    world.spread.stance[event.topic, event.agent] = event.stance


def begin(world: World, change: c.Raise) -> None:
    everybody = [world.profile(agent) for agent in range(len(world.agents))]
    world.spread.begin(change.topic, world.seed, everybody)
    world.laws = replace(world.laws, topics=world.spread.topics)
