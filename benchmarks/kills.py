"""kill -9 at 50 random moments: each resumed run has the digest of the uninterrupted one."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

from audience.log import Log
from audience.runs import resume, start
from audience.scenario import text_of
from audience.world import rng
from benchmarks.measuring import place, row, scenario, tell

KILLS = 50


def main() -> None:
    wanted = scenario(agents=400, rounds=8, run={"wave": 40})
    with place() as folder:
        (folder / "scenario.toml").write_text(text_of(wanted))
        whole = start(wanted, 1, folder / "whole")
        equal = interrupted = resumed = 0
        for number in range(KILLS):
            run = folder / f"run-{number}"
            delay = float(rng(1, "kill", number).uniform(0.05, whole.seconds + 0.6))
            resumed += kill_after(folder / "scenario.toml", run, delay)
            if not (run / "run.db").exists():
                interrupted += 1
                digest = start(wanted, 1, run).measured.digest
            else:
                with Log.open(run) as log:
                    interrupted += log.complete_rounds() < wanted.rounds
                digest = resume(run).measured.digest
            equal += digest == whole.measured.digest
    tell(
        row(
            f"kill -9 at {KILLS} random moments ({interrupted} before the end), then resume",
            f"{equal} of {KILLS} have the digest",
            "all",
            equal == KILLS,
        )
    )


def kill_after(scenario_file: Path, run: Path, delay: float) -> bool:
    """Start a run in a process of its own and kill it; say whether it was still running."""
    command = [
        sys.executable,
        "-m",
        "audience",
        "run",
        str(scenario_file),
        "--out",
        str(run),
        "--json",
    ]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 30
    while not (run / "run.db").exists() and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.002)
    time.sleep(delay)
    running = child.poll() is None
    child.send_signal(signal.SIGKILL)
    child.wait()
    return running


if __name__ == "__main__":
    main()
