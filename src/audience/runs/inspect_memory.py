"""A person's memory read out of a log: what it holds, where that came from, and what it lost."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import replace

from audience.errors import BadInput
from audience.log import Log, world_at
from audience.memory import HOUR, Fading, Forgetting, forgetting, recency
from audience.plugins import find
from audience.scenario import Part, parse
from audience.world import Clock, Remind, events as e

NONE = "none"


class Constants(msgspec.Struct, frozen=True):
    """The constants of a memory that a reader of it wants beside the numbers."""

    capacity: int = 10
    enhancements: int = 3
    reflect_at: float = 10.0
    laws: Forgetting = Forgetting()
    forgets: bool = True
    """Whether thoughts fade from it as time passes."""


class Course(msgspec.Struct, frozen=True):
    """One thought from where it arose to where it ended, if it did."""

    id: int
    text: str
    weight: float
    at: int
    round: int
    kind: str
    store: str
    """Where it lies, or lay last: `sensory`, `short` or `long`."""
    sources: tuple[int, ...] = ()
    items: tuple[int, ...] = ()
    enhancers: tuple[int, ...] = ()
    accesses: tuple[int, ...] = ()
    """When it came to mind."""
    settled: int = 0
    """When it came into long-term memory; 0: never."""
    ended: int = 0
    """When it was lost; 0: it is still there."""
    ended_round: int = 0
    why: str = ""
    """`faded`, `crowded` or `merged`"""
    into: int = -1
    """The thought it was merged into."""

    def touched(self, now: int) -> int:
        """Return when it arose or last came to mind, as of a moment."""
        return max((moment for moment in self.accesses if moment <= now), default=self.at)

    def recency(self, now: int, laws: Forgetting) -> float:
        """Return how recent it is, in (0, 1], 1 when it is touched at that moment."""
        return float(recency(now, np.array([self.touched(now)]), laws.decay)[0])

    def readiness(self, now: int, laws: Forgetting) -> float:
        """Return how ready it is to be forgotten: g of the paper."""
        return float(forgetting(self.weight, self.recency(now, laws), laws.beta, laws.delta))


class Remembrance(msgspec.Struct, frozen=True):
    """One person's memory at the end of a round."""

    agent: int
    name: str
    kind: str
    round: int
    now: int
    lived: int
    """The last round of which something was taken in; 0: none."""
    brewing: float
    constants: Constants
    courses: tuple[Course, ...]
    clock: Clock

    def by_id(self) -> dict[int, Course]:
        return {one.id: one for one in self.courses}

    def sensory(self) -> list[Course]:
        """Return what was taken in in the last round lived, kept or not."""
        observed = (one for one in self.courses if not one.sources and one.kind != "reminder")
        return [one for one in observed if one.round == self.lived and one.kind != "emotion"]

    def kept(self, store: str) -> list[Course]:
        """Return what lies in a store now, newest last."""
        return [one for one in self.courses if one.store == store and not one.ended]

    def lost(self) -> list[Course]:
        """Return what was kept once and is no more, in the order it went."""
        gone = [one for one in self.courses if one.ended]
        return sorted(gone, key=lambda one: (one.ended_round, one.id))


def remembrance(log: Log, who: int, at: int) -> Remembrance:
    """Return somebody's memory at the end of a round, with the course of every thought."""
    world = world_at(log, at)
    if not 0 <= who < len(world.agents):
        raise BadInput(f"--agent {who}: people are numbered from 0 to {len(world.agents) - 1}")
    part = parse(log.scenario, str(log.folder)).memory
    clock = world.genesis.clock
    fold = _Courses(who, clock)
    for chapter in log.chapters(end_round=at + 1):
        fold.take(chapter)
    me = world.agents[who]
    return Remembrance(
        who,
        me.profile.name or f"person {who}",
        part.kind,
        at,
        clock.at(at, 1.0) if at else clock.at(1),
        fold.lived,
        me.brewing,
        constants_of(part),
        tuple(fold.courses[id_] for id_ in sorted(fold.courses)),
        clock,
    )


def constants_of(part: Part) -> Constants:
    """Return the constants of a memory: its options, else its own defaults, else the paper's."""
    known: dict[str, Any] = {}
    forgets = True
    try:
        make = find("memories", part.kind)
        asked = inspect.signature(make).parameters
        known = {name: one.default for name, one in asked.items() if one.default is not one.empty}
        forgets = isinstance(make, Fading)
    except BadInput:  # a memory of somebody else's, not installed here
        pass
    known |= part.options
    laws = {name: known[name] for name in Forgetting.__struct_fields__ if name in known}
    others = ("capacity", "enhancements", "reflect_at")
    numbers = {name: known[name] for name in others if name in known}
    return Constants(**numbers, laws=Forgetting(**laws), forgets=forgets)


