"""One run shared among the nodes of a Ray cluster; `python -m tests.runs.one_run_on_two_nodes DIR`.

Only ever started where there is no network but loopback. All actors are killed as a round opens,
then a node within one, then the run is stopped within a round and resumed; what came of it is one
line of JSON.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from pathlib import Path
from typing import Any

from audience.errors import BadInput, Interrupted
from audience.log import Log
from audience.runs import resume, start
from audience.runs.ray_crew import Member, RayCrew
from audience.runs.ray_pool import RayPool
from audience.scenario import parse
from audience.world import VISITS, Chapter, View, World

SCENARIO = """
agents = 1500
rounds = 4
recommender = "ease"
[activation]
method = "random"
share = 0.9
"""
SEED = 3


class Mortal(Member):
    """An actor that can be asked which process it is."""

    def process(self) -> int:
        return os.getpid()


class WatchedCrew(RayCrew):
    """A crew that something happens to when a round opens or after some of its visits."""

    def __init__(
        self, pool: RayPool, log: Log, world: World, happens: dict[tuple[int, int], Any]
    ) -> None:
        ray: Any = pool._ray
        super().__init__(ray, log, world, lambda: pool.size)
        self._make = ray.remote(num_cpus=1, max_restarts=0)(Mortal)
        self._happens, self._visits = happens, 0
        self.begun: list[int] = []

    def hear(self, chapter: Chapter, view: View) -> None:
        super().hear(chapter, view)
        self._visits = self._visits + 1 if chapter.phase == VISITS else 0
        if happen := self._happens.get((chapter.round, self._visits)):
            del self._happens[chapter.round, self._visits]
            happen(self)

    def _fill_seats(self) -> None:
        before = len(self._seats)
        super()._fill_seats()
        complete = self._departure[0]
        self.begun += [complete] * (len(self._seats) - before)


def kill_all_actors(crew: WatchedCrew) -> None:
    for process in crew._ray.get([seat.actor.process.remote() for seat in crew._seats]):
        os.kill(process, signal.SIGKILL)


def main(folder: Path) -> dict[str, Any]:
    assert {name for _, name in socket.if_nameindex()} == {"lo"}, "only inside a namespace"
    from ray.cluster_utils import Cluster

    cluster: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    second = cluster.add_node(num_cpus=1)
    scenario, found, crews = parse(SCENARIO), dict[str, Any](), list[WatchedCrew]()
    stopped: list[bool] = []
    happens = {
        (2, 0): kill_all_actors,
        (3, 200): lambda crew: cluster.remove_node(second, allow_graceful=False),
    }
    with RayPool(cluster.address, 0) as pool:

        def recruit(log: Log, world: World) -> WatchedCrew:
            crews.append(WatchedCrew(pool, log, world, happens))
            return crews[-1]

        done = start(scenario, SEED, folder / "killed", recruit=recruit)
        found["killed"], found["begun"] = done.measured.digest, crews[0].begun
        found["left"] = sorted(happens)
        happens[3, 200] = lambda crew: stopped.append(True)
        try:
            start(
                scenario, SEED, folder / "stopped", recruit=recruit, stopping=lambda: any(stopped)
            )
        except Interrupted as stop:
            found["stopped"] = str(stop)
        with Log.open(folder / "stopped") as log:
            found["partial"] = len(log.partial(3))
        done = resume(folder / "stopped", recruit=pool.recruit)
        found["resumed"] = done.measured.digest
        try:
            missing = "agents = 600\nrounds = 1\nrecommender = '/nowhere/mine.py:Mine'\n"
            start(parse(missing), SEED, folder / "bad", recruit=pool.recruit)
        except BadInput as error:
            found["bad"] = str(error)
    cluster.shutdown()
    return found


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(Path(sys.argv[1]))) + "\n")
