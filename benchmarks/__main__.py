"""Run all benchmarks, or those named, each in a process of its own, and print one table."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

from rich.table import Table

from audience.terminal import Console

NAMES = (
    "genesis",
    "decisions",
    "scale",
    "million",
    "clocks",
    "branching",
    "recsim",
    "imports",
    "client",
    "hostile",
    "memory",
    "kills",
    "recommenders",
    "studies",
    "page",
    "page_browser",
    "page_large",
    "spread",
    "gate",
    "grounding",
)
ONE_CORE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def main() -> int:
    """Measure, print a table, and return 1 when a bar was missed."""
    wanted = sys.argv[1:] or NAMES
    rows = []
    for name in wanted:
        Console(stderr=True).print(f"[dim]measuring {name} …[/]")
        run = subprocess.run(
            [sys.executable, "-m", f"benchmarks.{name}"],
            env={**os.environ, **ONE_CORE},
            cwd=Path(__file__).parent.parent,
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode:
            print(run.stderr, file=sys.stderr)
            return 1
        rows += json.loads(run.stdout.strip().splitlines()[-1])
    table = Table("what", "measured", "bar", "", show_edge=False)
    for row in rows:
        table.add_row(row["what"], row["measured"], row["bar"], "met" if row["met"] else "MISSED")
    Console(width=120).print(table)
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}")
    return 0 if all(row["met"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
