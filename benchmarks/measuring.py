"""What the benchmarks share."""

from __future__ import annotations

import gc
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from audience.runs import Finished, start
from audience.scenario import Scenario, from_tree


def one_core() -> None:
    """Keep this process on one core."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


@contextmanager
def place() -> Iterator[Path]:
    """Give a folder that is gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="audience-bench-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def scenario(**tree: object) -> Scenario:
    return from_tree(tree, "benchmark")


def everybody_awake(agents: int, rounds: int) -> Scenario:
    """Return the scenario of the decision benchmark: all awake, rule minds, memory off."""
    return scenario(
        agents=agents,
        rounds=rounds,
        activation={"method": "random", "share": 1.0, "loyalty": 0.0},
    )


def timed(wanted: Scenario, folder: Path) -> Finished:
    gc.collect()
    return start(wanted, 1, folder / "run")


def alone(module: str, function: str, folder: Path) -> dict[str, float]:
    """Return what a function of a module measures in a process of its own, given a folder."""
    code = (
        "import importlib, json, sys; from pathlib import Path; "
        f"print(json.dumps(importlib.import_module({module!r}).{function}(Path(sys.argv[1]))))"
    )
    command = [sys.executable, "-c", code, str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def row(
    what: str, measured: str, bar: str, met: bool, *, kept: tuple[str, float, str] | None = None
) -> dict[str, object]:
    """Return a line of the table; `kept` is its name, number and unit in the history."""
    told: dict[str, object] = {"what": what, "measured": measured, "bar": bar, "met": bool(met)}
    if kept is not None:
        told |= {"name": kept[0], "figure": float(kept[1]), "unit": kept[2]}
    return told


def tell(*rows: dict[str, object]) -> None:
    print(json.dumps(rows))


def peak_gigabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def clock() -> float:
    return time.perf_counter()
