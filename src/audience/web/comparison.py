"""Where two logs part: the first decision that differs, and what one has that the other lacks."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Query
from starlette.responses import Response

from audience.errors import BadInput
from audience.log import Log
from audience.metrics import LABELS
from audience.results import Arm
from audience.runs import Teller, findings, measurement
from audience.web.readers import Reader
from audience.web.replies import told
from audience.web.run_registry import Hall
from audience.world import Genesis, events as e

EXAMPLES = 25
Place = tuple[int, int, int, int]


class Parting:
    """The first decision that differs, and what one has picked and said alone."""

    def __init__(self, genesis: Genesis) -> None:
        self.upto = 0
        self._tellers = Teller(genesis), Teller(genesis)
        self._first: dict[str, Any] | None = None
        self._kinds: dict[type, str] = {e.Picked: "picks", e.Said: "chats"}
        self._found: dict[str, dict[str, Any]] = {
            name: {"a": 0, "b": 0, "same": 0, "only_a": [], "only_b": []}
            for name in self._kinds.values()
        }

    @property
    def told(self) -> dict[str, Any]:
        return {"first_difference": self._first, **self._found}

    def carry(self, mine: Log, theirs: Log, upto: int) -> None:
        """Go on to the end of a round."""
        tellers = self._tellers
        for place, ours, others in _aligned(mine, theirs, self.upto + 1 if self.upto else 0, upto):
            for teller, chapter in zip(tellers, (ours, others), strict=True):
                for entry in chapter.entries if chapter else ():
                    teller.learn(entry.event)
            if self._first is None and ours != others and place[1] in (e.VISITS, e.CONVERSATIONS):
                self._first = _difference(place, ours, others, tellers)
            for kind, name in self._kinds.items():
                _count(self._found[name], kind, place, (ours, others), tellers)
        self.upto = upto


def _aligned(
    mine: Log, theirs: Log, begin: int, upto: int
) -> Iterator[tuple[Place, e.Chapter | None, e.Chapter | None]]:
    """Yield the chapters of two logs side by side, in the order of the log."""
    left = mine.chapters(begin_round=begin, end_round=upto + 1)
    right = theirs.chapters(begin_round=begin, end_round=upto + 1)
    one, two = next(left, None), next(right, None)
    while one or two:
        places = [_place(chapter) for chapter in (one, two) if chapter]
        place = min(places)
        ours = one if one and _place(one) == place else None
        others = two if two and _place(two) == place else None
        yield place, ours, others
        one = next(left, None) if ours else one
        two = next(right, None) if others else two


def _place(chapter: e.Chapter) -> Place:
    return chapter.round, chapter.phase, chapter.rank, chapter.agent


def _difference(
    place: Place,
    ours: e.Chapter | None,
    others: e.Chapter | None,
    tellers: tuple[Teller, Teller],
) -> dict[str, Any]:
    entries = zip_longest(ours.entries if ours else (), others.entries if others else ())
    for one, two in entries:
        if one != two:
            break
    else:
        one = two = None
    who = place[3]
    return {
        "round": place[0],
        "phase": place[1],
        "agent": who if who >= 0 else None,
        "name": tellers[0].names.get(who, "") if who >= 0 else "",
        "a": _entry(one, tellers[0]),
        "b": _entry(two, tellers[1]),
    }


def _entry(entry: e.Entry | None, teller: Teller) -> dict[str, Any] | None:
    if entry is None:
        return None
    event = entry.event
    return {
        "event": msgspec.to_builtins(event),
        "text": teller.line(event).strip() or type(event).__name__,
        "cause": entry.cause,
        "calls": entry.calls,
    }


def _count(
    row: dict[str, Any],
    kind: type,
    place: Place,
    chapters: tuple[e.Chapter | None, e.Chapter | None],
    tellers: tuple[Teller, Teller],
) -> None:
    found = [
        [entry.event for entry in chapter.entries if isinstance(entry.event, kind)]
        if chapter
        else []
        for chapter in chapters
    ]
    row["a"] += len(found[0])
    row["b"] += len(found[1])
    row["same"] += sum(one in found[1] for one in found[0])
    for side, mine, theirs in (("only_a", 0, 1), ("only_b", 1, 0)):
        for event in found[mine]:
            if event not in found[theirs] and len(row[side]) < EXAMPLES:
                row[side].append(_example(event, place[0], tellers[mine]))


def _example(event: Any, round_: int, teller: Teller) -> dict[str, Any]:  # noqa: ANN401
    who = event.agent
    if isinstance(event, e.Picked):
        text = teller.titles[event.item]
    else:
        text = f"to {teller.names.get(event.to, event.to)}: {event.text}"
    return {"round": round_, "agent": who, "name": teller.names.get(who, ""), "text": text}


PAIRS = 8
RunIn = Annotated[str, Query(max_length=1000)]


def router(hall: Hall) -> APIRouter:
    """Return the ways to comparisons."""
    api = APIRouter()
    comparisons = Comparisons(hall)

    @api.get("/compare", response_class=Response)
    def compare(a: RunIn, b: RunIn) -> Response:
        """Return two runs side by side, person by person, up to the last round both have."""
        names = (a, b if a != b else f"{b} again")
        folders = hall.shelf.folder_of(a), hall.shelf.folder_of(b)
        return told(comparisons.pair(*folders).compared(names))

    @api.get("/compare/progress", response_class=Response)
    def progress(a: RunIn, b: RunIn) -> Response:
        """Return how many rounds of a comparison that goes on are read, and of how many."""
        folders = hall.shelf.folder_of(a), hall.shelf.folder_of(b)
        done, total = comparisons.pair(*folders).progress
        return told({"done": done, "total": total})

    return api


class Comparisons:
    """The comparisons made last."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._lock = threading.Lock()
        self._pairs: OrderedDict[tuple[object, ...], ComparedPair] = OrderedDict()

    def pair(self, one: Path, two: Path) -> ComparedPair:
        lives = self._hall.lives
        key = (one, lives.get(one, 0), two, lives.get(two, 0))
        with self._lock:
            found = self._pairs.setdefault(key, ComparedPair(self._hall, (one, two)))
            self._pairs.move_to_end(key)
            while len(self._pairs) > PAIRS:
                self._pairs.popitem(last=False)
        return found


