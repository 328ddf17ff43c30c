"""16 runs of 1,000 people on a Ray cluster of two nodes with a core each, beside one process.

Ray listens on every interface, so the benchmark starts itself again in a network of its own.
"""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from typing import Any

from audience.runs import Outcome, Pool, conduct, pool_of
from benchmarks.measuring import clock, place, row, scenario, tell

BAR, ROUNDS = 1.7, 10
ALONE = "unshare --user --map-root-user --net --pid --fork --kill-child --mount-proc".split()
INSIDE = 'ip link set lo up && exec "$0" -m benchmarks.cluster'


def seconds_of(folder: Path, pool: Pool | None) -> tuple[float, Outcome]:
    arms = {name: {"recommender": name} for name in ("popular", "ease")}
    wanted = scenario(agents=1000, rounds=ROUNDS, seeds=8, arms=arms)
    began = clock()
    outcome = conduct(wanted, folder, pool=pool)
    return clock() - began, outcome


def main() -> None:
    from ray.cluster_utils import Cluster

    with place() as folder:
        one, here = seconds_of(folder / "one", None)
        cluster: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
        cluster.add_node(num_cpus=1)
        with pool_of(2, cluster.address) as pool:
            two, there = seconds_of(folder / "two", pool)
        cluster.shutdown()
    digests = [[done.measured.digest for done in each.finished] for each in (here, there)]
    equal = digests[0] == digests[1]
    said = f"{one / two:.2f} times ({one:.0f} s, {two:.0f} s); {'the same' if equal else 'OTHER'}"
    what = "16 runs of 1,000 people on two Ray nodes, beside one process; digests"
    tell(row(what, said, f"{BAR} times; the same", one / two >= BAR and equal))


if __name__ == "__main__":
    if {name for _, name in socket.if_nameindex()} == {"lo"}:
        main()
    else:
        os.execvp(ALONE[0], [*ALONE, "sh", "-c", INSIDE, sys.executable])
