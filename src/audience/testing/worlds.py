"""Worlds small enough to read, and runs that keep their chapters in a list."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b

import msgspec
import numpy as np

from audience.agents import Mind, RuleMind
from audience.engine import (
    Activation,
    Control,
    Groups,
    Parts,
    Platform,
    Queued,
    Rules,
    Simulation,
    TieRules,
    run,
    run_sync,
)
from audience.engine.simulation import Listener
from audience.memory import Memory, NoMemory
from audience.recommenders import Popular, Recommender
from audience.world import Catalogue, Clock, Genesis, Habits, Item, Past, Profile, Ties, World, rng
from audience.world import events as e
from audience.world.changes import AnyChange, SwapRecommender

TAGS = ("Adventure", "Comedy", "Drama", "Mystery", "Science")
_FIRST = ("Amber", "Broken", "Crooked", "Distant", "Early", "Frozen", "Golden")
_SECOND = ("Harbour", "Island", "Journey", "Kingdom", "Lantern")
ALWAYS = Activation("random", 1.0, 0.0)
"""Everybody wakes in every round."""


def tiny_genesis(
    people: int = 12, items: int = 30, *, seed: int = 0, past: tuple[Past, ...] = ()
) -> Genesis:
    """Return a small genesis; equal arguments give equal bytes. Everybody knows four in a ring."""
    catalogue = Catalogue(tuple(_item(number, seed) for number in range(items)), TAGS)
    profiles = tuple(_profile(number, seed) for number in range(people))
    firsts, others = _ring(people)
    closeness = [
        round(0.3 + 0.6 / (1 + (a + b) % 5), 2) for a, b in zip(firsts, others, strict=True)
    ]
    kinds = [(a + b) % 2 for a, b in zip(firsts, others, strict=True)]
    ties = Ties.of(people, firsts, others, kinds, closeness, ("friend", "colleague"))
    return Genesis(catalogue, profiles, ties, Clock("2025-01-01", "1d"), past=past)


def _item(number: int, seed: int) -> Item:
    draw = rng(seed, "tiny", "item", number)
    chosen = draw.choice(len(TAGS), 1 + number % 3, replace=False)
    tags = tuple(sorted(TAGS[tag] for tag in chosen.tolist()))
    title = f"{_FIRST[number % 7]} {_SECOND[number // 7 % 5]} {number}"
    minutes, quality = float(60 + 10 * (number % 9)), round(float(draw.beta(4, 3)), 3)
    about = f"A {tags[0].lower()} from the middle of nowhere."
    return Item(number, title, about, tags, 1950 + number % 70, minutes, quality, f"i{number}")


def _profile(number: int, seed: int) -> Profile:
    draw = rng(seed, "tiny", "person", number)
    interests = tuple(TAGS[tag] for tag in draw.choice(len(TAGS), 2, replace=False).tolist())
    habits = Habits(*np.round(draw.random(5), 2).tolist())
    activity = round(float(draw.lognormal()), 3)
    age = 18 + number % 50
    return Profile(
        number, f"Person {number}", "", age, (), "", interests, habits, activity, key=f"p{number}"
    )


def _ring(people: int) -> tuple[list[int], list[int]]:
    steps = (1, 2, -1, -2)
    pairs = sorted({(one, (one + step) % people) for one in range(people) for step in steps})
    pairs = [(one, other) for one, other in pairs if one != other]
    return [one for one, _ in pairs], [other for _, other in pairs]


class ListKeeper:
    """Keeps chapters in memory, in the order they were finished."""

    def __init__(self) -> None:
        self.chapters: list[e.Chapter] = []
        self.committed = 0
        """How many chapters a crash would leave."""

    def append(self, chapter: e.Chapter) -> None:
        self.chapters.append(chapter)

    def commit(self) -> None:
        self.committed = len(self.chapters)

    def ordered(self) -> list[e.Chapter]:
        """Return the chapters in the order of the log."""
        return sorted(self.chapters, key=lambda one: (one.round, one.phase, one.rank, one.agent))

    def events(self) -> list[e.AnyEvent]:
        """Return all events in the order of the log."""
        return [entry.event for chapter in self.ordered() for entry in chapter.entries]

    def digest(self) -> str:
        """Return a hash over the chapters in the order of the log."""
        digest = blake2b(digest_size=16)
        for chapter in self.ordered():
            digest.update(msgspec.json.encode(chapter) + b"\n")
        return digest.hexdigest()


def simulate(
    genesis: Genesis,
    *,
    mind: Mind | None = None,
    memory: Memory | None = None,
    recommender: Recommender | None = None,
    platform: Platform | None = None,
    activation: Activation = ALWAYS,
    ties: TieRules | None = None,
    groups: Groups | None = None,
    changes: Mapping[int, Sequence[AnyChange]] | None = None,
    rules: Rules | None = None,
    seed: int = 7,
    world: World | None = None,
    found: Sequence[e.Chapter] = (),
    listeners: Sequence[Listener] = (),
    keeper: ListKeeper | None = None,
    stopping: Callable[[], bool] = lambda: False,
    control: Control | None = None,
    keep: Callable[[Sequence[Queued]], None] = lambda queued: None,
) -> tuple[World, ListKeeper]:
    """Run a genesis to its last round and return the world with the chapters that were kept.

    To go on with a run, give the `world` at the end of its last whole round, and in `found` the
    chapters of the round that was not finished. When `stopping` says so, `Paused` is raised and
    what was done stands in the given `keeper`. `control` steers it, `keep` hears what it queued.
    """
    served = recommender or Popular()

    def serving(swapped: SwapRecommender | None) -> tuple[str, Recommender]:
        return (swapped.kind, Popular()) if swapped else ("given", served)

    parts = Parts(
        mind or RuleMind(),
        memory or NoMemory(),
        serving,
        platform or Platform(),
        activation,
        {round_: tuple(some) for round_, some in (changes or {}).items()},
        ties=ties or TieRules(),
        groups=groups or Groups(),
    )
    keeper = keeper or ListKeeper()
    rules = rules or Rules(rounds=3)
    world = world or World(genesis)
    sim = Simulation(
        world,
        keeper,
        parts,
        rules,
        seed,
        listeners=listeners,
        stopping=stopping,
        control=control,
        keep=keep,
    )
    run_sync(lambda: run(sim, found))
    return world, keeper