class ComparedPair:
    """Two runs, and how far they have been compared."""

    def __init__(self, hall: Hall, folders: tuple[Path, Path]) -> None:
        self._hall, self._folders = hall, folders
        self._lock = threading.Lock()
        self._parting: Parting | None = None
        self.progress = (0, 0)
        """Rounds read of both, and how many there are to read."""

    def compared(self, names: tuple[str, str]) -> dict[str, Any]:
        """Return paired differences, where the two part, and what each picked and said alone."""
        with self._lock:
            upto = self._common()
            try:
                return self._compared(names, upto)
            finally:
                self.progress = (0, 0)

    def _common(self) -> int:
        """Return the last round that both have ended."""
        found = []
        for folder in self._folders:
            with self._hall.readers.reading(folder) as reader:
                found.append((reader.log.genesis(), reader.log.complete_rounds()))
        if found[0][0].digest != found[1][0].digest:
            raise BadInput("the two begin with different people or items; compare branches or arms")
        upto = min(done for _, done in found)
        if not upto:
            raise BadInput("there is no round that both have ended; let them go on")
        if self._parting is None or self._parting.upto > upto:
            self._parting = Parting(found[0][0])
        return upto

    def _compared(self, names: tuple[str, str], upto: int) -> dict[str, Any]:
        self._read(upto)
        with self._both() as (mine, theirs):
            arms = tuple(
                Arm(name, (measurement(reader.log, reader.measured(upto)),))
                for name, reader in zip(names, (mine, theirs), strict=True)
            )
            found = findings(mine.scenario, arms)
        assert self._parting
        return {
            "rounds": upto,
            "verdict": found.verdict,
            "metrics": _metrics(found.differences),
            **self._parting.told,
        }

    def _read(self, upto: int) -> None:
        """Read both to the end of a round, one round at a time: others look at them meanwhile."""
        assert self._parting
        for place, folder in enumerate(self._folders):
            at = -1
            while at < upto:
                with self._hall.readers.reading(folder) as reader:
                    at = reader.measure_on(upto)
                self.progress = (place * upto + at, 3 * upto)
        for round_ in range(self._parting.upto + 1, upto + 1):
            with self._both() as (mine, theirs):
                self._parting.carry(mine.log, theirs.log, round_)
            self.progress = (2 * upto + round_, 3 * upto)

    def _both(self) -> _Both:
        return _Both(self._hall, self._folders)


class _Both:
    """Holds the readers of two runs, always in the same order, so that nobody waits in a ring."""

    def __init__(self, hall: Hall, folders: tuple[Path, Path]) -> None:
        self._hall, self._folders = hall, folders
        self._stack = ExitStack()

    def __enter__(self) -> tuple[Reader, Reader]:
        readers = {
            folder: self._stack.enter_context(self._hall.readers.reading(folder))
            for folder in sorted(set(self._folders))
        }
        return readers[self._folders[0]], readers[self._folders[1]]

    def __exit__(self, *error: object) -> None:
        self._stack.close()


def _metrics(differences: tuple[Any, ...]) -> list[dict[str, Any]]:
    rows = []
    for one in differences:
        label, unit, better = LABELS.get(one.metric, (one.metric, "", ""))
        rows.append(
            {
                "name": one.metric,
                "label": label,
                "unit": unit,
                "better": better,
                "a": one.reference_mean,
                "b": one.other_mean,
                "difference": one.difference,
                "low": one.low,
                "high": one.high,
                "percent": one.percent,
                "pairs": one.pairs,
                "clear": one.is_clear,
            }
        )
    return rows
