"""Every study as it is shipped: rule minds, 300 people, 10 rounds, 5 seeds, on two cores.

`python -m benchmarks.studies NAME…` measures some of them.
"""

from __future__ import annotations

import sys
from pathlib import Path

from audience.lab.studies import NAMES, conduct_study, find, with_changes, write_study
from benchmarks.measuring import clock, place, row, tell

SECONDS = 120.0


def seconds_of(name: str, folder: Path) -> float:
    """Return how long a study takes with its report and all files."""
    recipe = with_changes(find(name), {"agents": 300, "rounds": 10, "seeds": 5})
    began = clock()
    studied = conduct_study(recipe, folder / name, workers=2)
    write_study(studied, f"audience study {name}")
    seconds = clock() - began
    print(f"{name}: {seconds:.1f} s. {studied.findings.verdict}", file=sys.stderr, flush=True)
    return seconds


def main() -> None:
    rows = []
    for name in sys.argv[1:] or NAMES:
        with place() as folder:
            seconds = seconds_of(name, folder)
        said = f"{seconds:.0f} s"
        kept = (f"study {name}", seconds, "s")
        bar = f"under {SECONDS:.0f} s"
        rows.append(row(f"study {name}", said, bar, seconds < SECONDS, kept=kept))
    tell(*rows)


if __name__ == "__main__":
    main()
