"""The end of a round for memories: what was lived is turned into thoughts."""

from __future__ import annotations

import asyncio
from collections import defaultdict

from audience.engine.simulation import Simulation
from audience.errors import AudienceError
from audience.world import events as e
from audience.world.rng import dice


class MemoryFault(AudienceError):
    """A memory raised while it was consolidating."""


class Lives:
    """Gathers, as a listener, what each agent lived in the present round."""

    def __init__(self) -> None:
        self.lived: dict[int, list[e.AnyEvent]] = defaultdict(list)

    def __call__(self, chapter: e.Chapter, world: object) -> None:
        for entry in chapter.entries:
            event = entry.event
            if isinstance(event, e.RoundStarted):
                self.lived.clear()
            elif isinstance(event, e.Delivered):
                for reader in event.to:
                    self.lived[reader].append(event)
            elif hasattr(event, "agent"):
                self.lived[event.agent].append(event)
                if isinstance(event, e.Said):
                    self.lived[event.to].append(event)


async def consolidate(sim: Simulation) -> None:
    """Let everybody who lived something turn it into thoughts, emitted in the order of ids."""
    lives = next((one for one in sim.listeners if isinstance(one, Lives)), None)
    if lives is None:
        return
    world, memory = sim.world, sim.parts.memory
    agents = sorted(lives.lived)

    async def one(agent: int) -> list[e.Entry]:
        draws = dice(sim.seed, "memory", agent, world.round)
        me = world.agents[agent]
        try:
            kept = await memory.consolidate(me, lives.lived[agent], world.now, draws)
        except AudienceError:
            raise
        except Exception as error:
            name = type(memory).__qualname__
            raise MemoryFault(
                f"{name}.consolidate raised {error!r} for agent {agent}; mend it and resume"
            ) from error
        return [e.Entry(event) for event in kept]

    thoughts = await asyncio.gather(*(one(agent) for agent in agents))
    for agent, entries in zip(agents, thoughts, strict=True):
        if entries:
            sim.emit(e.MEMORY, agent, agent, entries)
