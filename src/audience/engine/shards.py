"""Shards of a phase: visits or meetings that are independent, lived in several processes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

import msgspec

from audience.agents import BatchMind
from audience.engine.drivers import DriverStage, Strand, in_waves
from audience.engine.forks import is_possible, shared_out
from audience.log import decoded, encoded
from audience.recommenders import AsyncRanker
from audience.world import Entry

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


T = TypeVar("T", bound=Told)
Begin = Callable[[], Strand[T]]
_PACKET = msgspec.msgpack.Decoder(list[tuple[int, bytes]])


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
) -> Iterator[Sequence[Shard]]:
    """Yield what strands return, block after block in their order, lived by so many processes."""
    size = min(max(len(begins) // (_BLOCKS * workers), _SMALLEST), _LARGEST)
    if not stage.is_warm:
        stage.platform.search(stage.world, stage.world.catalogue[0].title)
        yield _unpacked(_packed(stage, begins[:_FIRST]))
        begins, stage.is_warm = begins[_FIRST:], True

    def work(block: int) -> bytes:
        return _packed(stage, begins[block * size : (block + 1) * size])

    yield from map(_unpacked, shared_out(work, -(-len(begins) // size), workers))


def _packed(stage: DriverStage, begins: Sequence[Begin[Any]]) -> bytes:
    ended: list[tuple[int, Told]] = []
    in_waves(stage, [begin() for begin in begins], ended.extend)
    ended.sort(key=lambda pair: pair[0])
    return msgspec.msgpack.encode([(one.decisions, encoded(one.entries)) for _, one in ended])


def _unpacked(packet: bytes) -> list[Shard]:
    return [Shard(decoded(body), count, body) for count, body in _PACKET.decode(packet)]
