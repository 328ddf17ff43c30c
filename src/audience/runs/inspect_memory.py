"""What a person remembers, read from a log: what it holds, where it came from, what was lost."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
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
WAYS_OUT = ("faded", "crowded", "merged")


class Constants(msgspec.Struct, frozen=True):
    """The constants of a memory that explain its numbers."""

    capacity: int = 10
    enhancements: int = 3
    reflect_at: float = 2.0
    laws: Forgetting = Forgetting()
    forgets: bool = True
    """Whether thoughts fade from it as time passes."""


class Course(msgspec.Struct, frozen=True):
    """A thought from the moment it arose until it was lost, if it was."""

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
        """Return how recent it is, in (0, 1]; 1 if it came to mind at that moment."""
        return float(recency(now, np.array([self.touched(now)]), laws.decay)[0])

    def readiness(self, now: int, laws: Forgetting) -> float:
        """Return how ready it is to be forgotten (g in the RecAgent paper)."""
        return float(forgetting(self.weight, self.recency(now, laws), laws.beta, laws.delta))


class Remembrance(msgspec.Struct, frozen=True):
    """A person's memory at the end of a round."""

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
        return {course.id: course for course in self.courses}

    def sensory(self) -> list[Course]:
        """Return what was observed in the last round lived, kept or not."""
        observed = (c for c in self.courses if not c.sources and c.kind != "reminder")
        return [c for c in observed if c.round == self.lived and c.kind != "emotion"]

    def kept(self, store: str, kind: str = "") -> list[Course]:
        """Return what a store holds now, of one kind of thought if given, newest last."""
        held = (c for c in self.courses if c.store == store and not c.ended)
        return [course for course in held if kind in ("", course.kind)]

    def lost(self) -> list[Course]:
        """Return what was kept once and is lost, in the order in which it was."""
        gone = [course for course in self.courses if course.ended]
        return sorted(gone, key=lambda course: (course.ended_round, course.id))


class ThoughtSource(msgspec.Struct, frozen=True):
    """A thought that another was drawn from."""

    id: int
    text: str
    lost: str
    """How it was lost; empty if it is still there."""


class ThoughtReport(msgspec.Struct, frozen=True):
    """A thought with its course and the numbers of the forgetting curve."""

    id: int
    text: str
    weight: float
    at: int
    round: int
    kind: str
    store: str
    sources: list[ThoughtSource]
    items: tuple[int, ...]
    enhancers: tuple[int, ...]
    accesses: tuple[int, ...]
    settled: int
    ended: int
    ended_round: int
    why: str
    into: int
    recency: float
    forgetting: float
    age_hours: float
    last_recalled: int | None


class Reflection(msgspec.Struct, frozen=True):
    """How much importance has gathered since the last reflection, and when the next is due."""

    brewing: float
    due_at: float


class MemoryReport(msgspec.Struct, frozen=True):
    """A memory as `--json` and the web page show it."""

    agent: int
    name: str
    memory: str
    round: int
    now: int
    constants: Constants
    counts: dict[str, int]
    reflection: Reflection
    sensory: list[ThoughtReport]
    short: list[ThoughtReport]
    long: list[ThoughtReport]
    lost: list[ThoughtReport]


def remembrance(log: Log, who: int, at: int) -> Remembrance:
    """Return a person's memory at the end of a round, with the course of every thought."""
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
    """Return the constants of a memory: its options, else its defaults, else the paper's."""
    known: dict[str, Any] = {}
    forgets = True
    try:
        make = find("memories", part.kind)
        parameters = inspect.signature(make).parameters.items()
        known = {name: each.default for name, each in parameters if each.default is not each.empty}
        forgets = isinstance(make, Fading)
    except BadInput:  # a memory from a package that is not installed here
        pass
    known |= part.options
    laws = {name: known[name] for name in Forgetting.__struct_fields__ if name in known}
    others = ("capacity", "enhancements", "reflect_at")
    numbers = {name: known[name] for name in others if name in known}
    return Constants(**numbers, laws=Forgetting(**laws), forgets=forgets)


