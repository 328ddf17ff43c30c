"""Pausing within a visit to ask oneself: am I satisfied, am I tired, shall I go on?"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from audience.memory import Memory
from audience.world.agent import Agent
from audience.world.observe import Observation


@runtime_checkable
class Pausing(Protocol):
    """A memory that lets people pause on some pages."""

    def pause(self, me: Agent) -> bool:
        """Say whether it is time to ask oneself how the visit feels."""
        ...


def pauses(memory: Memory, seen: Observation) -> bool:
    """Say whether somebody pauses before it decides on a page."""
    on_page = seen.surface in ("recommender", "search")
    return on_page and isinstance(memory, Pausing) and memory.pause(seen.me)
