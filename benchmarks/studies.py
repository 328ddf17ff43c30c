"""All studies at once as a trial, and each as it is shipped: 300 people, 10 rounds, 5 seeds.

`python -m benchmarks.studies NAME…` measures some of them, `quick` is the trial.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from audience.lab.studies import NAMES, conduct_study, find, with_changes, write_study
from benchmarks.measuring import clock, place, row, tell

SECONDS = 120.0
QUICK = "quick"
QUICK_SECONDS = 70.0
"""Half of what it took before studies shared one pool, on two cores."""


def seconds_of(name: str, folder: Path) -> float:
    """Return how long a study takes with its report and all files."""
    recipe = with_changes(find(name), {"agents": 300, "rounds": 10, "seeds": 5})
    began = clock()
    studied = conduct_study(recipe, folder / name, workers=2)
    write_study(studied, f"audience study {name}")
    seconds = clock() - began
    print(f"{name}: {seconds:.1f} s. {studied.findings.verdict}", file=sys.stderr, flush=True)
    return seconds


def quick_seconds(folder: Path) -> float:
    """Return how long the command takes that runs all of them as a trial."""
    words = ["study", "all", "--quick", "--workers", "2", "--out", str(folder / "all"), "--json"]
    command = [sys.executable, "-c", "from audience.cli import main; main()", *words]
    began = clock()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return clock() - began


def main() -> None:
    rows = []
    for name in sys.argv[1:] or (QUICK, *NAMES):
        is_quick = name == QUICK
        with place() as folder:
            seconds = quick_seconds(folder) if is_quick else seconds_of(name, folder)
        bar = QUICK_SECONDS if is_quick else SECONDS
        what = "all studies --quick, two processes" if is_quick else f"study {name}"
        told = (what, f"{seconds:.0f} s", f"under {bar:.0f} s", seconds < bar)
        rows.append(row(*told, kept=(what, seconds, "s")))
    tell(*rows)


if __name__ == "__main__":
    main()
