"""Shards of a phase: visits or meetings that are independent, lived in several processes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

import msgspec

from audience.agents import BatchMind
from audience.engine.drivers import DriverStage, Strand, in_waves
from audience.engine.forks import is_possible, shared_out
from audience.engine.visit import Visited
from audience.log import decoded, encoded
from audience.recommenders import AsyncRanker
from audience.world import Agent, Entry, changed, with_change

LEAST = 500
"""Strands below which processes cost more than they save."""
_SMALLEST, _LARGEST = 125, 2_500
"""Strands of a block: enough for a batch to pay, and few enough for all processes to end alike."""
_BLOCKS = 10
"""Blocks for each process, if they are not too small or too large then."""
_THREADED = {"torch", "implicit"}
"""Libraries whose threads of computation do not survive a fork."""
_FIRST = 8
"""Strands lived in this process before it is forked, so that what they need is made only once."""


class Told(Protocol):
    """What a strand returns: what happened, and how many decisions that took."""

    @property
    def entries(self) -> tuple[Entry, ...]: ...
    @property
    def decisions(self) -> int: ...


class Shard(msgspec.Struct, frozen=True, gc=False):
    """What a strand returned in another process, with its entries as the log stores them."""

    entries: tuple[Entry, ...]
    decisions: int
    body: bytes
    me: Agent | None
    """The agent after its visit; None after a meeting."""


T = TypeVar("T", bound=Told)
Begin = Callable[[], Strand[T]]
_PACKET = msgspec.msgpack.Decoder(list[tuple[int, bytes, int, bytes]])
"""For each strand its decisions, its entries, and of a visit who came and what that changed."""


def can_share(stage: DriverStage) -> bool:
    """Return True if forks of this process can live visits.

    A connection to a service cannot be shared, and some libraries do not work in a fork.
    """
    return (
        is_possible()
        and isinstance(stage.mind, BatchMind)
        and not isinstance(stage.ranker, AsyncRanker)
        and not _THREADED & sys.modules.keys()
    )


def lived(
    stage: DriverStage, begins: Sequence[Begin[Any]], workers: int
) -> Iterator[Sequence[Told]]:
    """Yield what strands return, block after block in their order, lived by so many processes.

    What was lived in another process is a `Shard`.
    """
    if not stage.is_warm:
        stage.platform.search(stage.world, stage.world.catalogue[0].title)
        yield _Strands(stage, begins, _FIRST).do(0)
        begins, stage.is_warm = begins[_FIRST:], True
    size = min(max(len(begins) // (_BLOCKS * workers), _SMALLEST), _LARGEST)
    yield from shared_out(_Strands(stage, begins, size), -(-len(begins) // size), workers)


class _Strands:
    """Blocks of so many strands."""

    def __init__(self, stage: DriverStage, begins: Sequence[Begin[Any]], size: int) -> None:
        self._stage = stage
        self._begins = begins
        self._size = size

    def do(self, block: int) -> Sequence[Told]:
        begins = self._begins[block * self._size : (block + 1) * self._size]
        ended: list[tuple[int, Told]] = []
        in_waves(self._stage, [begin() for begin in begins], ended.extend)
        ended.sort(key=lambda pair: pair[0])
        return [told for _, told in ended]

    def pack(self, result: Sequence[Told]) -> bytes:
        rows = [(one.decisions, encoded(one.entries), *self._changed(one)) for one in result]
        return msgspec.msgpack.encode(rows)

    def _changed(self, one: Told) -> tuple[int, bytes]:
        if not isinstance(one, Visited):
            return -1, b""
        who = one.me.profile.id
        return who, changed(self._stage.world.agents[who], one.me)

    def unpack(self, sent: bytes) -> Sequence[Told]:
        agents = self._stage.world.agents
        return [
            Shard(decoded(body), count, body, with_change(agents[who], change) if change else None)
            for count, body, who, change in _PACKET.decode(sent)
        ]
