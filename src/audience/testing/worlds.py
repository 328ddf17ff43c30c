"""Tiny worlds, runs that keep their chapters in a list, and scripted minds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

import msgspec
import numpy as np

from audience.agents import Decision, Mind
from audience.agents.rule import RuleMind
from audience.engine import (
    Activation,
    Control,
    Groups,
    Listener,
    Parts,
    Platform,
    Queued,
    Rules,
    Simulation,
    TieRules,
    Timetable,
    run,
    run_sync,
)
from audience.errors import AudienceError
from audience.log import Log, SummedRow, decoded
from audience.memory import Memory, NoMemory
from audience.recommenders import Popular, Recommender
from audience.world import (
    AnyAction,
    AnyChange,
    Catalogue,
    Clock,
    Dice,
    Genesis,
    Habits,
    Item,
    Observation,
    Past,
    Profile,
    Remind,
    SwapRecommender,
    Ties,
    World,
    dice as named,
    events as e,
    rng,
)

TAGS = ("Adventure", "Comedy", "Drama", "Mystery", "Science")
_FIRST = ("Amber", "Broken", "Crooked", "Distant", "Early", "Frozen", "Golden")
_SECOND = ("Harbour", "Island", "Journey", "Kingdom", "Lantern")
ALWAYS = Activation("random", 1.0, 0.0)
"""Everybody wakes in every round."""


def tiny_genesis(
    people: int = 12, items: int = 30, *, seed: int = 0, past: tuple[Past, ...] = ()
) -> Genesis:
    """Return a small genesis, equal for equal arguments; everybody knows four in a ring."""
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
    pairs = sorted(
        {(person, (person + step) % people) for person in range(people) for step in steps}
    )
    pairs = [(person, other) for person, other in pairs if person != other]
    return [person for person, _ in pairs], [other for _, other in pairs]


class ListKeeper:
    """Keeps chapters in memory, in order of completion."""

    def __init__(self) -> None:
        self.chapters: list[e.Chapter] = []
        self.committed = 0
        """How many chapters a crash would leave."""

    def append(self, chapter: e.Chapter, body: bytes = b"") -> None:
        self.chapters.append(chapter)

    def append_rows(self, rows: Iterable[SummedRow]) -> None:
        """Keep chapters that are given as the log stores them."""
        self.chapters += [e.Chapter(*row[:4], decoded(row[4])) for row in rows]

    def commit(self) -> None:
        self.committed = len(self.chapters)

    def ordered(self) -> list[e.Chapter]:
        """Return the chapters in the order of the log."""
        return sorted(self.chapters, key=lambda c: (c.round, c.phase, c.rank, c.agent))

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
    time: Timetable | None = None,
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
    workers: int = 1,
) -> tuple[World, ListKeeper]:
    """Run a genesis to its last round and return the world with the chapters that were kept.

    To continue a run, give the `world` at the end of its last complete round, and in `found` the
    chapters of the unfinished one. If `stopping` returns True, `Paused` is raised and the `keeper`
    has what was done. `control` steers the run, `keep` receives what it queued.
    """

    def serving(swapped: SwapRecommender | None) -> tuple[str, Recommender]:
        return (swapped.kind, Popular()) if swapped else ("given", recommender or Popular())

    parts = Parts(
        mind or RuleMind(),
        memory or NoMemory(),
        serving,
        platform or Platform(),
        activation,
        {round_: tuple(some) for round_, some in (changes or {}).items()},
        ties=ties or TieRules(),
        groups=groups or Groups(),
        time=time or Timetable(),
    )
    keeper = keeper or ListKeeper()
    world = world or World(genesis)
    sim = Simulation(
        world,
        keeper,
        parts,
        rules or Rules(rounds=3),
        seed,
        listeners=listeners,
        stopping=stopping,
        control=control,
        keep=keep,
        workers=workers,
    )
    run_sync(lambda: run(sim, found))
    return world, keeper


WHO = 1
SCENARIO = 'agents = 4\nmemory = {kind = "recagent", enhancements = 2, reflect_at = 4.0}\n'
Told = tuple[int, int, Sequence[e.AnyEvent]]


def _felt(id_: int, at: int, weight: float = 0.72, store: str = "short") -> e.Remembered:
    return e.Remembered(WHO, id_, f"I loved thing {id_}.", weight, at, store=store, items=(id_,))


def _rounds(genesis: Genesis) -> list[list[Told]]:
    noon = [genesis.clock.at(round_, 0.5) for round_ in range(8)]
    end = [genesis.clock.at(round_, 1.0) for round_ in range(8)]
    fresh: list[e.AnyEvent] = [
        _felt(0, noon[1]),
        _felt(1, noon[1], 0.18, "sensory"),
        _felt(2, noon[1], 0.81),
    ]
    settled: list[e.AnyEvent] = [
        _felt(3, noon[2]),
        e.Enhanced(WHO, 0, 3),
        _felt(4, noon[2]),
        e.Enhanced(WHO, 0, 4),
        e.Enhanced(WHO, 0, 4),
        e.Reflected(WHO, 5, "I love things.", 0.72, end[2], (0, 3, 4), "insight"),
        e.Settled(WHO, 0),
        e.Forgot(WHO, 3, "crowded"),
    ]
    reflected: list[e.AnyEvent] = [
        e.Remembered(2, 0, "Mine.", 0.9, noon[3], store="short"),
        e.Failed(WHO, "memory: too few memories"),
    ]
    merged: list[e.AnyEvent] = [
        _felt(7, noon[4], 0.9, "long"),
        e.Reflected(WHO, 8, "I am easily pleased.", 0.9, end[4], (5, 7), "reflection"),
        e.Merged(WHO, 9, "I love things.", 0.72, end[4], (0, 5)),
    ]
    reminder = e.Intervened(Remind(WHO, "You were asked.", 0.5))
    visit: list[e.AnyEvent] = [e.Woke(WHO, noon[1]), e.Left(WHO, 0.5)]
    return [
        [(e.VISITS, WHO, visit), (e.MEMORY, WHO, fresh)],
        [(e.MEMORY, WHO, settled)],
        [(e.OPENING, -1, [reminder]), (e.VISITS, WHO, [e.Recalled(WHO, (0, 2), noon[3], 1)]),
         (e.MEMORY, WHO, reflected)],
        [(e.MEMORY, WHO, merged)],
        [(e.MEMORY, WHO, [e.Forgot(WHO, 7, "faded")])],
    ]  # fmt: skip


def remembered(folder: Path) -> Path:
    """Write the log and return its folder."""
    genesis = tiny_genesis(4, 12)
    with Log.create(folder, genesis, SCENARIO, 1) as log:
        for round_, told in enumerate(_rounds(genesis), 1):
            opening = [e.Entry(e.RoundStarted(round_, genesis.clock.at(round_)))]
            for phase, agent, events in told:
                entries = [e.Entry(event) for event in events]
                if phase == e.OPENING:
                    opening += entries
                else:
                    log.append(e.Chapter(round_, phase, agent, agent, tuple(entries)))
            log.append(e.Chapter(round_, e.OPENING, 0, -1, tuple(opening)))
            closing = (e.Entry(e.RoundEnded(round_)),)
            log.append(e.Chapter(round_, e.CLOSING, 0, -1, closing))
        log.commit()
        log.set_state("finished")
    return folder


Turn = Decision | AnyAction | Sequence[AnyAction]
"""One turn of a script: a decision, an action, or several actions."""


class Exhausted(AudienceError):
    """A script is used up; any other exception the engine would take for a failed mind."""


class ScriptedMind:
    """Plays the given turns of each agent in order, in visits and in conversations.

    An agent without a script plays `otherwise`; without that, or when a script is used up, the run
    ends with `Exhausted`. What each agent saw is recorded in `seen`.
    """

    def __init__(
        self, scripts: Mapping[int, Sequence[Turn]], otherwise: Turn | None = None
    ) -> None:
        self._scripts = {
            agent: [_decision(turn) for turn in turns] for agent, turns in scripts.items()
        }
        self._otherwise = None if otherwise is None else _decision(otherwise)
        self._played = dict.fromkeys(self._scripts, 0)
        self.seen: dict[int, list[Observation]] = {}

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        del memory, dice
        who = seen.me.profile.id
        self.seen.setdefault(who, []).append(seen)
        if who not in self._scripts and self._otherwise is not None:
            return self._otherwise
        played, script = self._played.get(who, 0), self._scripts.get(who, [])
        if played >= len(script):
            raise Exhausted(
                f"agent {who} was asked for turn {played + 1} (round {seen.round}, "
                f"{seen.surface}), but its script has {len(script)}; write more or let it leave"
            )
        self._played[who] = played + 1
        return script[played]

    def left(self) -> dict[int, int]:
        """Return the number of unplayed turns of each script that has some."""
        rest = {agent: len(turns) - self._played[agent] for agent, turns in self._scripts.items()}
        return {agent: turns for agent, turns in rest.items() if turns}


def _decision(turn: Turn) -> Decision:
    if isinstance(turn, Decision):
        return turn
    return Decision(tuple(turn) if isinstance(turn, Sequence) else (turn,))


class SlowMind:
    """Delays another mind by up to `longest` seconds, so that visits end in shuffled order.

    The delay depends on (seed, agent, round, turn) and does not affect the mind's dice.
    """

    def __init__(self, mind: Mind, *, seed: int = 0, longest: float = 0.003) -> None:
        self.mind = mind
        self.seed = seed
        self.longest = longest
        self.finished: list[int] = []
        """Agents in the order of their decisions."""

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        who = seen.me.profile.id
        draw = named(self.seed, "slow", who, seen.round, seen.turn).uniform("wait")
        await asyncio.sleep(self.longest * float(draw[0]))
        self.finished.append(who)
        return await self.mind.decide(seen, memory, dice)
