"""16 runs of 1,000 people, and a single run, on two Ray nodes with a core each, beside one process.

Ray listens on every interface, so the benchmark starts itself again in a network of its own.
"""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from typing import Any

from audience.runs import Outcome, Pool, conduct, pool_of
from audience.scenario import Scenario, changed
from benchmarks.measuring import clock, everybody_awake, place, row, scenario, tell

BAR, ROUNDS = 1.7, 10
ALONE = "unshare --user --map-root-user --net --pid --fork --kill-child --mount-proc".split()
INSIDE = 'ip link set lo up && exec "$0" -m benchmarks.cluster'
SLOW = """
import time
import numpy as np

class Slow:
    def fit(self, interactions, rng):
        self.items = len(interactions.catalogue.weights)
        return self

    def rank(self, users, k, context):
        until = time.process_time() + 0.002 * len(users)
        while time.process_time() < until:
            pass
        slates = np.full((len(users), k), -1)
        for row, out in enumerate(context.exclude):
            out = set(out)
            some = [item for item in range(self.items) if item not in out][:k]
            slates[row, : len(some)] = some
        return slates
"""
"""A recommender that thinks 2 ms about each person, as a large one does."""


def sixteen() -> Scenario:
    arms = {name: {"recommender": name} for name in ("popular", "ease")}
    return scenario(agents=1000, rounds=ROUNDS, seeds=8, arms=arms)


def seconds_of(wanted: Scenario, folder: Path, pool: Pool | None) -> tuple[float, Outcome]:
    began = clock()
    outcome = conduct(wanted, folder, pool=pool)
    return clock() - began, outcome


def compared(what: str, wanted: Scenario, address: str, bar: float) -> dict[str, object]:
    """Return how many times faster two nodes are than one process."""
    with place() as folder:
        one, here = seconds_of(wanted, folder / "one", None)
        with pool_of(2, address) as pool:
            two, there = seconds_of(wanted, folder / "two", pool)
    digests = [[done.measured.digest for done in each.finished] for each in (here, there)]
    equal = digests[0] == digests[1]
    said = f"{one / two:.2f} times ({one:.0f} s, {two:.0f} s); {'the same' if equal else 'OTHER'}"
    asked = f"{bar} times; the same" if bar else "the same"
    return row(
        f"{what} on two Ray nodes, beside one process; digests",
        said,
        asked,
        one / two >= bar and equal,
    )


def main() -> None:
    from ray.cluster_utils import Cluster

    cluster: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    cluster.add_node(num_cpus=1)
    rows = [compared("16 runs of 1,000 people", sixteen(), cluster.address, BAR)]
    with place() as folder:
        (folder / "slow.py").write_text(SLOW)
        for rounds, kind, what in (
            (5, "popular", "one run of 10,000 people"),
            (1, f"{folder / 'slow.py'}:Slow", "one round of it, 2 ms a slate,"),
        ):
            wanted = changed(everybody_awake(10_000, rounds), recommender=kind)
            rows.append(compared(what, wanted, cluster.address, 0.0))
    tell(*rows)
    cluster.shutdown()


if __name__ == "__main__":
    if {name for _, name in socket.if_nameindex()} == {"lo"}:
        main()
    else:
        os.execvp(ALONE[0], [*ALONE, "sh", "-c", INSIDE, sys.executable])
