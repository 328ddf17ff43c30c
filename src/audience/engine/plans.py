"""Plans of a phase: visits and meetings that can begin, as data that any process can begin from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from audience.engine.conversations import talk
from audience.engine.drivers import Strand
from audience.engine.groups import gathering
from audience.engine.visit import visit
from audience.world import events as e

if TYPE_CHECKING:
    from audience.engine.simulation import Simulation


class VisitPlan(msgspec.Struct, frozen=True, gc=False, tag="visit", array_like=True):
    """A visit at its moment; who comes `briefly` leaves after the news."""

    agent: int
    at: int
    briefly: bool = False


class TalkPlan(msgspec.Struct, frozen=True, gc=False, tag="talk", array_like=True):
    """A conversation that somebody wished for."""

    wish: e.Wished


class GatheringPlan(msgspec.Struct, frozen=True, gc=False, tag="gathering", array_like=True):
    """An evening of a group."""

    members: tuple[int, ...]


Plan: TypeAlias = VisitPlan | TalkPlan | GatheringPlan
Row: TypeAlias = tuple[int, int, Plan]
"""The rank and the agent of a chapter, and its visit or meeting."""


def begun(sim: Simulation, plan: Plan) -> Strand[Any]:
    """Return the strand of a plan, which begins in the world as it is now."""
    match plan:
        case VisitPlan(agent, at, briefly):
            turns = sim.rules.max_turns
            return visit(sim.world, sim.parts.platform, agent, at, turns, briefly=briefly)
        case TalkPlan(wish):
            return talk(sim.world, wish, sim.rules.max_lines, joint=sim.joint(wish))
        case GatheringPlan(members):
            return gathering(sim.world, sim.parts.platform, members, sim.parts.groups)
