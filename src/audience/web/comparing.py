"""Two runs side by side: paired differences, where they part, and what each did alone.

All of it is carried on round by round and kept, so that a branch on its way is compared again for
the price of its newest rounds; how far a first comparison is can be asked meanwhile.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from audience.errors import BadInput
from audience.experiments import findings
from audience.experiments.findings import Arm
from audience.experiments.measuring import measurement
from audience.metrics import LABELS
from audience.web.hall import Hall
from audience.web.parting import Parting
from audience.web.readers import Reader
from audience.web.replies import told

EXAMPLES = 25
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
        self._pairs: OrderedDict[tuple[object, ...], Pair] = OrderedDict()

    def pair(self, one: Path, two: Path) -> Pair:
        lives = self._hall.lives
        key = (one, lives.get(one, 0), two, lives.get(two, 0))
        with self._lock:
            found = self._pairs.setdefault(key, Pair(self._hall, (one, two)))
            self._pairs.move_to_end(key)
            while len(self._pairs) > PAIRS:
                self._pairs.popitem(last=False)
        return found


class Pair:
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
