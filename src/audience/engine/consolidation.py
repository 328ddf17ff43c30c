"""The memory phase of a round: experiences become thoughts, and old thoughts fade."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from audience.errors import AudienceError
from audience.llm import together
from audience.memory import Fading, Life
from audience.user_code import PASSING, is_stopped, said, stepped, within
from audience.world import Agent, Floats, Ints, World, dice, events as e, fold_agent

if TYPE_CHECKING:
    from audience.engine.simulation import Simulation


class MemoryFault(AudienceError):
    """A memory raised an exception while consolidating."""


class LivedRound:
    """The events of the current round by agent."""

    def __init__(self) -> None:
        self.events: dict[int, list[e.AnyEvent]] = defaultdict(list)

    def add(self, chapter: e.Chapter) -> None:
        """Add a chapter; a new round clears the previous one."""
        for entry in chapter.entries:
            event = entry.event
            if isinstance(event, e.RoundStarted):
                self.events.clear()
            elif isinstance(event, e.Delivered):
                for reader in event.to:
                    self.events[reader].append(event)
            elif hasattr(event, "agent"):
                self.events[event.agent].append(event)
                if isinstance(event, e.Said):
                    self.events[event.to].append(event)


async def consolidate(sim: Simulation) -> None:
    """Let old thoughts fade and experiences become new ones, emitted by agent id."""
    if sim.lived is None:
        return
    world, events = sim.world, sim.lived.events
    end = world.genesis.clock.at(world.round, 1.0)
    faded = _faded(sim, end)
    agents = sorted({*events, *faded})

    async def consolidated(agent: int) -> list[e.Entry]:
        entries = [e.Entry(e.Forgot(agent, thought, "faded")) for thought in faded.get(agent, ())]
        lived = events.get(agent)
        if lived:
            me = world.agents[agent]
            for entry in entries:
                me = fold_agent(me, entry.event, world.laws)
            entries += await _kept(sim, _life(world, me, lived, end))
        return entries

    thoughts = await together(consolidated(agent) for agent in agents)
    for agent, entries in zip(agents, thoughts, strict=True):
        if entries:
            sim.emit(e.MEMORY, agent, agent, entries)


async def _kept(sim: Simulation, life: Life) -> Iterable[e.Entry]:
    memory, agent = sim.parts.memory, life.me.profile.id
    try:
        work = memory.consolidate(life, dice(sim.seed, "memory", agent, sim.world.round))
        return await stepped(work, sim.rules.part_deadline)
    except AudienceError:
        raise
    except BaseException as error:
        if is_stopped(error):
            raise
        raise _fault(memory, f"consolidate {said(error)} for agent {agent}") from error


def _fault(memory: object, what: str) -> MemoryFault:
    return MemoryFault(f"{type(memory).__qualname__}.{what}; fix it, then resume")


def _faded(sim: Simulation, end: int) -> dict[int, tuple[int, ...]]:
    """Return the long-term thoughts that faded in this round, by agent."""
    world, memory = sim.world, sim.parts.memory
    if not isinstance(memory, Fading):
        return {}

    def draw(agents: Ints, thoughts: Ints) -> Floats:
        return dice(sim.seed, "forget", agents, world.round, thoughts).uniform("fade")

    people = [me for me in world.agents.changed.values() if me.thoughts]
    since = world.genesis.clock.at(world.round)
    try:
        with within(sim.rules.part_deadline):
            faded = memory.fade(people, since, end, draw) if people else []
    except (AudienceError, *PASSING):
        raise
    except BaseException as error:
        raise _fault(memory, f"fade {said(error)}") from error
    if len(faded) != len(people):
        raise _fault(memory, f"fade gave {len(faded)} answers for {len(people)} people")
    return {me.profile.id: ids for me, ids in zip(people, faded, strict=True) if ids}


def _life(world: World, me: Agent, lived: list[e.AnyEvent], end: int) -> Life:
    others = {other for event in lived for other in _people_in(event)}
    names = {other: world.profile(other).name for other in others if other >= 0}
    return Life(me, tuple(lived), world.catalogue, world.genesis.domain, names, end)


def _people_in(event: e.AnyEvent) -> tuple[int, ...]:
    match event:
        case e.Said():
            return (event.agent, event.to)
        case e.Delivered() | e.Forwarded():
            return (event.author,)
        case e.Followed() | e.Unfollowed():
            return (event.who,)
        case e.Parted():
            return event.company
    return ()
