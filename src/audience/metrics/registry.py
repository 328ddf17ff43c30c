"""The metric protocols, the set of all metrics, and measuring a log."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any, Protocol, runtime_checkable

import msgspec
import numpy as np

from audience.errors import AudienceError, BadInput
from audience.metrics.formulas import NAN
from audience.metrics.memory import Remembering
from audience.metrics.opinion import Mentions, RatingMetrics, Satisfaction, SpeechMetrics
from audience.metrics.social import SocialMetrics, Together
from audience.metrics.spread import NUMBERS, Spreading
from audience.metrics.variety import Consumption, Exposure, TasteEntropy
from audience.metrics.visits import Browsing, Returning, Watching
from audience.plugins import find, known
from audience.user_code import LONGEST, PASSING, said, within
from audience.world import (
    VISITS,
    Chapter,
    Floats,
    Genesis,
    Record,
    RoundEnded,
    View,
    World,
    events as e,
)


@runtime_checkable
class Metric(Protocol):
    """A fold over records in canonical order, with its numbers available at any moment.

    `update` is called after the record's whole chapter was applied to the world, so an agent's
    place within its visit cannot be read there.
    """

    @property
    def watches(self) -> tuple[type, ...]:
        """The event classes it reads."""
        ...

    def update(self, record: Record, world: View) -> None: ...

    def value(self) -> dict[str, float]:
        """Return its numbers over all records so far; NaN where undefined."""
        ...


@runtime_checkable
class Mergeable(Protocol):
    """A metric of which other processes count a part of the visits of a round."""

    def taken(self) -> Any:  # noqa: ANN401
        """Return what was counted in this round as numbers, texts, bytes, lists and dictionaries.

        It is forgotten here.
        """
        ...

    def merge(self, taken: Any, world: View) -> None:  # noqa: ANN401
        """Count what was taken elsewhere, as `update` would have with the same visits.

        There, `update` was given the world as it was before all visits of the round.
        """
        ...


@runtime_checkable
class PerAgent(Protocol):
    """A metric with numbers per agent, for paired comparisons."""

    def per_agent(self) -> dict[str, Floats]:
        """Return one number per agent id, NaN where undefined or beyond the end."""
        ...


@runtime_checkable
class PerRound(Protocol):
    """A metric with numbers per round."""

    def close(self) -> dict[str, float]:
        """Return the numbers of the ending round alone, and begin the next."""
        ...


Update = Callable[[Record, View], None]
NOT_OF_VISITS = frozenset(
    {e.RunStarted, e.RoundStarted, e.Intervened, e.Gathered, e.Parted, e.Delivered, e.RoundEnded}
)
"""Events that no visit has, so that a metric of these alone need not be mergeable."""


class Metrics:
    """A set of metrics, updated together."""

    def __init__(self, metrics: Iterable[Metric], part_deadline: float = LONGEST) -> None:
        """`part_deadline`: seconds that one call of a metric of the user's may take."""
        self._metrics = tuple(metrics)
        self._deadline = part_deadline
        self._people = 0
        self._rounds: list[dict[str, float]] = []
        mergeable = [each for each in self._metrics if isinstance(each, Mergeable)]
        self._takes = [self._guarded(each, "taken") for each in mergeable]
        self._merges = [self._guarded(each, "merge") for each in mergeable]
        others = [each.watches for each in self._metrics if not isinstance(each, Mergeable)]
        self.is_mergeable = NOT_OF_VISITS.issuperset(chain.from_iterable(others))
        """Whether other processes may count visits, while there are no topics."""
        watchers: dict[type, list[Update]] = {}
        for metric in self._metrics:
            for kind in metric.watches:
                watchers.setdefault(kind, []).append(self._guarded(metric, "update"))
        watchers.setdefault(RoundEnded, []).append(self._end_round)
        self._watchers = {kind: tuple(updates) for kind, updates in watchers.items()}

    def update_chapter(self, chapter: Chapter, world: View) -> None:
        """Add a chapter that was already applied to the world, in canonical order."""
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

    def taken(self) -> bytes:
        """Return what was counted in this round so far, which is forgotten here."""
        return msgspec.msgpack.encode([take() for take in self._takes])

    def merge(self, taken: bytes, world: View) -> None:
        """Count the visits that were counted elsewhere, in canonical order as well."""
        for merge, part in zip(self._merges, msgspec.msgpack.decode(taken), strict=True):
            merge(part, world)

    def value(self) -> dict[str, float]:
        """Return every number over all chapters so far."""
        found: dict[str, float] = {}
        for metric in self._metrics:
            found.update(_numbers(metric, "value", self._guarded(metric, "value")()))
        return found

    def per_agent(self) -> dict[str, Floats]:
        """Return arrays with one number for every agent id, NaN where undefined."""
        found: dict[str, Floats] = {}
        for metric in self._metrics:
            if isinstance(metric, PerAgent):
                for name, numbers in self._guarded(metric, "per_agent")().items():
                    padded = np.full(max(self._people, len(numbers)), NAN)
                    padded[: len(numbers)] = numbers
                    found[name] = padded
        return found

    def by_round(self) -> list[dict[str, float]]:
        """Return the numbers of each complete round, with its number as `round`.

        They are of that round alone or, for a metric without `close`, of all rounds up to it.
        """
        return [dict(numbers) for numbers in self._rounds]

    def _end_round(self, record: Record, world: View) -> None:
        del world
        found = {"round": float(record.round)}
        for metric in self._metrics:
            method = "close" if isinstance(metric, PerRound) else "value"
            found.update(_numbers(metric, method, self._guarded(metric, method)()))
        self._rounds.append(found)

    def _guarded(self, metric: Metric, method: str) -> Callable[..., Any]:
        """Return a method of a metric; one of the user's with a deadline and faults in words."""
        call: Callable[..., Any] = getattr(metric, method)
        if type(metric).__module__.startswith("audience."):
            return call

        def guarded(*arguments: object) -> object:
            try:
                with within(self._deadline):
                    return call(*arguments)
            except (AudienceError, *PASSING):
                raise
            except BaseException as error:
                raise _fault(metric, method, said(error)) from error

        return guarded


