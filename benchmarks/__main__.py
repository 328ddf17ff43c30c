"""Run a quick set of benchmarks, or those named, keep the result and tell what got slower."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from audience.results import write_figure
from audience.terminal import Console
from benchmarks.calibration import calibrate
from benchmarks.history import (
    FOLDER,
    SLOWER,
    KeptFigure,
    KeptResult,
    changes,
    history_figure,
    keep,
    kept_results,
    new_result,
    slower,
    this_machine,
)

QUICK = ("genesis", "decisions", "branching", "spread", "client")
NAMES = (
    *QUICK,
    "imports",
    "recsim",
    "scale",
    "workers",
    "million",
    "clocks",
    "servers",
    "hostile",
    "memory",
    "kills",
    "recommenders",
    "studies",
    "cluster",
    "page",
    "page_browser",
    "page_large",
    "page_million",
    "gate",
    "grounding",
)
REPEATS = 3
ONE_CORE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
Row = dict[str, Any]


def main(words: Sequence[str] | None = None) -> int:
    """Measure, print tables, keep the result, and return 1 when a bar was missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of: {', '.join(NAMES)}; or all")
    parser.add_argument(
        "--repeats", type=int, default=0, help="default: 3 of the quick set, else 1"
    )
    parser.add_argument("--no-keep", action="store_true", help="write nothing into results/")
    given = parser.parse_args(words)
    names = NAMES if given.names == ["all"] else tuple(given.names) or QUICK
    repeats = given.repeats or (1 if given.names else REPEATS)
    rows = measured(names, repeats)
    told = print_rows(rows)
    result = new_result(figures_of(rows))
    print_changes(result, repeats)
    if not given.no_keep and result.figures:
        path = keep(result)
        history = write_figure(history_figure(kept_results()), FOLDER / "history.svg")
        print(f"kept as {path.relative_to(FOLDER.parents[1])}; {history.name} shows all of them")
    return told


def measured(names: Sequence[str], repeats: int) -> list[list[Row]]:
    """Return the rows of each benchmark, in turn and so often, each with its calibration."""
    found: dict[tuple[str, int], list[Row]] = {}
    before = calibrate()
    for turn in range(repeats):
        for name in names:
            Console(stderr=True).print(f"[dim]measuring {name} ({turn + 1} of {repeats}) …[/]")
            rows = run(name)
            after = calibrate()
            for place, row in enumerate(rows):
                row["calibration"] = (before + after) / 2.0
                found.setdefault((name, place), []).append(row)
            before = after
    return list(found.values())


def run(name: str) -> list[Row]:
    """Return the rows of one benchmark, run in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{name}"],
        env={**os.environ, **ONE_CORE},
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        raise SystemExit(1)
    rows: list[Row] = json.loads(done.stdout.strip().splitlines()[-1])
    return rows


def figures_of(rows: Sequence[Sequence[Row]]) -> list[KeptFigure]:
    """Return the numbers that are kept of the repetitions of each row."""
    return [
        KeptFigure(
            repeated[0]["name"],
            repeated[0]["unit"],
            tuple(row["figure"] for row in repeated),
            tuple(row["calibration"] for row in repeated),
        )
        for repeated in rows
        if "figure" in repeated[0]
    ]


def print_rows(rows: Sequence[Sequence[Row]]) -> int:
    """Print each row as it was the median time, and return 1 if one missed its bar."""
    table = Table("what", "measured", "bar", "", show_edge=False)
    shown = [median_row(repeated) for repeated in rows]
    for row in shown:
        table.add_row(row["what"], row["measured"], row["bar"], "met" if row["met"] else "MISSED")
    Console(width=120).print(table)
    print(this_machine().name)
    return 0 if all(row["met"] for row in shown) else 1


def median_row(repeated: Sequence[Row]) -> Row:
    """Return the repetition with the median figure, the last one if there are no figures."""
    if "figure" not in repeated[0]:
        return repeated[-1]
    middle = statistics.median_low(row["figure"] for row in repeated)
    return next(row for row in repeated if row["figure"] == middle)


def print_changes(result: KeptResult, repeats: int) -> None:
    """Print what takes more of the machine's time than in the latest kept result."""
    found = changes(result, kept_results())
    if not found:
        print("no result of this kind of machine was kept before: nothing to compare with")
        return
    worse = slower(found)
    many = f"medians of {repeats} beside those kept, in the time of the calibration loop"
    if not worse:
        print(f"nothing got slower by more than {SLOWER:.0%} ({many})")
        return
    table = Table("slower", "before", "now", "takes more by", "since", show_edge=False)
    for change in worse:
        before, now, unit = change.before.value, change.now.value, change.now.unit
        cells = (f"{before:,.4g} {unit}", f"{now:,.4g} {unit}", f"{change.more:.0%}")
        table.add_row(change.now.name, *cells, change.commit)
    Console(width=120).print(table)
    print(many)


if __name__ == "__main__":
    sys.exit(main())
