"""A topic among 10,000 people on a directed graph, 20 steps; and a million ties read."""

from __future__ import annotations

import time

import numpy as np

from audience.datasets.people import edges_in
from audience.scenario import genesis_of, parse
from benchmarks.measuring import one_core, place, row, tell, timed

SCENARIO = """
agents = 10000
rounds = 20
mind = { kind = "rule", news_tell = -2.2 }
[spread]
graph = "preferential"
[[spread.topics]]
name = "the tram line"
text = "The council wants to build a tram line through the old town."
about = "A town council plans a tram."
seeds = 20
"""
BAR, TIES = 20.0, 10.0


def main() -> None:
    one_core()
    scenario = parse(SCENARIO)
    genesis_of(scenario, 1)
    seconds, decisions, reach = [], 0, 0.0
    for _ in range(2):
        with place() as folder:
            done = timed(scenario, folder)
        seconds.append(done.seconds)
        decisions, reach = done.decisions, done.measured.totals["reach"]
    best = min(seconds)
    told = f"{best:.1f} s ({decisions:,} decisions, {reach:.0%} of people reached)"
    what = "a topic among 10,000 people, 20 steps, rule minds"
    spread = row(what, told, "20 s", best < BAR, kept=("spread", best, "s"))
    read = _read()
    what, told = "a million ties read from a CSV file", f"{read:.1f} s"
    tell(spread, row(what, told, "10 s", read < TIES, kept=("ties", read, "s")))


def _read() -> float:
    rows = np.arange(1_000_000)
    firsts, others = rows % 50_000, (rows * 7 + 1) % 50_000
    with place() as folder:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "edges.csv"
        np.savetxt(path, np.stack([firsts, others], axis=1), fmt="%d", delimiter=",")
        began = time.perf_counter()
        edges_in(path, [""] * 50_000)
        return time.perf_counter() - began


if __name__ == "__main__":
    main()
