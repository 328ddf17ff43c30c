"""Open logs and what was folded from them, shared by all requests."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from audience.log import Log, last_arrival, rounds_opened_after, stored_scenario, world_from
from audience.metrics import Metrics, suite
from audience.runs import Kept, Numbers, Teller, kept_of
from audience.scenario import Scenario, parse
from audience.web.replies import Missing
from audience.world import OPENING, Genesis, World

T = TypeVar("T")
OPEN = 16


class Fold:
    """The world and the metrics of a run up to the end of a round, extended as the run goes on."""

    def __init__(self, reader: Reader, since: int = 0) -> None:
        """Metrics begin after the round `since`."""
        self.since = self.upto = since
        self.metrics: Metrics = suite(reader.scenario.metrics)
        self.world = (
            world_from(reader.log, since, reader.genesis, None) if since else World(reader.genesis)
        )
        self._log = reader.log

    def carry(self, upto: int) -> None:
        """Fold up to the end of a round."""
        if self.upto >= upto:
            return
        for chapter in self._log.chapters(begin_round=self.upto + 1, end_round=upto + 1):
            self.world.apply_all(chapter.entries)
            self.metrics.update_chapter(chapter, self.world)
        self.upto = upto


class Reader:
    """A run's log, its world now and at one earlier round, and its metrics.

    To be used under its lock; what is read there changes once the lock is free.
    """

    def __init__(self, folder: Path) -> None:
        self.lock = threading.RLock()
        self.is_open = True
        self.log = Log.open(folder)
        self._now: World | None = None
        self._past: World | None = None
        self._kept: tuple[int, Kept | None] = (-1, None)
        self._fold: Fold | None = None
        self._earlier: Fold | None = None
        self._since: Fold | None = None
        self._teller: tuple[int, Teller] | None = None
        self._remembered: dict[str, tuple[int, Any]] = {}

    def remembered(self, name: str, at: int, make: Callable[[], T]) -> T:
        """Return the value cached under a name for this moment of the run, or make it."""
        value: T | None = self.recalled(name, at)
        if value is None:
            value = make()
            self._remembered[name] = at, value
        return value

    def recalled(self, name: str, at: int) -> Any | None:  # noqa: ANN401
        """Return the value cached under a name for this moment of the run, if there is one."""
        moment, value = self._remembered.get(name, (-1, None))
        return value if moment == at else None

    def close(self) -> None:
        """Close the file once nobody reads it."""
        with self.lock:
            self.is_open = False
            self.log.close()

    @cached_property
    def genesis(self) -> Genesis:
        """What was true before the first event, read once."""
        return self.log.genesis()

    @property
    def scenario(self) -> Scenario:
        """The scenario as it is now: interventions may have changed it."""
        return parse(stored_scenario(self.log), self.log.folder.name)

    @property
    def last(self) -> int:
        """The number of the chapter that arrived last; 0 if there is none."""
        return last_arrival(self.log)

    def round_of(self, at: int | None) -> int:
        """Return a round that is complete; the last one if None."""
        done = self.log.complete_rounds()
        if at is None:
            return done
        if at > done:
            raise Missing(f"round {at} is not complete; {done} rounds are")
        return at

    def world(self, at: int | None = None) -> World:
        """Return the world at the end of a round, to be read under the lock."""
        round_ = self.round_of(at)
        if self._fold and self._fold.upto == round_:
            self._now = None
            return self._fold.world
        if round_ == self.log.complete_rounds():
            near, self._now = self._now, None
            self._now = world_from(self.log, round_, self.genesis, near)
            return self._now
        near, self._past = self._past, None
        self._past = world_from(self.log, round_, self.genesis, near)
        return self._past

    def metrics(self) -> tuple[int, Numbers]:
        """Return how many rounds are complete, and their metrics."""
        done = self.log.complete_rounds()
        return done, self.measured(done)

    def kept_at(self, upto: int) -> Kept | None:
        """Return the metrics that were kept when the run ended, if it ended with this round."""
        done = self.log.complete_rounds()
        if upto != done or (self._fold and self._fold.upto == done):
            return None
        if self._kept[0] != done:
            self._kept = done, kept_of(self.log)
        return self._kept[1]

    def measure_on(self, upto: int) -> int:
        """Fold one more round, at most up to `upto`; return how many are folded."""
        if self.kept_at(upto):
            return upto
        fold = self._fold_for(upto)
        fold.carry(min(fold.upto + 1, upto))
        return fold.upto

    def measured(self, upto: int) -> Numbers:
        """Return the metrics up to the end of a round."""
        if kept := self.kept_at(upto):
            return kept
        fold = self._fold_for(upto)
        fold.carry(upto)
        return fold.metrics

    def measured_since(self, since: int, upto: int) -> Numbers:
        """Return the metrics of the rounds after `since` up to the end of another."""
        fold = self._since
        if fold is None or fold.since != since or fold.upto > upto:
            fold = self._since = Fold(self, since)
        fold.carry(upto)
        return fold.metrics

    def _fold_for(self, upto: int) -> Fold:
        """Return a fold that is not beyond a round: the main one, else one of earlier rounds."""
        if self._fold is None:
            self._fold = Fold(self)
        if self._fold.upto <= upto:
            return self._fold
        if self._earlier is None or self._earlier.upto > upto:
            self._earlier = Fold(self)
        return self._earlier

    def teller(self) -> Teller:
        """Return a teller that knows all names and titles up to now."""
        last = self.last
        if self._teller is None or self._teller[0] != last:
            known = self._teller[1] if self._teller else Teller(self.genesis)
            since = self._teller[0] if self._teller else 0
            for round_ in rounds_opened_after(self.log, since):
                for chapter in self.log.chapters(
                    begin_round=round_, end_round=round_ + 1, phase=OPENING
                ):
                    for entry in chapter.entries:
                        known.learn(entry.event)
            self._teller = last, known
        return self._teller[1]


class Readers:
    """The readers of the runs that were used last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: OrderedDict[Path, Reader] = OrderedDict()

    @contextmanager
    def reading(self, folder: Path) -> Iterator[Reader]:
        """Yield the reader of a run, with its lock held."""
        while True:
            reader = self._reader(folder)
            with reader.lock:
                if reader.is_open:
                    yield reader
                    return

    def forget(self, folder: Path) -> None:
        """Close the reader of a run whose file is about to be replaced."""
        with self._lock:
            reader = self._open.pop(folder, None)
        if reader:
            reader.close()

    def forget_below(self, folder: Path) -> None:
        """Close the readers of all runs in a folder."""
        for run in list(self._open):
            if run.is_relative_to(folder):
                self.forget(run)

    def close(self) -> None:
        for folder in list(self._open):
            self.forget(folder)

    def _reader(self, folder: Path) -> Reader:
        old = None
        with self._lock:
            reader = self._open.get(folder)
            if reader is None:
                reader = self._open[folder] = Reader(folder)
                if len(self._open) > OPEN:
                    _, old = self._open.popitem(last=False)
            self._open.move_to_end(folder)
        if old:
            old.close()
        return reader
