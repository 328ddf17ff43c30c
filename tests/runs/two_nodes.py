"""A Ray cluster of two nodes in a network of its own; `python -m tests.runs.two_nodes FOLDER`.

Ray listens on every interface, so this is only ever started where there is none but loopback. A
worker process is killed, then a node; what was done is printed as one line of JSON.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any

import msgspec

from audience.errors import BadInput
from audience.lab.evaluation import evaluate, memory_values
from audience.llm import Budget
from audience.runs import Attendant, PoolTask, conduct, pool_for, variants
from audience.runs.jobs import finished_of, perform_run, run_task
from audience.runs.ray_pool import RayPool
from audience.scenario import Scenario, parse

MEMORIES = ("last", "none")
LIVES: dict[str, Any] = {"people": 2, "rounds": 16, "seeds": 1}
SCENARIO = """
agents = 30
rounds = 2
seeds = 3
recommender = "popular"
[arms.popular]
[arms.ease]
recommender = "ease"
"""


def perform_counted(root: Path, given: dict[str, Any], attendant: Attendant) -> bytes:
    """Run what a task is about, leaving marks of when it began and ended; be killed once."""
    import ray

    marks, node = Path(given["marks"]), ray.get_runtime_context().get_node_id()
    with (marks / "began.txt").open("a") as file:
        file.write(f"{given['place']} {node}\n")
    if given["place"] == given["dies"] and not (marks / "died").exists():
        (marks / "died").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    done = perform_run(root, given, attendant)
    if given["waits"]:  # still there when its node is killed
        while not (marks / "node-killed").exists():
            time.sleep(0.02)
    return done


def tasks_of(scenario: Scenario, folder: Path, marks: Path) -> list[PoolTask]:
    tasks: list[PoolTask] = []
    for seed in range(1, scenario.seeds + 1):
        for name, arm in variants(scenario).items():
            place = f"{name}/seed-{seed}"
            task = run_task(f"{name}, seed {seed}", arm, seed, folder, place)
            own = {"marks": str(marks), "dies": "ease/seed-1", "waits": len(tasks) > 2}
            call = "tests.runs.two_nodes:perform_counted"
            tasks.append(msgspec.structs.replace(task, given=task.given | own, call=call))
    return tasks


def begun(marks: Path) -> list[tuple[str, str]]:
    """Return the runs that were begun, each with its node."""
    lines = (marks / "began.txt").read_text().splitlines()
    return [(line.split()[0], line.split()[1]) for line in lines]


def waiting_on(node: str, marks: Path) -> list[str]:
    """Return the runs that wait on a node, as soon as there is one."""
    while True:
        there = [place for place, where in begun(marks) if where == node]
        if there and there[-1] in ("ease/seed-2", "popular/seed-3", "ease/seed-3"):
            return there[-1:]
        time.sleep(0.05)


def main(folder: Path) -> dict[str, Any]:
    """Do six runs while a worker and then a node are killed, and return what happened."""
    assert {name for _, name in socket.if_nameindex()} == {"lo"}, "only inside a namespace"
    from ray.cluster_utils import Cluster

    scenario, marks = parse(SCENARIO), folder / "marks"
    marks.mkdir(parents=True)
    cluster: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    second = cluster.add_node(num_cpus=1)
    found: dict[str, Any] = {"digests": {}}
    with RayPool(cluster.address, 0) as pool:
        found["size"] = pool.size
        tasks = tasks_of(scenario, folder / "both", marks)
        for task, result in pool.work(tasks, lambda rounds, runs: None, lambda: False):
            done = finished_of(result, Path(task.root) / task.places[0])
            found["digests"][task.places[0]] = done.measured.digest
            assert (folder / "both" / task.places[0] / "run.db").is_file()
            if len(found["digests"]) == 2:
                found["before"] = list(found["digests"])
                found["lost"] = waiting_on(second.node_id, marks)
                cluster.remove_node(second, allow_graceful=False)
                (marks / "node-killed").touch()
        found["began"] = [place for place, _ in begun(marks)]
        found["size_after"] = pool.size
    (folder / "both" / "popular" / "seed-2" / "run.db").unlink()
    (folder / "both" / "popular" / "seed-2" / "metrics.msgpack").unlink()
    runs: list[int] = []
    before = {path: path.stat().st_mtime_ns for path in (folder / "both").glob("*/*/run.db")}
    (folder / "both" / "experiment.toml").write_text(_text(scenario))
    with pool_for(list(variants(scenario).values()), cluster=cluster.address) as again:
        count = lambda rounds, done: runs.append(done)  # noqa: E731
        outcome = conduct(scenario, folder / "both", pool=again, counted=count)
        lent = "tests.runs.test_shared_budget:lent"
        given: dict[str, Any] = {"dies": False, "uses": 3}
        tasks = [PoolTask(str(n), lent, given, str(folder)) for n in range(3)]
        told = again.work(tasks, lambda *_: None, lambda: False, Budget(calls=40))
        found["lent"] = [int(part) for _, part in told]
        found["evaluated"] = memory_values(evaluate(MEMORIES, **LIVES, pool=again))
    found["again"] = [done.measured.digest for done in outcome.finished]
    found["kept"] = all(path.stat().st_mtime_ns == kept for path, kept in before.items())
    cluster.shutdown()
    try:
        RayPool("127.0.0.1:6", 0)
    except BadInput as error:
        found["unreachable"] = str(error)
    return found


def _text(scenario: Scenario) -> str:
    from audience.scenario import text_of

    return text_of(scenario)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(Path(sys.argv[1]))) + "\n")
