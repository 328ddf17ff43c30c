"""Endpoints of the social graph: everybody, or communities if there are too many people."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable
from typing import Annotated

import numpy as np
from fastapi import APIRouter, Path as InPath, Query
from msgspec.structs import asdict, replace
from scipy import sparse
from starlette.responses import Response

from audience.log import last_opened
from audience.web.people import MOST, name_of, person_row
from audience.web.receipts import ActivityReply
from audience.web.replies import Missing, json_reply
from audience.web.reply_types import CommunityMembers, CommunityRow, GraphNode, GraphReply
from audience.web.requests import Round, RunId, Whole
from audience.web.run_registry import RunRegistry
from audience.world import Chapter, Ints, World, events as e, keys

DRAWN = 2_000
"""Maximum number of people that are drawn one by one."""
SWEEPS = 20
GROUPS = 200
"""Maximum number of communities; a community fits into a byte."""
FIFTHS = 5


def router(registry: RunRegistry) -> APIRouter:
    """Return the endpoints of the graph."""
    api = APIRouter()

    @api.get("/runs/{run}/graph", response_class=Response)
    def social_graph(run: RunId, at: Annotated[Round | None, Query()] = None) -> Response:
        """Return people with their communities and ties, or communities if they are many."""
        round_, groups = grouped(registry, run, at)
        with registry.readers.reading(registry.folders.folder_of(run)) as reader:
            return json_reply(
                reader.remembered("graph", round_, lambda: drawn(reader.world(round_), groups))
            )

    @api.get("/runs/{run}/activity", response_class=Response)
    def activity(run: RunId) -> Response:
        """Return what those who came did last in the round that was opened last."""
        with registry.readers.reading(registry.folders.folder_of(run)) as reader:
            round_ = last_opened(reader.log)
            chapters = reader.log.chapters(begin_round=round_, end_round=round_ + 1)
            return json_reply(ActivityReply(round_, list(activities(chapters).items())))

    @api.get("/runs/{run}/communities/{community}", response_class=Response)
    def community(
        run: RunId,
        community: Annotated[int, InPath(ge=0, lt=GROUPS)],
        offset: Annotated[Whole, Query()] = 0,
        limit: Annotated[int, Query(ge=1, le=MOST)] = 100,
        at: Annotated[Round | None, Query()] = None,
    ) -> Response:
        """Return the people of a community, those with the most ties first."""
        round_, groups = grouped(registry, run, at)
        members = groups.members(community)
        if not members:
            raise Missing(f"there is no community {community}")
        with registry.readers.reading(registry.folders.folder_of(run)) as reader:
            world = reader.world(round_)
            people = [person_row(world, who) for who in members[offset : offset + limit]]
            row = asdict(_labels(world, groups.of)[community])
            return json_reply(CommunityMembers(**row, people=people))

    return api


ACTIVITIES = ("idle", "browsing", "watching", "chatting", "posting")
_DOING: dict[type, int] = {
    **dict.fromkeys((e.Entered, e.SlateShown, e.Searched), 1),
    **dict.fromkeys((e.Picked, e.Watched, e.Rated), 2),
    **dict.fromkeys((e.Wished, e.Said), 3),
    **dict.fromkeys((e.Posted, e.Forwarded), 4),
}


def activities(chapters: Iterable[Chapter]) -> dict[int, int]:
    """Return the place in `ACTIVITIES` of what people did last in the chapters of a round."""
    doing: dict[int, int] = {}

    def mark(who: int, what: int) -> None:
        if who >= 0:
            doing[who] = what

    for chapter in chapters:
        events = [entry.event for entry in chapter.entries]
        if chapter.phase == e.VISITS:
            own = (event for event in events if getattr(event, "agent", -1) == chapter.agent)
            mark(chapter.agent, max([1, *(_DOING.get(type(event), 0) for event in own)]))
        if chapter.phase != e.CONVERSATIONS:
            continue
        for event in events:
            if isinstance(event, e.Said):
                mark(event.agent, 3)
                mark(event.to, 3)
            if isinstance(event, e.Gathered):
                for member in event.members:
                    mark(member, 2)
    return doing


class Communities:
    """Everybody's ties and community."""

    def __init__(self, people: int, firsts: Ints, others: Ints) -> None:
        self.firsts, self.others = firsts, others
        self.of = communities(people, firsts, others)
        self.degree = np.bincount(np.concatenate([self.firsts, self.others]), minlength=people)

    def members(self, community: int) -> list[int]:
        """Return the members of a community, those with the most ties first."""
        inside = np.flatnonzero(self.of == community)
        order: list[int] = inside[np.argsort(-self.degree[inside], kind="stable")].tolist()
        return order


_GROUPING = threading.Lock()
"""With a million people it takes seconds and a gigabyte: once at a time."""


def grouped(registry: RunRegistry, run: str, at: int | None) -> tuple[int, Communities]:
    """Return a round, the last one if None, and its communities.

    They are found without the lock of the run's reader, so that other parts of the page need not
    wait.
    """
    folder = registry.folders.folder_of(run)
    with _GROUPING:
        with registry.readers.reading(folder) as reader:
            round_ = reader.round_of(at)
            found: Communities | None = reader.recalled("groups", round_)
            if found:
                return round_, found
            world = reader.world(round_)
            people, ties = len(world.agents), world.graph.pairs()
        found = Communities(people, *ties)
        with registry.readers.reading(folder) as reader:
            return round_, reader.remembered("groups", round_, lambda: found)