class MetricFault(AudienceError):
    """A metric raised an exception, took too long or gave no numbers."""


def _fault(metric: Metric, method: str, what: str) -> MetricFault:
    name = type(metric).__qualname__
    return MetricFault(f"metric {name}.{method} {what}; fix it, then run `audience resume`")


def _numbers(metric: Metric, method: str, found: object) -> dict[str, float]:
    """Return what a metric gave; raise if these are no numbers by name."""
    if not isinstance(found, dict):
        raise _fault(metric, method, f"gave {type(found).__name__} instead of a dictionary")
    for name, number in found.items():
        if not isinstance(name, str) or not isinstance(number, (int, float, np.number)):
            raise _fault(metric, method, f"gave {number!r} as {name!r}, which is no number")
    return found


def builtin() -> list[Metric]:
    """Return one of each built-in metric."""
    return [
        Browsing(),
        Watching(),
        Satisfaction(),
        Returning(),
        RatingMetrics(),
        Exposure(),
        Consumption(),
        TasteEntropy(),
        SocialMetrics(),
        SpeechMetrics(),
        Mentions(),
        Together(),
        Remembering(),
        Spreading(),
    ]


def suite(extra_kinds: Iterable[str] = (), part_deadline: float = LONGEST) -> Metrics:
    """Return the built-in metrics, every registered one, and those `extra_kinds` name.

    A kind is an entry point of `audience.metrics` or `file.py:Class`, called without arguments; it
    returns a metric or a list of metrics.
    """
    metrics = builtin()
    owners = {name: "builtin" for metric in metrics for name in metric.value()}
    owners |= dict.fromkeys(NUMBERS, "builtin")
    wanted = [*sorted(known("metrics")), *extra_kinds]
    for kind in dict.fromkeys(kind for kind in wanted if kind != "builtin"):
        for metric in _made(kind):
            for name in _numbers(metric, "value", metric.value()):
                if owners.setdefault(name, kind) != kind:
                    raise BadInput(
                        f"metric {kind!r} gives {name!r}, which {owners[name]!r} gives already; "
                        "rename one"
                    )
            metrics.append(metric)
    return Metrics(metrics, part_deadline)


def measure(
    chapters: Iterable[Chapter], genesis: Genesis, metrics: Metrics | None = None
) -> Metrics:
    """Return the metrics (by default the whole suite) of a log in canonical order."""
    metrics = suite() if metrics is None else metrics
    world = World(genesis)
    for chapter in chapters:
        world.apply_all(chapter.entries)
        metrics.update_chapter(chapter, world)
    return metrics


def _made(kind: str) -> list[Metric]:
    make = find("metrics", kind)
    try:
        with within(LONGEST):
            made = make()
            made = made if isinstance(made, list) else [made]
            for metric in made:
                if isinstance(metric, Metric):
                    metric.value()
    except (AudienceError, *PASSING):
        raise
    except BaseException as error:
        raise BadInput(
            f"metric {kind!r} could not be made without arguments: {said(error)}"
        ) from error
    for metric in made:
        if not isinstance(metric, Metric):
            raise BadInput(f"metric {kind!r} lacks one of watches, update and value; see Metric")
    return made
