"""A run that somebody steers and looks at while it goes on in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import msgspec
import numpy as np

from audience.engine import Control
from audience.llm import Counts, Meter
from audience.metrics import Metrics
from audience.world import Chapter, View, World
from audience.world.events import CLOSING, OPENING

POPULAR = 10


class Panel(msgspec.Struct, frozen=True):
    """The state of the world at a glance, as it was when a round last opened or closed."""

    people: int = 0
    items: int = 0
    interactions: int = 0
    most_popular: tuple[tuple[int, str, int], ...] = ()
    """Item, title and how often it was taken up."""
    links: int = 0
    chats: int = 0
    posts: int = 0
    algorithm: str = ""


def panel_of(world: World, numbers: dict[str, float]) -> Panel:
    """Return the panel of a world that was measured so far."""
    lived = world.interactions
    counts = np.bincount(lived.items, minlength=1) if len(lived) else np.zeros(1, np.int64)
    top = np.argsort(-counts, kind="stable")[:POPULAR].tolist()
    return Panel(
        len(world.agents),
        len(world.catalogue),
        len(lived),
        tuple((one, world.catalogue[one].title, int(counts[one])) for one in top if counts[one]),
        len(world.graph),
        int(numbers.get("chats", 0)),
        int(numbers.get("posts", 0)),
        world.fitted[1].kind if world.fitted else "",
    )


class Watch:
    """What steers a run, and what it tells of itself. The run writes, others only read."""

    def __init__(self, control: Control) -> None:
        self.control = control
        self.begun = threading.Event()
        """Set once the run is there and goes on."""
        self.panel = Panel()
        self.whole = 0
        """The last round it goes to."""
        self.rounds: tuple[dict[str, float], ...] = ()
        """The numbers of each round that has ended."""
        self._live: Metrics | None = None
        self._meter: Meter | None = None

    def begin(self, world: World, live: Metrics, whole: int) -> None:
        """Take in the run as it is when it begins or goes on."""
        self._live, self.whole = live, whole
        self.rounds = tuple(live.by_round())
        self.panel = panel_of(world, live.value())
        self.begun.set()

    def spend(self, meter: Meter) -> None:
        self._meter = meter

    def hear(self, chapter: Chapter, world: View) -> None:
        """Take in how the world stands when a round opens and when it ends."""
        if chapter.phase not in (OPENING, CLOSING) or self._live is None:
            return
        assert isinstance(world, World)
        if chapter.phase == CLOSING:
            self.rounds = (*self.rounds, *self._live.by_round()[len(self.rounds) :])
        self.panel = panel_of(world, self._live.value())

    @property
    def spent(self) -> Counts:
        """What models were asked so far."""
        for _ in range(5):
            try:
                return self._meter.total() if self._meter else Counts()
            except RuntimeError:  # a purpose was asked for the first time in this very moment
                continue
        return Counts()


def numbers_of(rounds: Sequence[dict[str, float]], after: int) -> list[dict[str, float]]:
    """Return the numbers of the rounds after one."""
    return [one for one in rounds if one["round"] > after]