class _Courses:
    """Follows one person's thoughts through a log."""

    def __init__(self, who: int, clock: Clock) -> None:
        self.courses: dict[int, Course] = {}
        self.lived = 0
        self._who, self._clock = who, clock
        self._had = 0

    def take(self, chapter: e.Chapter) -> None:
        """Take in a chapter."""
        for entry in chapter.entries:
            event = entry.event
            if isinstance(event, e.Intervened):
                self._reminded(event.change, chapter.round)
            elif getattr(event, "agent", None) == self._who:
                self._lived(event, chapter.round)

    def _reminded(self, change: object, round_: int) -> None:
        if isinstance(change, Remind) and change.agent == self._who:
            at = self._clock.at(round_)
            one = Course(
                self._had, change.text, change.weight, at, round_, "reminder", "long", settled=at
            )
            self._add(one)

    def _lived(self, event: e.AnyEvent, round_: int) -> None:
        match event:
            case e.Remembered():
                self._remembered(event, round_)
            case e.Reflected() | e.Merged():
                self._drawn(event, round_)
            case e.Recalled():
                self._change(event.thoughts, lambda one: {"accesses": (*one.accesses, event.at)})
            case e.Enhanced() if event.by not in self._enhancers(event.thought):
                self._change(
                    (event.thought,), lambda one: {"enhancers": (*one.enhancers, event.by)}
                )
            case e.Settled():
                end = self._clock.at(round_, 1.0)
                self._change((event.thought,), lambda one: {"store": "long", "settled": end})
            case e.Forgot():
                self._end((event.thought,), round_, event.why or "faded")

    def _enhancers(self, id_: int) -> tuple[int, ...]:
        return self.courses[id_].enhancers if id_ in self.courses else ()

    def _remembered(self, event: e.Remembered, round_: int) -> None:
        self.lived = round_
        settled = event.at if event.store == "long" else 0
        self._add(
            Course(
                event.thought,
                event.text,
                event.weight,
                event.at,
                round_,
                event.kind,
                event.store,
                items=event.items,
                settled=settled,
            )
        )

    def _drawn(self, event: e.Reflected | e.Merged, round_: int) -> None:
        sources = event.sources
        if isinstance(event, e.Merged):
            merged = (self.courses[id_] for id_ in sources if id_ in self.courses)
            sources = tuple(dict.fromkeys((*sources, *(s for one in merged for s in one.sources))))
            self._end(event.sources, round_, "merged", event.thought)
        self._add(
            Course(
                event.thought,
                event.text,
                event.weight,
                event.at,
                round_,
                event.kind,
                "long",
                sources,
                event.items,
                settled=event.at,
            )
        )

    def _add(self, one: Course) -> None:
        self.courses[one.id] = one
        self._had = max(self._had, one.id + 1)

    def _end(self, ids: Iterable[int], round_: int, why: str, into: int = -1) -> None:
        end = self._clock.at(round_, 1.0)
        gone = {"ended": end, "ended_round": round_, "why": why, "into": into}
        self._change(ids, lambda one: gone)

    def _change(self, ids: Iterable[int], change: Any) -> None:  # noqa: ANN401
        for id_ in ids:
            one = self.courses.get(id_)
            if one is not None and not one.ended and one.store != "sensory":
                self.courses[id_] = replace(one, **change(one))


def plain(found: Remembrance) -> dict[str, Any]:
    """Return a memory as plain values for `--json`."""
    return {
        "agent": found.agent,
        "name": found.name,
        "memory": found.kind,
        "round": found.round,
        "now": found.now,
        "constants": msgspec.to_builtins(found.constants),
        "counts": counts(found),
        "reflection": {"brewing": round(found.brewing, 4), "due_at": found.constants.reflect_at},
        "sensory": [_plain(one, found) for one in found.sensory()],
        "short": [_plain(one, found) for one in found.kept("short")],
        "long": [_plain(one, found) for one in found.kept("long")],
        "lost": [_plain(one, found) for one in found.lost()],
    }


def counts(found: Remembrance) -> dict[str, int]:
    """Return how many thoughts are kept, and how many went in which way."""
    lost = found.lost()
    return {
        "sensory": len(found.sensory()),
        "short": len(found.kept("short")),
        "long": len(found.kept("long")),
        **{why: sum(one.why == why for one in lost) for why in ("faded", "crowded", "merged")},
        "not_kept": sum(one.store == "sensory" for one in found.courses),
    }


def _plain(one: Course, found: Remembrance) -> dict[str, Any]:
    texts: Mapping[int, Course] = found.by_id()
    now, laws = one.ended or found.now, found.constants.laws
    tree: dict[str, Any] = msgspec.to_builtins(one)
    tree["sources"] = [
        {"id": id_, "text": texts[id_].text, "lost": texts[id_].why}
        for id_ in one.sources
        if id_ in texts
    ]
    return tree | {
        "recency": round(one.recency(now, laws), 4),
        "forgetting": round(one.readiness(now, laws), 4),
        "age_hours": round((now - one.at) / HOUR, 2),
        "last_recalled": max(one.accesses, default=None),
    }
