"""The files of an evaluation: result.json, the table as Markdown and CSV, the figure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from audience.experiments.evaluation import activity
from audience.experiments.evaluation.activity import Fit
from audience.experiments.evaluation.figure import side_by_side
from audience.experiments.evaluation.results import Result, plain
from audience.experiments.evaluation.tables import as_csv, markdown
from audience.results import figure_files, replace_all, to_markdown

FORMATS = ("png", "svg")


def write(result: Result, folder: Path) -> list[Path]:
    """Write a result into a folder and return the paths."""
    told = json.dumps(plain(result), indent=1, allow_nan=False) + "\n"
    drawn = side_by_side(result)
    return replace_all(
        {
            folder / "result.json": told.encode(),
            folder / "table.md": markdown(result).encode(),
            folder / "table.csv": as_csv(result).encode(),
            **{
                folder / name: body for name, body in figure_files(drawn, "figure", FORMATS).items()
            },
        }
    )


def write_activity(fits: Sequence[Fit], left: Sequence[str], seed: int, folder: Path) -> list[Path]:
    """Write the fits of activity into a folder and return the paths."""
    told = json.dumps(activity.plain(fits, left, seed), indent=1, allow_nan=False) + "\n"
    lines = [to_markdown(activity.table(fits), bare=True), *activity.foot(fits, left, seed)]
    drawn = activity.survival(fits)
    return replace_all(
        {
            folder / "result.json": told.encode(),
            folder / "table.md": ("\n".join(lines) + "\n").encode(),
            folder / "table.csv": activity.numbers(fits).encode(),
            **{
                folder / name: body for name, body in figure_files(drawn, "figure", FORMATS).items()
            },
        }
    )
