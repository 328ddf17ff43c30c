"""Live progress of a run in its own thread: the panel, the metrics and the costs so far."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import msgspec
import numpy as np

from audience.engine import Control, Keeper
from audience.llm import Counts, Meter
from audience.metrics import Metrics
from audience.world import (
    CLOSING,
    MEMORY,
    OPENING,
    AddItem,
    AddPerson,
    Chapter,
    Failed,
    Intervened,
    Posted,
    Said,
    View,
    Watched,
    World,
)

POPULAR = 10


class Panel(msgspec.Struct, frozen=True):
    """The state of the world at a glance."""

    people: int = 0
    items: int = 0
    interactions: int = 0
    most_popular: tuple[tuple[int, str, int], ...] = ()
    """Item, title and how often it was picked."""
    links: int = 0
    chats: int = 0
    posts: int = 0
    algorithm: str = ""
    failures: int = 0
    """Decisions and pages that failed."""


class LivePanel:
    """A panel that is updated chapter by chapter. One thread writes, all read."""

    def __init__(self, world: World, numbers: dict[str, float]) -> None:
        """Start from a world and its metrics so far."""
        lived = world.interactions
        self._catalogue = world.catalogue
        self._counts: list[int] = np.bincount(lived.items, minlength=len(self._catalogue)).tolist()
        self._panel = Panel(
            len(world.agents),
            links=len(world.graph),
            chats=int(numbers.get("chats", 0)),
            posts=int(numbers.get("posts", 0)),
            algorithm=world.fitted[1].kind if world.fitted else "",
            failures=int(numbers.get("failed", 0)),
        )
        self._chats = self._posts = self._failures = 0

    def hear(self, chapter: Chapter) -> None:
        """Count the events of a chapter."""
        has_talk = False
        for entry in chapter.entries:
            event = entry.event
            if isinstance(event, Watched):
                self._counts[event.item] += 1
            elif isinstance(event, Posted):
                self._posts += 1
            elif isinstance(event, Said):
                has_talk = True
            elif isinstance(event, Failed):
                self._failures += chapter.phase != MEMORY
            elif isinstance(event, Intervened):
                self._change(event.change)
        self._chats += has_talk

    def _change(self, change: object) -> None:
        if isinstance(change, AddItem):
            self._catalogue = self._catalogue.plus(change.item)
            self._counts.append(0)
        elif isinstance(change, AddPerson):
            self._panel = msgspec.structs.replace(self._panel, people=self._panel.people + 1)

    def panel(self) -> Panel:
        """Return the panel as it is now."""
        counts = np.array(self._counts, np.int64)
        top = np.argsort(-counts, kind="stable")[:POPULAR].tolist()
        return msgspec.structs.replace(
            self._panel,
            items=len(self._catalogue),
            interactions=int(counts.sum()),
            most_popular=tuple(
                (one, self._catalogue[one].title, int(counts[one])) for one in top if counts[one]
            ),
            chats=self._panel.chats + self._chats,
            posts=self._panel.posts + self._posts,
            failures=self._panel.failures + self._failures,
        )


class Watch:
    """The control of a run and its live state. The run writes, others only read."""

    def __init__(self, control: Control) -> None:
        self.control = control
        self.begun = threading.Event()
        """Set once the run has begun."""
        self.whole = 0
        """The last round it goes to."""
        self.rounds: tuple[dict[str, float], ...] = ()
        """The metrics of each complete round."""
        self._tally: LivePanel | None = None
        self._found: tuple[Chapter, ...] = ()
        self._live: Metrics | None = None
        self._meter: Meter | None = None

    def begin(self, world: World, live: Metrics, whole: int, found: Sequence[Chapter] = ()) -> None:
        """Start with the run's world and metrics; `found` are chapters of an incomplete round."""
        self._live, self.whole = live, whole
        self.rounds = tuple(live.by_round())
        self._found = tuple(found)
        self._tally = _tallied(world, live, self._found)
        self.begun.set()

    @property
    def panel(self) -> Panel:
        """The panel as of the chapter that arrived last."""
        return self._tally.panel() if self._tally else Panel()

    def spend(self, meter: Meter) -> None:
        self._meter = meter

    def arrive(self, chapter: Chapter) -> None:
        """Count a chapter that was just written, before its round is over."""
        if self._tally and chapter.phase not in (OPENING, CLOSING):
            self._tally.hear(chapter)

    def hear(self, chapter: Chapter, world: View) -> None:
        """Update the panel when a round opens and when it ends."""
        if chapter.phase not in (OPENING, CLOSING) or self._live is None:
            return
        assert isinstance(world, World)
        if chapter.phase == CLOSING:
            self.rounds = (*self.rounds, *self._live.by_round()[len(self.rounds) :])
            self._found = ()
        lived = [one for one in self._found if one.phase != OPENING]
        self._tally = _tallied(world, self._live, lived)

    @property
    def spent(self) -> Counts:
        """The calls to models so far."""
        for _ in range(5):
            try:
                return self._meter.total() if self._meter else Counts()
            except RuntimeError:  # another thread added a purpose meanwhile
                continue
        return Counts()


def _tallied(world: World, live: Metrics, lived: Sequence[Chapter]) -> LivePanel:
    tally = LivePanel(world, live.value())
    for chapter in lived:
        tally.hear(chapter)
    return tally


class Arriving:
    """Stores chapters, and passes each to a watch at once."""

    def __init__(self, keeper: Keeper, watch: Watch) -> None:
        self.commit = keeper.commit
        self._keeper, self._watch = keeper, watch

    def append(self, chapter: Chapter, body: bytes = b"") -> None:
        self._keeper.append(chapter, body)
        self._watch.arrive(chapter)
