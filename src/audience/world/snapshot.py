"""Snapshots: a world as values that can be stored and restored, a cache of the fold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec
import numpy as np

from audience.world.agent import Agent, Laws
from audience.world.changes import SwapRecommender
from audience.world.events import RecommenderFitted
from audience.world.genesis import Genesis
from audience.world.graph import SocialGraph, Tie
from audience.world.impressions import Impressions
from audience.world.interactions import Interactions
from audience.world.items import Catalogue, Item
from audience.world.topics import Spread, Topic
from audience.world.world import World

_SIZES = (4, 4, 8, 4, 1)
"""Bytes of one interaction in each packed column; the last holds the stars."""


class Shared(msgspec.Struct, frozen=True, array_like=True):
    """The state at the end of a round that belongs to no single agent."""

    round: int
    now: int
    seed: int
    drift: float
    silent: tuple[int, ...]
    recommender: SwapRecommender | None
    fitted: tuple[int, RecommenderFitted] | None
    items: tuple[Item, ...]
    """Items added since genesis."""
    ties: dict[int, tuple[Tie, ...]]
    followers: dict[int, tuple[int, ...]]
    """The order of a person's followers, where it is not the order of their ids."""
    activity: bytes
    satisfaction: bytes
    last_visit: bytes
    begin: int
    """How many interactions earlier snapshots hold; `rows` are the following ones."""
    rows: tuple[bytes, ...]
    rated: tuple[tuple[int, int], ...]
    """Earlier interactions whose stars have changed: row and stars."""
    topics: tuple[Topic, ...] = ()
    spread: tuple[bytes, ...] = ()
    """The packed columns of `Spread`."""
    living: tuple[float, float] = (0.0, 0.0)
    """`grow` and `fade` of the social graph."""
    shown_begin: int = 0
    """How many impressions earlier snapshots hold; `shown` are the following ones."""
    shown: tuple[bytes, ...] = ()
    fitted_shown: int = 0
    came_at: bytes = b""


class Snapshot(msgspec.Struct, frozen=True):
    """All that has changed since an earlier snapshot."""

    shared: Shared
    agents: dict[int, Agent]


class SnapshotMark(msgspec.Struct, frozen=True):
    """What a snapshot has covered, so that the next one holds only later changes."""

    agents: dict[int, Agent]
    stars: bytes
    shown: int = 0


NOTHING = SnapshotMark({}, b"")


def mark(world: World) -> SnapshotMark:
    """Return the mark of a world now."""
    return SnapshotMark(
        dict(world.agents.changed),
        world.interactions.stars.astype(np.int8).tobytes(),
        world.impressions.count,
    )


def capture(world: World, since: SnapshotMark = NOTHING) -> Snapshot:
    """Return what changed in a world, at the end of a round, since a mark."""
    seen = since.agents
    agents = {id_: me for id_, me in world.agents.changed.items() if seen.get(id_) is not me}
    begin = len(since.stars)
    ties = world.graph.changes()
    shared = Shared(
        world.round,
        world.now,
        world.seed,
        world.laws.drift,
        tuple(sorted(world.silent)),
        world.recommender,
        world.fitted,
        world.catalogue.items[len(world.genesis.catalogue) :],
        ties,
        _unsorted_followers(world.graph, ties),
        world.activity.astype("<f8").tobytes(),
        world.satisfaction.astype("<f8").tobytes(),
        world.last_visit.astype("<i4").tobytes(),
        begin,
        world.interactions.packed(begin),
        _rerated(world.interactions, since.stars),
        world.spread.topics,
        world.spread.packed() if world.spread.topics else (),
        (world.graph.grow, world.graph.fade),
        max(since.shown, world.impressions.dropped),
        world.impressions.packed(since.shown),
        world.fitted_shown,
        world.came_at.astype("<i8").tobytes(),
    )
    return Snapshot(shared, agents)


