"""Snapshots in the log: a cache that saves folding from the start."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from audience.log.checksum import row_sum
from audience.log.store import Log
from audience.world import (
    NOTHING,
    Agent,
    Genesis,
    Shared,
    Snapshot,
    SnapshotMark,
    World,
    capture,
    mark,
    restore,
)

_EVERYBODY = -1
"""The agent column of the row with the shared state."""
_ENCODER = msgspec.msgpack.Encoder()
_AGENT = msgspec.msgpack.Decoder(Agent)
_SHARED = msgspec.msgpack.Decoder(Shared)

_TABLE_EXISTS = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'snapshots'"
_SHARED_UPTO = "SELECT round FROM snapshots WHERE agent = -1 AND round <= ? ORDER BY round"
_SHARED_AT = "SELECT agent, round, body{sum} FROM snapshots WHERE agent = -1 AND round = ?"
_AGENTS_UPTO = (
    "SELECT agent, max(round), body{sum} FROM snapshots"
    " WHERE agent >= ? AND round <= ? GROUP BY agent ORDER BY agent LIMIT ?"
)
_PAGE = 500
"""Agents read at a time: their bodies together take as much memory as the world."""


class Snapshooter:
    """Takes an incremental snapshot every `every` rounds."""

    def __init__(self, log: Log, every: int = 10) -> None:
        if every < 1:
            raise ValueError(f"every is {every}; 1 is the least")
        self._log = log
        self._every = every
        self._mark: SnapshotMark = NOTHING

    def after_round(self, world: World) -> None:
        """Take a snapshot if one is due; to be called at the end of a round, before its commit."""
        if world.round % self._every == 0:
            save(self._log, capture(world, self._mark))
            self._mark = mark(world)

    def go_on_from(self, world: World) -> None:
        """Make the next snapshot incremental to the one that `world` was restored from."""
        self._mark = mark(world)


def save(log: Log, snapshot: Snapshot) -> None:
    """Add a snapshot to the log, to be written at the next commit."""
    round_ = snapshot.shared.round
    log.cache((round_, id_, _ENCODER.encode(me)) for id_, me in snapshot.agents.items())
    log.cache([(round_, _EVERYBODY, _ENCODER.encode(snapshot.shared))])


def load(log: Log, round_: int, genesis: Genesis | None = None) -> World | None:
    """Return the world of the newest usable snapshot at or before the end of a round, if any."""
    if not log.query(_TABLE_EXISTS):
        return None
    rounds = [row[0] for row in log.query(_SHARED_UPTO, (round_,))]
    if not rounds:
        return None
    genesis = genesis or log.genesis()
    try:
        return restore(genesis, _shared(log, rounds), dict(_agents(log, rounds[-1], genesis)))
    except (msgspec.DecodeError, TypeError, ValueError):
        # From another version, incomplete or damaged: fold the chapters instead.
        return None


def world_at(log: Log, round_: int, snapshooter: Snapshooter | None = None) -> World:
    """Return the world at the end of a round: the nearest snapshot and the chapters after it.

    A given snapshooter continues from that snapshot instead of starting with a full one.
    """
    genesis = log.genesis()
    world = load(log, round_, genesis)
    if world and snapshooter:
        snapshooter.go_on_from(world)
    return _carried(log, world or World(genesis), round_)


def world_from(log: Log, round_: int, genesis: Genesis, near: World | None) -> World:
    """Return the world at the end of a round, reached from `near` if no snapshot is nearer.

    `near` is an earlier world of the same log, which is carried on, or None.
    """
    if near is None or not 0 < near.round <= round_ or near.round < _newest(log, round_):
        near = load(log, round_, genesis) or World(genesis)
    return _carried(log, near, round_)


def _newest(log: Log, round_: int) -> int:
    """Return the round of the newest snapshot at or before the end of a round; -1 if none."""
    if not log.query(_TABLE_EXISTS):
        return -1
    return max((int(row[0]) for row in log.query(_SHARED_UPTO, (round_,))), default=-1)


def _carried(log: Log, world: World, round_: int) -> World:
    begin = world.round + 1 if world.round else 0
    for chapter in log.chapters(begin_round=begin, end_round=round_ + 1):
        world.apply_all(chapter.entries)
    return world


def _shared(log: Log, rounds: list[int]) -> Iterator[Shared]:
    for round_ in rounds:
        for _, body in _rows(log, _SHARED_AT, round_):
            yield _SHARED.decode(body)


def _agents(log: Log, round_: int, genesis: Genesis) -> Iterator[tuple[int, Agent]]:
    """Yield the newest agents up to a round by id; a profile that did not change is kept once."""
    begin = 0
    while rows := list(_rows(log, _AGENTS_UPTO, begin, round_, _PAGE)):
        for id_, body in rows:
            me = _AGENT.decode(body)
            if id_ < len(genesis.profiles) and me.profile == genesis.profiles[id_]:
                me = msgspec.structs.replace(me, profile=genesis.profiles[id_])
            yield id_, me
        begin = rows[-1][0] + 1


def _rows(log: Log, statement: str, *values: int) -> Iterator[tuple[int, bytes]]:
    """Yield snapshots (agent, body); raise ValueError if one is not as written."""
    sums = ", sum" if log.has_sums else ""
    for agent, at, body, *kept in log.query(statement.format(sum=sums), values):
        if kept and kept[0] != row_sum(agent, at, body):
            raise ValueError(f"the snapshot of round {at} is damaged")
        yield agent, body
