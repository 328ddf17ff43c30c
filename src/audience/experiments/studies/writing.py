"""A finished study as files: a page, figures, numbers and a table."""

from __future__ import annotations

import shlex
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from audience.experiments._page import Told, page
from audience.experiments.findings import Findings
from audience.experiments.report import limits
from audience.experiments.studies.charts import draw_study
from audience.experiments.studies.conducting import Studied
from audience.experiments.tables import to_csv, to_latex
from audience.results import csv_text, figure_files, replace_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

PAGE = "report.html"
_INDEX = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>Studies</title>
<style>body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto;
padding: 0 1rem; }} dt {{ font-weight: 650; margin-top: 1rem; }} dd {{ margin: 0; }}</style>
</head><body><h1>Studies</h1><dl>
{rows}
</dl></body></html>
"""


def write_study(studied: Studied, command: str, *, figures: bool = True) -> Path:
    """Write report.html, numbers.csv, runs.csv, table.tex and figures/, and return the page."""
    findings, folder, recipe = studied.findings, studied.folder, studied.recipe
    drawn, captions = draw_study(findings, recipe.study.charts, percent=recipe.study.percent)
    told = Told(recipe.question, recipe.method, command)
    said = [*studied.remarks, *limits(findings)]
    contents = {
        folder / PAGE: page(findings, drawn, captions, said, told).encode("utf-8", "replace"),
        folder / "numbers.csv": to_csv(findings).encode(),
        folder / "runs.csv": runs_csv(findings).encode(),
        folder / "table.tex": to_latex(findings).encode(),
    }
    if figures:
        contents |= _drawn(drawn, folder)
    replace_all(contents)
    return folder / PAGE


def _drawn(drawn: dict[str, Figure], folder: Path) -> dict[Path, bytes]:
    return {
        folder / "figures" / file: content
        for name, figure in drawn.items()
        for file, content in figure_files(figure, name).items()
    }


def runs_csv(findings: Findings) -> str:
    """Return every number of every run: one row per arm, seed, round (0: the whole) and metric."""
    rows = (
        (arm.name, run.seed, int(row["round"]), metric, value)
        for arm in findings.arms
        for run in arm.runs
        for row in ({"round": 0.0, **run.totals}, *run.rounds)
        for metric, value in row.items()
        if metric != "round" and value == value
    )
    return csv_text(("arm", "seed", "round", "metric", "value"), rows)


def write_index(folder: Path, studied: Sequence[Studied]) -> Path:
    """Write a page that leads to the reports of several studies."""
    rows = "\n".join(
        f'<dt><a href="{escape(one.recipe.study.name)}/{PAGE}">{escape(one.recipe.study.name)}</a>'
        f"</dt><dd>{escape(one.findings.verdict)}</dd>"
        for one in studied
    )
    return replace_all({folder / "index.html": _INDEX.format(rows=rows).encode()})[0]


def command_of(wanted: str, given: dict[str, object], *, quick: bool) -> str:
    """Return what was typed, without where to write."""
    words = ["audience", "study", wanted, *(["--quick"] if quick else [])]
    for key, value in given.items():
        if value is not None:
            words += [f"--{key.replace('_', '-')}", str(value)]
    return shlex.join(words)
