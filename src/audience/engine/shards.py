"""Shards of a phase: visits or meetings that are independent, lived in several processes."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

import msgspec

from audience.agents import BatchMind
from audience.engine.drivers import DriverStage, in_waves
from audience.engine.forks import is_possible, shared_out
from audience.engine.harvest import Harvest, HarvestedBlocks, Told
from audience.engine.plans import Plan, Row, begun
from audience.engine.visit import Visited
from audience.log import decoded, encoded
from audience.recommenders import AsyncRanker
from audience.world import Agent, Entry, changed, with_change

if TYPE_CHECKING:
    from audience.engine.simulation import Simulation

LEAST = 500
"""Strands below which processes cost more than they save."""
_SMALLEST, _LARGEST = 125, 1_000
"""Strands of a block: enough for a batch to pay, and few enough for all processes to end alike."""
_SHARE = 4
"""A block is this part of what is left for each process, if it is not too small or too large."""
_THREADED = {"torch", "implicit"}
"""Libraries whose threads of computation do not survive a fork."""
_FIRST = 8
"""Strands lived in this process before it is forked, so that what they need is made only once."""


class Shard(msgspec.Struct, frozen=True, gc=False):
    """What a strand returned in another process, with its entries as the log stores them."""

    entries: tuple[Entry, ...]
    decisions: int
    body: bytes
    me: Agent | None
    """The agent after its visit; None after a meeting."""


_PACKET = msgspec.msgpack.Decoder(list[tuple[int, bytes, int, bytes]])
"""For each strand its decisions, its entries, and of a visit who came and what that changed."""


class Crew(Protocol):
    """Processes that live the visits or meetings of a phase."""

    def can_live(self, stage: DriverStage) -> bool:
        """Return True if they can, with the parts of a stage."""
        ...

    def lived(
        self, sim: Simulation, phase: int, rows: Sequence[Row], *, in_columns: bool
    ) -> Iterator[Sequence[Told] | Harvest]:
        """Yield what rows came to, in their order, some at a time; nothing while it waits.

        What was lived in another process is a `Shard`, or a `Harvest` of several if they may be
        told `in_columns`.
        """
        ...


class Forks:
    """A crew of this process and forks of it."""

    def __init__(self, workers: int) -> None:
        self._workers = workers

    def can_live(self, stage: DriverStage) -> bool:
        """Return True if forks of this process can live visits.

        A connection to a service cannot be shared, and some libraries do not work in a fork.
        """
        return is_possible() and can_share(stage) and not _THREADED & sys.modules.keys()

    def lived(
        self, sim: Simulation, phase: int, rows: Sequence[Row], *, in_columns: bool
    ) -> Iterator[Sequence[Told] | Harvest]:
        """Yield what rows came to, block after block."""
        stage = sim.stage
        assert stage is not None
        if not stage.is_warm:
            stage.platform.search(stage.world, stage.world.catalogue[0].title)
            yield Blocks(sim, plans_of(rows[:_FIRST]), (0, _FIRST)).do(0)
            rows, stage.is_warm = rows[_FIRST:], True
        cuts = cuts_of(len(rows), self._workers)
        blocks = Blocks(sim, plans_of(rows), cuts)
        if in_columns:
            work = HarvestedBlocks(sim, phase, rows, cuts, blocks.do)
            yield from shared_out(work, len(blocks), self._workers)
        else:
            yield from shared_out(blocks, len(blocks), self._workers)


def plans_of(rows: Sequence[Row]) -> list[Plan]:
    return [plan for _, _, plan in rows]


def can_share(stage: DriverStage) -> bool:
    """Return True if other processes can live visits: nobody is asked outside of them."""
    return isinstance(stage.mind, BatchMind) and not isinstance(stage.ranker, AsyncRanker)


def cuts_of(plans: int, workers: int) -> list[int]:
    """Return where the blocks of so many plans begin, and where the last one ends.

    They become smaller towards the end, so that all processes end alike.
    """
    cuts = [0]
    while (left := plans - cuts[-1]) > 0:
        size = min(max(left // (_SHARE * workers), _SMALLEST), _LARGEST, left)
        cuts.append(cuts[-1] + size)
    return cuts


class Blocks:
    """The plans of a phase in blocks."""

    def __init__(self, sim: Simulation, plans: Sequence[Plan], cuts: Sequence[int]) -> None:
        self._sim = sim
        self._plans = plans
        self._cuts = cuts

    def __len__(self) -> int:
        return len(self._cuts) - 1

    def plans(self, block: int) -> Sequence[Plan]:
        """Return the plans of a block."""
        return self._plans[self._cuts[block] : self._cuts[block + 1]]

    def do(self, block: int) -> Sequence[Told]:
        """Live a block, in this process."""
        assert self._sim.stage is not None
        ended: list[tuple[int, Told]] = []
        strands = [begun(self._sim, plan) for plan in self.plans(block)]
        in_waves(self._sim.stage, strands, ended.extend)
        ended.sort(key=lambda pair: pair[0])
        return [told for _, told in ended]

    def pack(self, block: int, result: Sequence[Told]) -> bytes:
        """Return what a block came to, as bytes for the process that keeps the run."""
        rows = [(told.decisions, encoded(told.entries), *self._changed(told)) for told in result]
        return msgspec.msgpack.encode(rows)

    def _changed(self, told: Told) -> tuple[int, bytes]:
        if not isinstance(told, Visited):
            return -1, b""
        return told.me.profile.id, changed(told.before, told.me)

    def unpack(self, sent: bytes) -> Sequence[Told]:
        """Return what a block came to in another process."""
        agents = self._sim.world.agents
        return [
            Shard(decoded(body), count, body, with_change(agents[who], change) if change else None)
            for count, body, who, change in _PACKET.decode(sent)
        ]