def drawn(world: World, groups: Communities) -> GraphReply:
    """Return the graph of a world as a page draws it."""
    people = len(world.agents)
    if people > DRAWN:
        return _drawn_by_community(world, groups)
    nodes = []
    for who in range(people):
        interests = world.profile(who).interests
        node = GraphNode(
            who,
            name_of(world, who),
            int(groups.of[who]),
            int(groups.degree[who]),
            interests[0] if interests else "",
            round(world.agents[who].satisfaction, 3),
            **_views(world, who),
        )
        nodes.append(node)
    edges: dict[tuple[int, int], list[int | float | str]] = {}
    for who in range(people):
        for tie in world.graph.ties(who):
            pair = (min(who, tie.other), max(who, tie.other))
            edges.setdefault(pair, [*pair, tie.kind, round(tie.closeness, 3)])
    return GraphReply(nodes, list(edges.values()), _labels(world, groups.of))


def _views(world: World, who: int) -> dict[str, int]:
    """Return a person's strongest mood and overall attitude over the topics they have heard of."""
    heard = np.flatnonzero(world.spread.aware[:, who])
    if not len(heard):
        return {}
    stance = world.spread.stance[heard, who]
    return {
        "mood": int(world.spread.level[heard, who].max()),
        "attitude": int(np.sign(stance.sum())),
    }


def communities(people: int, firsts: Ints, others: Ints) -> Ints:
    """Return everybody's community, 0 being the largest.

    Label propagation along ties, a quarter of the people at a time, in an order given by ids.
    """
    ones = np.ones(len(firsts))
    ties = sparse.csr_matrix((ones, (firsts, others)), shape=(people, people))
    ties = ((ties + ties.T) > 0).astype(np.float64)
    labels = np.arange(people)
    turns = keys(0, "community", np.arange(people)) & np.uint64(3)
    quarters = [np.flatnonzero(turns == turn) for turn in range(4)]
    heard = [ties[quarter] for quarter in quarters]
    for sweep in range(SWEEPS):
        held = sparse.csr_matrix((np.ones(people), labels, np.arange(people + 1)), ties.shape)
        quarter = quarters[sweep % 4]
        labels[quarter] = _most_heard(heard[sweep % 4] @ held, labels[quarter])
    _, dense, counts = np.unique(labels, return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return np.minimum(place[dense], GROUPS - 1)


def _most_heard(votes: sparse.csr_matrix, labels: Ints) -> Ints:
    """Return the label with the most votes in each row, the lowest of equals; else its own."""
    votes.sum_duplicates()
    heard = np.flatnonzero(np.diff(votes.indptr))
    if not len(heard):
        return labels
    starts, sizes = votes.indptr[heard], np.diff(votes.indptr)[heard]
    most = np.repeat(np.maximum.reduceat(votes.data, starts), sizes)
    lowest = np.where(votes.data == most, votes.indices, votes.shape[1])
    found = labels.copy()
    found[heard] = np.minimum.reduceat(lowest, starts)
    return found


def _labels(world: World, groups: Ints) -> list[CommunityRow]:
    """Return each community with its size and its most common interests."""
    interests: dict[int, Counter[str]] = {}
    alike = Counter(zip(groups.tolist(), [me.interests for me in world.profiles()], strict=True))
    for (group, names), count in alike.items():
        interests.setdefault(group, Counter()).update(dict.fromkeys(names, count))
    sizes = np.bincount(groups).tolist()
    return [
        CommunityRow(group, size, ", ".join(name for name, _ in interests[group].most_common(2)))
        for group, size in enumerate(sizes)
        if size
    ]


def _drawn_by_community(world: World, communities: Communities) -> GraphReply:
    groups = communities.of
    pairs = np.stack([groups[communities.firsts], groups[communities.others]])
    pairs.sort(axis=0)
    counts = np.bincount(pairs[0] * GROUPS + pairs[1])
    edges: list[list[int | float | str]] = [
        [place // GROUPS, place % GROUPS, int(counts[place])]
        for place in np.flatnonzero(counts).tolist()
        if place // GROUPS != place % GROUPS
    ]
    shares = _shares(world, groups)
    rows = [
        replace(row, shares={name: shared[row.id] for name, shared in shares.items()})
        for row in _labels(world, groups)
    ]
    return GraphReply([], edges, rows, groups.astype(np.uint8).tobytes())


def _shares(world: World, groups: Ints) -> dict[str, list[list[int]]]:
    """Return how the members of each community fall into the classes of the page's legends.

    The first class holds those of whom nothing is known.
    """
    fifths = np.zeros(len(groups), np.int64)
    for who, me in world.agents.changed.items():
        fifths[who] = 1 + min(max(int(me.satisfaction * FIFTHS), 0), FIFTHS - 1)
    shares = {"satisfaction": _counted(groups, fifths, 1 + FIFTHS)}
    aware = world.spread.aware
    if len(aware):
        heard = aware.any(axis=0)
        level = np.where(aware, world.spread.level, 0).max(axis=0)
        stance = np.sign(np.where(aware, world.spread.stance, 0).sum(axis=0)).astype(np.int64)
        shares["emotion"] = _counted(groups, np.where(heard, 1 + level, 0), 4)
        shares["attitude"] = _counted(groups, np.where(heard, 2 + stance, 0), 4)
    return shares


def _counted(groups: Ints, kinds: Ints, size: int) -> list[list[int]]:
    """Return how many members of each community are of each kind."""
    most = int(groups.max()) + 1 if len(groups) else 0
    flat = np.bincount(groups * size + kinds.astype(np.int64), minlength=most * size)
    rows: list[list[int]] = flat.reshape(most, size).tolist()
    return rows
