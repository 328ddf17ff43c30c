"""The table `[spread]` of a scenario: topics, who knows them first, and who follows whom."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np

from audience.datasets.people import GRAPHS, KINDS, directed, edges_in, impact
from audience.engine import objection
from audience.errors import BadInput, unknown
from audience.outside import FILE, Outside
from audience.world import Genesis, Topic, World, changes as c, dice

DATASET = "dataset"


class TopicTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A topic; `decay`, `half_life` and `keep` are those of `[spread]`."""

    name: str
    text: str
    about: str = ""
    seeds: int | tuple[int | str, ...] | str = 5
    """How many know it first, who (ids or keys), or all of a kind, such as "influential"."""
    among: str = ""
    """The kind among which a number of seeds is drawn; empty means anybody."""
    at: int = 1
    """The round in which it begins."""
    stance: float = 0.0
    appeals: tuple[str, ...] = ()
    favour: float = 0.5
    favour_of: dict[str, float] = {}


class SpreadTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How topics spread; without topics, nothing does."""

    topics: tuple[TopicTable, ...] = ()
    graph: Annotated[str, Outside(FILE, unless=(DATASET, *GRAPHS))] = DATASET
    """`dataset`: its own ties; `preferential`, `small-world`, `random`; or a CSV file of edges."""
    degree: float = 10.0
    """Mean number of others that a person follows, in a generated graph."""
    mutual: float = 0.3
    """Share of its ties that are mutual."""
    decay: float = 0.3
    half_life: float = 3.0
    keep: int = 10


def is_file(graph: object) -> bool:
    """Return whether a graph names a file."""
    return isinstance(graph, str) and ("." in graph or "/" in graph)


def with_graph(genesis: Genesis, table: SpreadTable, seed: int) -> Genesis:
    """Return the genesis with the graph that the table names instead of its own ties."""
    if table.graph == DATASET:
        return genesis
    people = len(genesis.profiles)
    if table.graph in GRAPHS:
        if not 0.0 <= table.degree <= 1000.0 or not 0.0 <= table.mutual <= 1.0:
            raise BadInput(
                f"spread: degree {table.degree} and mutual {table.mutual}: give a mean number of "
                "ties from 0 to 1000 and a share from 0 to 1"
            )
        ties = directed(people, seed, table.graph, table.degree, table.mutual)
    elif is_file(table.graph):
        ties = edges_in(Path(table.graph), [profile.key for profile in genesis.profiles])
    else:
        raise BadInput(f"spread: {unknown('graph', table.graph, (DATASET, *GRAPHS))}, or a file")
    return Genesis(
        genesis.catalogue,
        genesis.profiles,
        ties,
        genesis.clock,
        genesis.domain,
        genesis.past,
        genesis.others,
    )


def raised(table: SpreadTable, genesis: Genesis, seed: int) -> dict[int, tuple[c.AnyChange, ...]]:
    """Return the topics as changes by round, in the order in which they begin."""
    by_round: dict[int, list[c.AnyChange]] = {}
    world = World(genesis)
    for number, one in sorted(enumerate(table.topics), key=lambda pair: pair[1].at):
        place = f"spread: topic {one.name!r}"
        if one.at < 1:
            raise BadInput(f"{place}: at is {one.at}; give the round it begins in, from 1 on")
        topic = Topic(
            one.name,
            one.text,
            one.about,
            one.appeals,
            one.favour,
            one.favour_of,
            table.decay,
            table.half_life,
            table.keep,
        )
        change = c.Raise(topic, _seeds(one, genesis, seed, number, place), one.stance)
        if why := objection(world, change):
            raise BadInput(f"{place}: {why}")
        by_round.setdefault(one.at, []).append(change)
    return {round_: tuple(changes) for round_, changes in by_round.items()}


def _seeds(
    topic_table: TopicTable, genesis: Genesis, seed: int, number: int, place: str
) -> tuple[int, ...]:
    if isinstance(topic_table.seeds, str):
        return tuple(_of_kind(genesis, topic_table.seeds, place).tolist())
    if not isinstance(topic_table.seeds, int):
        keys = {profile.key: profile.id for profile in genesis.profiles if profile.key}
        for who in topic_table.seeds:
            if isinstance(who, str) and who not in keys:
                raise BadInput(f"{place}: seed {who!r} is nobody's key; give ids or keys")
        return tuple(keys[who] if isinstance(who, str) else who for who in topic_table.seeds)
    among = np.arange(len(genesis.profiles))
    if topic_table.among:
        among = _of_kind(genesis, topic_table.among, place)
    if not 1 <= topic_table.seeds <= len(among):
        raise BadInput(
            f"{place}: {topic_table.seeds} seeds among {len(among)} people; "
            f"give a number from 1 to {len(among)}"
        )
    keys_ = dice(seed, "seeds", among, number).keys
    return tuple(sorted(among[np.argsort(keys_, kind="stable")[: topic_table.seeds]].tolist()))


def _of_kind(genesis: Genesis, kind: str, place: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    if kind not in KINDS:
        raise BadInput(f"{place}: {unknown('kind of person', kind, KINDS)}")
    return np.flatnonzero(impact(genesis.ties) == KINDS.index(kind))
