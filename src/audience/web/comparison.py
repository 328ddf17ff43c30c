"""Endpoints that compare two runs: paired differences, the first different decision, examples."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query
from msgspec.structs import replace
from starlette.responses import Response

from audience.errors import BadInput
from audience.log import Log
from audience.results import Arm, Line, Measured, mean_over, summary
from audience.runs import Teller, findings, marks_of, measurement
from audience.web.readers import Reader
from audience.web.receipts import ReadProgress
from audience.web.replies import json_reply
from audience.web.reply_types import (
    ComparisonReply,
    DiffExample,
    DiffSide,
    FirstDifference,
    MetricRow,
    Overlap,
)
from audience.web.requests import Whole
from audience.web.run_registry import RunRegistry
from audience.world import Genesis, events as e

EXAMPLES = 25
Place = tuple[int, int, int, int]


class LogDiff:
    """The first decision that differs between two logs, and their picks and chats."""

    def __init__(self, genesis: Genesis) -> None:
        self.upto = 0
        self._tellers = Teller(genesis), Teller(genesis)
        self.first: FirstDifference | None = None
        self.picks = Overlap(0, 0, 0, [], [])
        self.chats = Overlap(0, 0, 0, [], [])

    def carry(self, mine: Log, theirs: Log, upto: int) -> None:
        """Go on to the end of a round."""
        tellers = self._tellers
        for place, ours, others in _aligned(mine, theirs, self.upto + 1 if self.upto else 0, upto):
            for teller, chapter in zip(tellers, (ours, others), strict=True):
                for entry in chapter.entries if chapter else ():
                    teller.learn(entry.event)
            if self.first is None and ours != others and place[1] in (e.VISITS, e.CONVERSATIONS):
                self.first = _difference(place, ours, others, tellers)
            _count(self.picks, e.Picked, place, (ours, others), tellers)
            _count(self.chats, e.Said, place, (ours, others), tellers)
        self.upto = upto


def _aligned(
    mine: Log, theirs: Log, begin: int, upto: int
) -> Iterator[tuple[Place, e.Chapter | None, e.Chapter | None]]:
    """Yield the chapters of two logs side by side, in the order of the log."""
    left = mine.chapters(begin_round=begin, end_round=upto + 1)
    right = theirs.chapters(begin_round=begin, end_round=upto + 1)
    a, b = next(left, None), next(right, None)
    while a or b:
        place = min(_place(chapter) for chapter in (a, b) if chapter)
        ours = a if a and _place(a) == place else None
        others = b if b and _place(b) == place else None
        yield place, ours, others
        a = next(left, None) if ours else a
        b = next(right, None) if others else b


def _place(chapter: e.Chapter) -> Place:
    return chapter.round, chapter.phase, chapter.rank, chapter.agent


def _difference(
    place: Place,
    ours: e.Chapter | None,
    others: e.Chapter | None,
    tellers: tuple[Teller, Teller],
) -> FirstDifference:
    entries = zip_longest(ours.entries if ours else (), others.entries if others else ())
    a, b = next((pair for pair in entries if pair[0] != pair[1]), (None, None))
    who = place[3]
    return FirstDifference(
        place[0],
        place[1],
        agent=who if who >= 0 else None,
        name=tellers[0].names.get(who, "") if who >= 0 else "",
        a=_side(a, tellers[0]),
        b=_side(b, tellers[1]),
    )


def _side(entry: e.Entry | None, teller: Teller) -> DiffSide | None:
    if entry is None:
        return None
    text = teller.line(entry.event).strip() or type(entry.event).__name__
    return DiffSide(entry.event, text, entry.cause, entry.calls)


def _count(
    overlap: Overlap,
    kind: type,
    place: Place,
    chapters: tuple[e.Chapter | None, e.Chapter | None],
    tellers: tuple[Teller, Teller],
) -> None:
    events = [
        [entry.event for entry in chapter.entries if isinstance(entry.event, kind)]
        if chapter
        else []
        for chapter in chapters
    ]
    overlap.a += len(events[0])
    overlap.b += len(events[1])
    overlap.same += sum(event in events[1] for event in events[0])
    for examples, mine, theirs in ((overlap.only_a, 0, 1), (overlap.only_b, 1, 0)):
        for event in events[mine]:
            if event not in events[theirs] and len(examples) < EXAMPLES:
                examples.append(_example(event, place[0], tellers[mine]))


def _example(event: Any, round_: int, teller: Teller) -> DiffExample:  # noqa: ANN401
    who = event.agent
    if isinstance(event, e.Picked):
        text = teller.titles[event.item]
    else:
        text = f"to {teller.names.get(event.to, event.to)}: {event.text}"
    return DiffExample(round_, who, teller.names.get(who, ""), text)


PAIRS = 8
RunIn = Annotated[str, Query(max_length=1000)]


def router(registry: RunRegistry) -> APIRouter:
    """Return the endpoints of comparisons."""
    api = APIRouter()
    comparisons = Comparisons(registry)

    @api.get("/compare", response_class=Response)
    def compare(a: RunIn, b: RunIn, since: Annotated[Whole, Query()] = 0) -> Response:
        """Compare two runs person by person, up to the last round that both have completed.

        Numbers are of the rounds after `since`, such as that of a branch.
        """
        names = (a, b if a != b else f"{b} again")
        folders = registry.folders.folder_of(a), registry.folders.folder_of(b)
        return json_reply(comparisons.pair(*folders).compared(names, since))

    @api.get("/compare/progress", response_class=Response)
    def progress(a: RunIn, b: RunIn) -> Response:
        """Return how many rounds a comparison under way has read, and of how many."""
        folders = registry.folders.folder_of(a), registry.folders.folder_of(b)
        done, total = comparisons.pair(*folders).progress
        return json_reply(ReadProgress(done, total))

    return api


class Comparisons:
    """The comparisons that were requested last."""

    def __init__(self, registry: RunRegistry) -> None:
        self._registry = registry
        self._lock = threading.Lock()
        self._pairs: OrderedDict[tuple[object, ...], ComparedPair] = OrderedDict()

    def pair(self, a: Path, b: Path) -> ComparedPair:
        lives = self._registry.lives
        key = (a, lives.get(a, 0), b, lives.get(b, 0))
        with self._lock:
            pair = self._pairs.setdefault(key, ComparedPair(self._registry, (a, b)))
            self._pairs.move_to_end(key)
            while len(self._pairs) > PAIRS:
                self._pairs.popitem(last=False)
        return pair


class ComparedPair:
    """Two runs, and how far they have been compared."""

    def __init__(self, registry: RunRegistry, folders: tuple[Path, Path]) -> None:
        self._registry, self._folders = registry, folders
        self._lock = threading.Lock()
        self._diff: LogDiff | None = None
        self.progress = (0, 0)
        """Rounds that are read, and how many there are to read."""

    def compared(self, names: tuple[str, str], since: int = 0) -> ComparisonReply:
        """Return paired differences, the first difference, and what only one of the two did."""
        with self._lock:
            upto = self._common()
            try:
                return self._compared(names, upto, since if since < upto else 0)
            finally:
                self.progress = (0, 0)

    def _common(self) -> int:
        """Return the last round that both have completed."""
        starts = []
        for folder in self._folders:
            with self._registry.readers.reading(folder) as reader:
                starts.append((reader.log.genesis(), reader.log.complete_rounds()))
        if starts[0][0].digest != starts[1][0].digest:
            raise BadInput("the runs have different people or items; compare branches or arms")
        upto = min(done for _, done in starts)
        if not upto:
            raise BadInput("the runs have no complete round in common; let them go on")
        if self._diff is None or self._diff.upto > upto:
            self._diff = LogDiff(starts[0][0])
        return upto

    def _compared(self, names: tuple[str, str], upto: int, since: int) -> ComparisonReply:
        self._read(upto)
        with _Both(self._registry, self._folders) as (mine, theirs):
            arms = tuple(
                Arm(name, (_measured(reader, upto, since),))
                for name, reader in zip(names, (mine, theirs), strict=True)
            )
            scenarios = dict(zip(names, (mine.scenario, theirs.scenario), strict=True))
            result = findings(mine.scenario, arms, marks_of(scenarios))
        diff = self._diff
        assert diff
        metrics = [_metric_row(line) for line in summary(result)]
        verdict = " ".join((result.verdict, *result.notes))
        return ComparisonReply(upto, verdict, metrics, diff.first, diff.picks, diff.chats, since)

    def _read(self, upto: int) -> None:
        """Read both up to the end of a round, round by round, so that other readers get a turn."""
        assert self._diff
        for place, folder in enumerate(self._folders):
            at = -1
            while at < upto:
                with self._registry.readers.reading(folder) as reader:
                    at = reader.measure_on(upto)
                self.progress = (place * upto + at, 3 * upto)
        for round_ in range(self._diff.upto + 1, upto + 1):
            with _Both(self._registry, self._folders) as (mine, theirs):
                self._diff.carry(mine.log, theirs.log, round_)
            self.progress = (2 * upto + round_, 3 * upto)


def _measured(reader: Reader, upto: int, since: int) -> Measured:
    """Return the numbers of a run, of the rounds after `since` alone."""
    whole = measurement(reader.log, reader.measured(upto))
    if not since:
        return whole
    later = reader.measured_since(since, upto)
    rounds = tuple(later.by_round())
    return replace(whole, totals=later.value(), rounds=rounds, agents=later.per_agent())


class _Both:
    """Holds the readers of two runs, always in the same order to avoid a deadlock."""

    def __init__(self, registry: RunRegistry, folders: tuple[Path, Path]) -> None:
        self._registry, self._folders = registry, folders
        self._stack = ExitStack()

    def __enter__(self) -> tuple[Reader, Reader]:
        readers = {
            folder: self._stack.enter_context(self._registry.readers.reading(folder))
            for folder in sorted(set(self._folders))
        }
        return readers[self._folders[0]], readers[self._folders[1]]

    def __exit__(self, *error: object) -> None:
        self._stack.close()


def _metric_row(line: Line) -> MetricRow:
    a, b = line.cells
    row = (line.metric, line.label, line.unit, line.better, mean_over(line.cells), a.mean, b.mean)
    if not line.contrasts:  # one of the two has no such number
        return MetricRow(*row, None, None, None, None, 0, "")
    (paired,) = line.contrasts
    difference = paired.difference, paired.low, paired.high, paired.percent
    return MetricRow(*row, *difference, paired.pairs, paired.judgement)
