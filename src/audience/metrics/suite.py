"""All metrics of a run as one fold, the same live and over a finished log."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from audience.errors import BadInput
from audience.metrics.browsing import Browsing
from audience.metrics.consumption import Consumption
from audience.metrics.exposure import Exposure
from audience.metrics.formulas import NAN
from audience.metrics.kinds import Metric, PerAgent, PerRound
from audience.metrics.mentions import Mentions
from audience.metrics.opinion import Ratings, Satisfaction
from audience.metrics.remembering import Remembering
from audience.metrics.returning import Returning
from audience.metrics.social import Social
from audience.metrics.speech import Speech
from audience.metrics.spreading import NUMBERS, Spreading
from audience.metrics.together import Together
from audience.metrics.variety import TasteEntropy
from audience.metrics.watching import Watching
from audience.plugins import find, known
from audience.world.events import VISITS, Chapter, Record, RoundEnded
from audience.world.genesis import Genesis
from audience.world.rng import Floats
from audience.world.world import View, World

Update = Callable[[Record, View], None]


class Metrics:
    """Several metrics side by side."""

    def __init__(self, metrics: Iterable[Metric]) -> None:
        self._metrics = tuple(metrics)
        self._people = 0
        self._rounds: list[dict[str, float]] = []
        watchers: dict[type, list[Update]] = {}
        for metric in self._metrics:
            for kind in metric.watches:
                watchers.setdefault(kind, []).append(metric.update)
        watchers.setdefault(RoundEnded, []).append(self._end_round)
        self._watchers = {kind: tuple(updates) for kind, updates in watchers.items()}

    def update_chapter(self, chapter: Chapter, world: View) -> None:
        """Take in a chapter that is already true in the world. Chapters come in canonical order."""
        watching = self._watchers.get
        round_, phase, rank = chapter.round, chapter.phase, chapter.rank
        if phase != VISITS or not self._people:
            self._people = len(world.agents)
        for step, entry in enumerate(chapter.entries):
            event = entry.event
            updates = watching(type(event))
            if updates is not None:
                record = Record(round_, phase, rank, step, event, entry.cause, entry.calls)
                for update in updates:
                    update(record, world)

    def value(self) -> dict[str, float]:
        """Return every number over all chapters so far."""
        found: dict[str, float] = {}
        for metric in self._metrics:
            found.update(metric.value())
        return found

    def per_agent(self) -> dict[str, Floats]:
        """Return arrays with one number for every agent id, NaN where undefined."""
        found: dict[str, Floats] = {}
        for metric in self._metrics:
            if isinstance(metric, PerAgent):
                for name, numbers in metric.per_agent().items():
                    padded = np.full(max(self._people, len(numbers)), NAN)
                    padded[: len(numbers)] = numbers
                    found[name] = padded
        return found

    def by_round(self) -> list[dict[str, float]]:
        """Return the numbers of each ended round, which `round` names.

        A number is of that round alone; one of a metric without `close` is of all rounds up to it.
        """
        return [dict(numbers) for numbers in self._rounds]

    def _end_round(self, record: Record, world: View) -> None:
        del world
        found = {"round": float(record.round)}
        for metric in self._metrics:
            found.update(metric.close() if isinstance(metric, PerRound) else metric.value())
        self._rounds.append(found)


def builtin() -> list[Metric]:
    """Return one of each built-in metric."""
    return [
        Browsing(),
        Watching(),
        Satisfaction(),
        Returning(),
        Ratings(),
        Exposure(),
        Consumption(),
        TasteEntropy(),
        Social(),
        Speech(),
        Mentions(),
        Together(),
        Remembering(),
        Spreading(),
    ]


def suite(extra_kinds: Iterable[str] = ()) -> Metrics:
    """Return the built-in metrics, every registered one, and those `extra_kinds` name.

    A kind is the name of an entry point of `audience.metrics` or `file.py:Class`; what it names is
    called without arguments and gives a metric or a list of them.
    """
    metrics = builtin()
    owners = {name: "builtin" for metric in metrics for name in metric.value()}
    owners |= dict.fromkeys(NUMBERS, "builtin")
    wanted = [*sorted(known("metrics")), *extra_kinds]
    for kind in dict.fromkeys(kind for kind in wanted if kind != "builtin"):
        for metric in _made(kind):
            for name in metric.value():
                if owners.setdefault(name, kind) != kind:
                    raise BadInput(
                        f"metric {kind!r} gives {name!r}, which {owners[name]!r} gives already; "
                        "rename one"
                    )
            metrics.append(metric)
    return Metrics(metrics)


def measure(
    chapters: Iterable[Chapter], genesis: Genesis, metrics: Metrics | None = None
) -> Metrics:
    """Return the metrics (the whole suite unless given) after a log in canonical order."""
    metrics = suite() if metrics is None else metrics
    world = World(genesis)
    for chapter in chapters:
        for entry in chapter.entries:
            world.apply(entry.event)
        metrics.update_chapter(chapter, world)
    return metrics


def _made(kind: str) -> list[Metric]:
    make = find("metrics", kind)
    try:
        made = make()
    except Exception as error:
        raise BadInput(f"metric {kind!r} could not be made without arguments: {error!r}") from error
    made = made if isinstance(made, list) else [made]
    for metric in made:
        if not isinstance(metric, Metric):
            raise BadInput(f"metric {kind!r} lacks one of watches, update and value; see Metric")
    return made
