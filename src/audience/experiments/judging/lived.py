"""What a run's memories made of what was lived: the cases of T1 to T3, out of its log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from audience.engine import LivedRound
from audience.experiments.judging.kinds import WRITTEN
from audience.log import Log
from audience.memory.kinds import Life
from audience.memory.observing import observations
from audience.memory.ways import is_telling
from audience.world import World
from audience.world import events as e
from audience.world.agent import Agent
from audience.world.rng import key

_KINDS = {"insight": "T2", "reflection": "T3"}
_LONGER = 1.25
"""How much longer than its summary an observation must be for there to be something to sum up."""


class Made(msgspec.Struct, frozen=True):
    """One text of an agent's memory and what it was made from."""

    what: str
    """T1, T2 or T3."""
    case: str
    person: str
    lines: tuple[str, ...]
    text: str


def made_in(log: Log, *, cases: int, seed: int) -> dict[str, list[Made]]:
    """Return up to `cases` summaries, insights and reflections each, by a named draw."""
    found: dict[str, list[tuple[int, Made]]] = {what: [] for what in WRITTEN}
    for one in _all(log):
        drawn = found[one.what]
        drawn.append((key(seed, "judging", one.case), one))
        if len(drawn) > 8 * cases + 256:
            drawn.sort(key=lambda pair: pair[0])
            del drawn[cases:]
    return {
        what: [one for _, one in sorted(drawn, key=lambda pair: pair[0])[:cases]]
        for what, drawn in found.items()
    }


def _all(log: Log) -> Iterable[Made]:
    world, lives = World(log.genesis()), LivedRound()
    texts: dict[int, dict[int, str]] = defaultdict(dict)
    names: dict[int, str] = {}
    for chapter in log.chapters():
        for other in range(len(names), len(world.agents)):
            names[other] = world.profile(other).name
        if chapter.phase == e.MEMORY:
            lived = tuple(lives.events.get(chapter.agent, ()))
            end, me = world.genesis.clock.at(world.round, 1.0), world.agents[chapter.agent]
            life = Life(me, lived, world.catalogue, world.genesis.domain, names, end)
            yield from _consolidated(life, chapter, texts[chapter.agent])
        for entry in chapter.entries:
            world.apply(entry.event)
        lives.add(chapter)


def _consolidated(life: Life, chapter: e.Chapter, texts: dict[int, str]) -> Iterable[Made]:
    """Yield what one memory made at the end of a round; `texts` is what it made before."""
    taken = [one.event for one in chapter.entries if isinstance(one.event, e.Remembered)]
    yield from _summaries(life, taken)
    for entry in chapter.entries:
        event = entry.event
        if isinstance(event, e.Remembered | e.Reflected | e.Merged):
            texts[event.thought] = event.text
        if isinstance(event, e.Reflected) and event.kind in _KINDS:
            lines = tuple(dict.fromkeys(texts[id_] for id_ in event.sources if id_ in texts))
            if len(lines) > 1:
                case = f"{event.agent}-{event.thought}"
                yield Made(_KINDS[event.kind], case, person(life.me), lines, event.text)


def _summaries(life: Life, taken: Sequence[e.Remembered]) -> Iterable[Made]:
    """Yield what became of each observation; only where none went missing on the way."""
    seen = observations(life)
    if len(seen) != len(taken):
        return
    for one, event in zip(seen, taken, strict=True):
        same = one.at == event.at and one.items[: len(event.items)] == event.items
        if same and is_telling(one) and len(one.text) >= _LONGER * len(event.text):
            case = f"{event.agent}-{event.thought}"
            yield Made("T1", case, person(life.me), (one.text,), event.text)


def person(me: Agent) -> str:
    """Return who somebody is, in a line."""
    who = me.profile
    parts = [who.name or f"Person {who.id}"]
    if who.age:
        parts.append(f"{who.age} years old")
    if who.career:
        parts.append(who.career)
    if who.traits:
        parts.append(", ".join(who.traits))
    if who.interests:
        parts.append("likes " + ", ".join(who.interests))
    return "; ".join(parts) + "."
