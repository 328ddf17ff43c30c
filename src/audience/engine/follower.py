"""A follower: a copy of a run in another process, which lives some of its visits there.

It applies the chapters that it is sent, as a resumed run applies those of its log, so it knows what
the run knows; what it lives it sends back, and it happens when the run says so.
"""

from __future__ import annotations

from collections.abc import Sequence

from audience.engine.drivers import uncollected
from audience.engine.plans import Plan
from audience.engine.shards import Blocks
from audience.engine.simulation import Parts, Rules, Simulation
from audience.world import Chapter, World


class _NoKeeper:
    """A keeper of nothing: the log belongs to the run."""

    def append(self, chapter: Chapter, body: bytes = b"") -> None:
        raise NotImplementedError

    def commit(self) -> None:
        raise NotImplementedError


class Follower:
    """A world that follows a run from the end of one of its rounds."""

    def __init__(self, world: World, parts: Parts, rules: Rules, seed: int) -> None:
        self._sim = Simulation(world, _NoKeeper(), parts, rules, seed)
        self._sim.lived = None  # memories are consolidated by the run
        self._sim.refit()

    def follow(self, chapters: Sequence[Chapter]) -> None:
        """Apply the next chapters of the run, and fit the recommender where it did."""
        before = self._sim.world.fitted
        with uncollected():
            for chapter in chapters:
                self._sim.apply(chapter)
        if self._sim.world.fitted is not before:
            self._sim.refit()

    def live(self, plans: Sequence[Plan]) -> bytes:
        """Return what plans came to in the world as it is, packed; nothing is applied."""
        blocks = Blocks(self._sim, plans, (0, len(plans)))
        with uncollected():
            return blocks.pack(0, blocks.do(0))