def restore(genesis: Genesis, shared: Iterable[Shared], agents: Mapping[int, Agent]) -> World:
    """Return the world of the last of `shared`, from all of them and the newest agents."""
    world = World(genesis)
    columns = [bytearray() for _ in _SIZES]
    last: Shared | None = None
    for last in shared:
        _lengthen(columns, last)
        _show(world.impressions, last)
    if last is None:
        raise ValueError("a snapshot without its shared part cannot be restored")
    if not last.came_at:
        raise ValueError("a snapshot of an earlier version does not say when people came")
    for id_ in sorted(agents):
        if id_ < len(genesis.profiles):
            world.agents[id_] = agents[id_]
        else:
            world.agents.add(agents[id_])
    _restore_shared(world, last)
    world.interactions = Interactions(world.catalogue, len(world.agents), ties=world.graph)
    world.interactions.extend(tuple(bytes(column) for column in columns))
    return world


def _restore_shared(world: World, last: Shared) -> None:
    if last.items:
        before = world.genesis.catalogue
        world.catalogue = Catalogue((*before.items, *last.items), before.tags)
    world.laws = Laws(world.catalogue, last.drift, last.topics, last.round)
    world.spread = Spread(len(world.agents))
    if last.topics:
        world.spread = Spread.unpack(last.topics, len(world.agents), last.spread)
    world.round, world.now, world.seed = last.round, last.now, last.seed
    world.silent = frozenset(last.silent)
    world.recommender, world.fitted = last.recommender, last.fitted
    world.fitted_shown = last.fitted_shown
    world.activity = np.frombuffer(last.activity, "<f8").astype(np.float64)
    world.satisfaction = np.frombuffer(last.satisfaction, "<f8").astype(np.float64)
    world.last_visit = np.frombuffer(last.last_visit, "<i4").astype(np.int32)
    world.came_at = np.frombuffer(last.came_at, "<i8").astype(np.int64)
    world.graph.round = last.round
    _restore_ties(world.graph, last)
    world.graph.grow, world.graph.fade = last.living


def _show(impressions: Impressions, piece: Shared) -> None:
    if piece.shown:
        impressions.extend(piece.shown, piece.shown_begin)


def _restore_ties(graph: SocialGraph, last: Shared) -> None:
    graph.restore(dict(last.ties))
    for other in {tie.other for ties in last.ties.values() for tie in ties}:
        present = graph.followers(other)
        order = last.followers.get(other) or tuple(sorted(present))
        for agent in order[_in_order(present, order) :]:
            tie = graph.tie(agent, other)
            if tie is not None:
                graph.cut(agent, other)
                graph.add(agent, other, tie.kind, tie.closeness)
    # Reordering followers has also reordered the ties at their other end: set those again.
    graph.restore(dict(last.ties))


def _in_order(present: tuple[int, ...], order: tuple[int, ...]) -> int:
    """Return the length of the prefix of `order` that `present` already keeps."""
    place = {agent: number for number, agent in enumerate(present)}
    for number in range(1, len(order)):
        if place[order[number]] < place[order[number - 1]]:
            return number
    return len(order)


def _unsorted_followers(
    graph: SocialGraph, ties: dict[int, tuple[Tie, ...]]
) -> dict[int, tuple[int, ...]]:
    others = {tie.other for mine in ties.values() for tie in mine}
    followers = {other: graph.followers(other) for other in sorted(others)}
    return {other: ids for other, ids in followers.items() if list(ids) != sorted(ids)}


def _rerated(interactions: Interactions, before: bytes) -> tuple[tuple[int, int], ...]:
    old = np.frombuffer(before, np.int8)
    now = interactions.stars[: len(old)]
    rows = np.flatnonzero(now != old)
    return tuple(zip(rows.tolist(), now[rows].tolist(), strict=True))


def _lengthen(columns: list[bytearray], piece: Shared) -> None:
    if len(columns[-1]) < piece.begin:
        raise ValueError(f"a snapshot before round {piece.round} is missing")
    for column, size, rows in zip(columns, _SIZES, piece.rows, strict=True):
        del column[piece.begin * size :]
        column += rows
    for row, stars in piece.rated:
        columns[-1][row] = stars
