"""A year of 1,000 people by own clocks against the same number of visits in daily rounds."""

from __future__ import annotations

import sys
from pathlib import Path
from time import process_time
from typing import Any

from audience.engine import windows
from audience.engine.agenda import window_of
from audience.log import Log
from audience.scenario import Scenario
from audience.world import VISITS
from benchmarks.measuring import one_core, place, row, scenario, tell, timed

PEOPLE, DAYS, WEEKLY = 1_000, 365, 4
TURNS = 2
"""The machine is shared: both ways take turns, and their best processor times are compared."""


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
                before = process_time()
                timed(_wanted(kind, days), folder / f"{kind} {turn}")
                took = process_time() - before
                times.append((took, *_visits(folder / f"{kind} {turn}" / "run")))
    own, rounds = min(runs["own"]), min(runs["rounds"])
    # Their numbers of visits are close, not equal: the time of one visit is what is compared.
    ratio = (own[0] / own[1]) / (rounds[0] / rounds[1])
    again = max(len(ran) - own[1], 0)
    what = f"{days} days of {PEOPLE:,} people, {WEEKLY} visits a week: {own[1]:,} visits in "
    what += f"{own[2]:,} windows, {again:,} run again; {rounds[1]:,} visits in daily rounds"
    measured = f"{ratio:.2f} times ({own[0]:.1f} s, {rounds[0]:.1f} s)"
    kept = ("a visit by own clocks, in those of rounds", ratio, "")
    tell(row(what, measured, "at most 1.5 times", ratio <= 1.5, kept=kept))


def _wanted(kind: str, days: int) -> Scenario:
    activation = {"share": WEEKLY / 7, "loyalty": 0.0, "method": "random"}
    return scenario(agents=PEOPLE, rounds=days, time=kind, activation=activation)


def _counted() -> list[int]:
    """Return a list to which the person of each visit is added that is run."""
    ran: list[int] = []
    begun = windows.begun

    def counting(sim: Any, row: Any, *rest: Any) -> Any:  # noqa: ANN401
        ran.append(row.agent)
        return begun(sim, row, *rest)

    setattr(windows, "begun", counting)  # noqa: B010
    return ran


def _visits(folder: Path) -> tuple[int, int]:
    """Return how many visits a run has, and in how many windows they were."""
    with Log.open(folder) as log:
        places = [(one.round, window_of(one.rank)) for one in log.chapters(phase=VISITS)]
    return len(places), len(set(places))


if __name__ == "__main__":
    main()
