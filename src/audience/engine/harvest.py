"""Harvests: what visits came to in another process, told in columns.

The process that keeps the run writes their chapters and adds up their columns; it does not read
what happened. So its share of the work is small, and more processes are of use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

import msgspec

from audience.engine.keepers import RowKeeper
from audience.engine.plans import Row
from audience.engine.visit import Visited
from audience.log import SummedRow, encoded, row_sum
from audience.world import Chapter, Entry, SharedChanges, changed, with_change

if TYPE_CHECKING:
    from audience.engine.simulation import Simulation


class Told(Protocol):
    """What a strand returns: what happened, and how many decisions that took."""

    @property
    def entries(self) -> tuple[Entry, ...]: ...
    @property
    def decisions(self) -> int: ...


class Harvest(msgspec.Struct, frozen=True, array_like=True):
    """What a block of visits came to."""

    rows: list[SummedRow]
    """Their chapters, as the log stores them."""
    decisions: int
    agents: list[tuple[int, bytes]]
    """What each visit changed of its agent."""
    shared: SharedChanges
    counted: bytes
    """What the metrics counted."""

    def __len__(self) -> int:
        return len(self.rows)


_HARVEST = msgspec.msgpack.Decoder(Harvest)


class HarvestedBlocks:
    """Blocks of visits that are told in columns where another process lives them."""

    def __init__(
        self,
        sim: Simulation,
        phase: int,
        rows: Sequence[Row],
        cuts: Sequence[int],
        do: Callable[[int], Sequence[Told]],
    ) -> None:
        self._sim, self._phase = sim, phase
        self._rows, self._cuts = rows, cuts
        self._do = do

    def do(self, block: int) -> Sequence[Told] | Harvest:
        """Live a block, in this process."""
        return self._do(block)

    def pack(self, block: int, result: Sequence[Told] | Harvest) -> bytes:
        """Return a block as bytes; the metrics of this process are used to count it."""
        world, measures = self._sim.world, self._sim.measures
        assert not isinstance(result, Harvest)
        visits = [told for told in result if isinstance(told, Visited)]
        rows: list[SummedRow] = []
        if measures:
            measures.taken()  # what they had counted before belongs to the run
        mine = self._rows[self._cuts[block] : self._cuts[block + 1]]
        for (rank, agent, _), visited in zip(mine, visits, strict=True):
            chapter = Chapter(world.round, self._phase, rank, agent, visited.entries)
            place = (chapter.round, chapter.phase, rank, agent)
            body = encoded(visited.entries)
            rows.append((*place, body, row_sum(*place, body)))
            if measures:
                measures.update_chapter(chapter, world)
        return msgspec.msgpack.encode(
            Harvest(
                rows,
                sum(visited.decisions for visited in visits),
                [(each.me.profile.id, changed(each.before, each.me)) for each in visits],
                world.shared_changes((each.me, each.entries) for each in visits),
                measures.taken() if measures else b"",
            )
        )

    def unpack(self, sent: bytes) -> Harvest:
        """Return what a block came to in another process."""
        return _HARVEST.decode(sent)


def bring_in(sim: Simulation, harvest: Harvest) -> None:
    """Write a harvest into the log and apply it."""
    world = sim.world
    assert isinstance(sim.keeper, RowKeeper)
    sim.keeper.append_rows(harvest.rows)
    sim.decisions += harvest.decisions
    sim.keeper.commit()
    agents = world.agents
    for who, change in harvest.agents:
        agents[who] = with_change(agents[who], change)
    world.share(harvest.shared)
    if sim.measures:
        sim.measures.merge(harvest.counted, world)
