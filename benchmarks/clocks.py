"""A year of 1,000 people by own clocks against the same number of visits in daily rounds."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from audience.engine import windows
from audience.log import Log
from audience.scenario import Scenario
from audience.world import VISITS
from benchmarks.measuring import one_core, place, row, scenario, tell, timed

PEOPLE, DAYS, WEEKLY = 1_000, 365, 4
TURNS = 2
"""The machine is shared: both ways take turns, and the ratio is that of their best times."""


def main() -> None:
    days = int(sys.argv[1]) if len(sys.argv) > 1 else DAYS
    one_core()
    runs: dict[str, list[tuple[float, int, int]]] = {"own": [], "rounds": []}
    ran = _counted()
    with place() as folder:
        for kind in runs:
            timed(_wanted(kind, 3), folder / f"warm {kind}")
        for turn in range(TURNS):
            for kind, times in runs.items():
                if kind == "own":
                    ran.clear()
                done = timed(_wanted(kind, days), folder / f"{kind} {turn}")
                times.append((done.seconds, *_visits(folder / f"{kind} {turn}" / "run")))
    own, rounds = min(runs["own"]), min(runs["rounds"])
    # Their numbers of visits are close, not equal: the time of one visit is what is compared.
    ratio = (own[0] / own[1]) / (rounds[0] / rounds[1])
    again = max(sum(ran) - own[1], 0)
    what = f"{days} days of {PEOPLE:,} people, {WEEKLY} visits a week: {own[1]:,} visits in "
    what += f"{own[2]:,} windows, {again:,} run again; {rounds[1]:,} visits in daily rounds"
    took = f"{ratio:.2f} times ({own[0]:.1f} s, {rounds[0]:.1f} s)"
    kept = ("a visit by own clocks, in those of rounds", ratio, "")
    tell(row(what, took, "at most 1.5 times", ratio <= 1.5, kept=kept))


def _wanted(kind: str, days: int) -> Scenario:
    activation = {"share": WEEKLY / 7, "loyalty": 0.0, "method": "random"}
    return scenario(agents=PEOPLE, rounds=days, time=kind, activation=activation)


def _counted() -> list[int]:
    """Return a list to which the number of visits of each wave is added."""
    ran: list[int] = []
    lived = windows.lived

    async def counting(sim: Any, rows: Sequence[Any], *rest: Any) -> None:  # noqa: ANN401
        ran.append(len(rows))
        await lived(sim, rows, *rest)

    setattr(windows, "lived", counting)  # noqa: B010
    return ran


def _visits(folder: Path) -> tuple[int, int]:
    """Return how many visits a run has, and in how many windows they were."""
    with Log.open(folder) as log:
        places = [(one.round, windows.window_of(one.rank)) for one in log.chapters(phase=VISITS)]
    return len(places), len(set(places))


if __name__ == "__main__":
    main()
