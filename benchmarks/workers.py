"""One run in two processes against one, beside what two processes give here at all.

That is measured for a plain loop, and for two whole runs beside each other: they share nothing but
the caches and the memory of the machine, so nothing that is one run can gain more.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from audience.engine import cores
from audience.runs import start
from benchmarks.measuring import clock, everybody_awake, place, row, tell

TURNS = 3
LOOP = 20_000_000


def loop(times: int) -> float:
    """Return how long this process takes for a plain loop."""
    began = clock()
    for _ in range(times):
        pass
    return clock() - began


def machine() -> float:
    """Return how much more of a plain loop two processes do in the time of one."""
    alone = loop(LOOP)
    began = clock()
    if (pid := os.fork()) == 0:
        loop(LOOP)
        os._exit(0)
    loop(LOOP)
    os.waitpid(pid, 0)
    return 2 * alone / (clock() - began)


def begun(agents: int, rounds: int, workers: int, folder: Path) -> subprocess.Popen[str]:
    """Begin a run in a process of its own, as a user's run is."""
    told = map(str, (agents, rounds, workers, folder))
    command = [sys.executable, "-m", "benchmarks.workers", *told]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def ended(run: subprocess.Popen[str]) -> tuple[float, str]:
    """Return how long a run took, and its digest."""
    said, _ = run.communicate()
    if run.returncode:
        raise subprocess.CalledProcessError(run.returncode, run.args)
    seconds, digest = json.loads(said.splitlines()[-1])
    return seconds, digest


def one_of_two(agents: int, rounds: int, folder: Path) -> float:
    """Return how long a whole run takes beside another one in another process."""
    runs = [begun(agents, rounds, 1, folder / name) for name in ("one", "other")]
    return max(ended(run)[0] for run in runs)


def compared(agents: int, rounds: int, turns: int) -> dict[str, object]:
    """Return the ratio of the best times with one and with two workers, taken in turn."""
    times: dict[int, list[float]] = {1: [], 2: []}
    digests: set[str] = set()
    plain, beside = [], []
    for _ in range(turns):
        plain.append(machine())
        for workers, taken in times.items():
            with place() as folder:
                took, digest = ended(begun(agents, rounds, workers, folder))
            taken.append(took)
            digests.add(digest)
        with place() as folder:
            beside.append(one_of_two(agents, rounds, folder))
    ratio = min(times[1]) / min(times[2])
    return row(
        f"{agents:,} people all awake, {rounds} rounds, 2 workers against 1",
        f"{ratio:.2f} times ({min(times[1]):.1f} s, {min(times[2]):.1f} s, best of {turns}); "
        f"a plain loop {max(plain):.2f} times, two whole runs "
        f"{2 * min(times[1]) / min(beside):.2f} times; "
        f"{len(digests)} digest",
        "1.7 times, one digest",
        ratio >= 1.7 and len(digests) == 1,
        kept=(f"2 workers, {agents:,} people", ratio, "times"),
    )


def main() -> None:
    if cores() < 2:
        tell(row("2 workers against 1", "there is one core here", "1.7 times", False))
        return
    tell(compared(10_000, 5, TURNS), compared(100_000, 2, TURNS))


def run(agents: str, rounds: str, workers: str, folder: str) -> None:
    wanted = everybody_awake(int(agents), int(rounds))
    done = start(wanted, 1, Path(folder) / "run", workers=int(workers))
    print(json.dumps([done.seconds, done.measured.digest]))


if __name__ == "__main__":
    run(*sys.argv[1:]) if sys.argv[1:] else main()