class _Courses:
    """Follows a person's thoughts through a log."""

    def __init__(self, who: int, clock: Clock) -> None:
        self.courses: dict[int, Course] = {}
        self.lived = 0
        self._who, self._clock = who, clock
        self._had = 0

    def take(self, chapter: e.Chapter) -> None:
        """Add a chapter."""
        for entry in chapter.entries:
            event = entry.event
            if isinstance(event, e.Intervened):
                self._reminded(event.change, chapter.round)
            elif getattr(event, "agent", None) == self._who:
                self._lived(event, chapter.round)

    def _reminded(self, change: object, round_: int) -> None:
        if isinstance(change, Remind) and change.agent == self._who:
            at = self._clock.at(round_)
            place = (at, round_, "reminder", "long")
            self._add(Course(self._had, change.text, change.weight, *place, settled=at))

    def _lived(self, event: e.AnyEvent, round_: int) -> None:
        match event:
            case e.Remembered():
                self._remembered(event, round_)
            case e.Reflected() | e.Merged():
                self._drawn(event, round_)
            case e.Recalled():
                self._change(event.thoughts, lambda c: {"accesses": (*c.accesses, event.at)})
            case e.Enhanced() if event.by not in self._enhancers(event.thought):
                self._change((event.thought,), lambda c: {"enhancers": (*c.enhancers, event.by)})
            case e.Settled():
                end = self._clock.at(round_, 1.0)
                self._change((event.thought,), lambda c: {"store": "long", "settled": end})
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
            sources = tuple(dict.fromkeys((*sources, *(s for c in merged for s in c.sources))))
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

    def _add(self, course: Course) -> None:
        self.courses[course.id] = course
        self._had = max(self._had, course.id + 1)

    def _end(self, ids: Iterable[int], round_: int, why: str, into: int = -1) -> None:
        end = self._clock.at(round_, 1.0)
        gone = {"ended": end, "ended_round": round_, "why": why, "into": into}
        self._change(ids, lambda course: gone)

    def _change(self, ids: Iterable[int], change: Callable[[Course], dict[str, Any]]) -> None:
        for id_ in ids:
            course = self.courses.get(id_)
            if course is not None and not course.ended and course.store != "sensory":
                self.courses[id_] = replace(course, **change(course))


def memory_report(memory: Remembrance) -> MemoryReport:
    """Return a memory as `--json` and the web page show it."""
    by_id = memory.by_id()

    def reports(courses: list[Course]) -> list[ThoughtReport]:
        return [_thought_report(course, memory, by_id) for course in courses]

    return MemoryReport(
        memory.agent,
        memory.name,
        memory.kind,
        memory.round,
        memory.now,
        memory.constants,
        counts(memory),
        Reflection(round(memory.brewing, 4), memory.constants.reflect_at),
        sensory=reports(memory.sensory()),
        short=reports(memory.kept("short")),
        long=reports(memory.kept("long")),
        lost=reports(memory.lost()),
    )


def counts(memory: Remembrance) -> dict[str, int]:
    """Return how many thoughts are kept, and how many were lost in which way."""
    lost = memory.lost()
    return {
        "sensory": len(memory.sensory()),
        "short": len(memory.kept("short")),
        "long": len(memory.kept("long")),
        **{why: sum(course.why == why for course in lost) for why in WAYS_OUT},
        "not_kept": sum(course.store == "sensory" for course in memory.courses),
    }


def _thought_report(
    course: Course, memory: Remembrance, by_id: Mapping[int, Course]
) -> ThoughtReport:
    now, laws = course.ended or memory.now, memory.constants.laws
    sources = [by_id[id_] for id_ in course.sources if id_ in by_id]
    fields = msgspec.structs.asdict(course) | {
        "sources": [ThoughtSource(source.id, source.text, source.why) for source in sources],
        "recency": round(course.recency(now, laws), 4),
        "forgetting": round(course.readiness(now, laws), 4),
        "age_hours": round((now - course.at) / HOUR, 2),
        "last_recalled": max(course.accesses, default=None),
    }
    return ThoughtReport(**fields)
