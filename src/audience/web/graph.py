"""Who knows whom, as a page draws it: everybody, or communities where there are too many."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query
from scipy import sparse
from starlette.responses import Response

from audience.web.hall import Hall
from audience.web.kinds import Round, RunId
from audience.web.replies import told
from audience.world import World
from audience.world.rng import Ints, keys

DRAWN = 2_000
"""People that are drawn one by one."""
SWEEPS = 20
GROUPS = 200


def router(hall: Hall) -> APIRouter:
    """Return the way to the graph."""
    api = APIRouter()

    @api.get("/runs/{run}/graph", response_class=Response)
    def graph(run: RunId, at: Annotated[Round | None, Query()] = None) -> Response:
        """Return people with their communities and ties, or communities where they are many."""
        with hall.readers.reading(hall.shelf.folder_of(run)) as reader:
            round_ = reader.round_of(at)
            return told(reader.remembered("graph", round_, lambda: drawn(reader.world(round_))))

    return api


def drawn(world: World) -> dict[str, Any]:
    """Return the graph of a world as plain values."""
    people = len(world.agents)
    ties = [(who, tie) for who in range(people) for tie in world.graph.ties(who)]
    firsts = np.array([who for who, _ in ties], np.int64)
    others = np.array([tie.other for _, tie in ties], np.int64)
    groups = communities(people, firsts, others)
    if people > DRAWN:
        return _gathered(world, groups, firsts, others)
    degree = np.bincount(np.concatenate([firsts, others]), minlength=people)
    nodes = []
    for who in range(people):
        profile = world.profile(who)
        nodes.append(
            {
                "id": who,
                "name": profile.name or f"person {who}",
                "community": int(groups[who]),
                "degree": int(degree[who]),
                "interest": profile.interests[0] if profile.interests else "",
                "satisfaction": round(world.agents[who].satisfaction, 3),
                **_held(world, who),
            }
        )
    edges: dict[tuple[int, int], list[Any]] = {}
    for who, tie in ties:
        pair = (min(who, tie.other), max(who, tie.other))
        edges.setdefault(pair, [*pair, tie.kind, round(tie.closeness, 3)])
    return {"nodes": nodes, "edges": list(edges.values()), "communities": _labels(world, groups)}


def _held(world: World, who: int) -> dict[str, Any]:
    """Return what somebody holds of the topics it has heard of: the strongest, in one number."""
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

    Labels spread along ties, a quarter of the people at a time, in an order that ids decide.
    """
    ones = np.ones(len(firsts))
    ties = sparse.csr_matrix((ones, (firsts, others)), shape=(people, people))
    ties = ((ties + ties.T) > 0).astype(np.float64)
    labels = np.arange(people)
    turns = (keys(0, "community", np.arange(people)) & np.uint64(3)).astype(np.int64)
    for sweep in range(SWEEPS):
        held = sparse.csr_matrix((np.ones(people), (np.arange(people), labels)), (people, people))
        votes = ties @ held
        best = np.asarray(votes.argmax(axis=1)).ravel()
        heard = np.diff(votes.indptr) > 0
        moved = heard & (turns == sweep % 4) & (best != labels)
        labels = np.where(moved, best, labels)
    _, dense, counts = np.unique(labels, return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return np.minimum(place[dense], GROUPS - 1)


def _labels(world: World, groups: Ints) -> list[dict[str, Any]]:
    """Return the size of each community and what most of it cares for."""
    interests: dict[int, Counter[str]] = {}
    for who, group in enumerate(groups.tolist()):
        interests.setdefault(group, Counter()).update(world.profile(who).interests)
    sizes = np.bincount(groups).tolist()
    return [
        {
            "id": group,
            "size": size,
            "label": ", ".join(name for name, _ in interests[group].most_common(2)),
        }
        for group, size in enumerate(sizes)
        if size
    ]


def _gathered(world: World, groups: Ints, firsts: Ints, others: Ints) -> dict[str, Any]:
    pairs = np.stack([groups[firsts], groups[others]]) if len(firsts) else np.zeros((2, 0), int)
    pairs.sort(axis=0)
    counts = Counter(zip(pairs[0].tolist(), pairs[1].tolist(), strict=True))
    edges = [[one, two, count] for (one, two), count in sorted(counts.items()) if one != two]
    return {
        "nodes": [],
        "edges": edges,
        "communities": _labels(world, groups),
        "of": groups.tolist(),
    }
