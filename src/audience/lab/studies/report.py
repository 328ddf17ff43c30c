"""The report of a study: its charts, page, tables, and an index of several studies."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from audience.files import replace_all
from audience.lab.studies.runner import Studied
from audience.lab.studies.study import Chart, label_of
from audience.results import (
    FILE_FORMATS,
    INK,
    MUTED,
    Findings,
    StudyText,
    bars,
    by_round,
    caption,
    colour,
    csv_text,
    figure_files,
    findings_to_csv,
    forest,
    frozen,
    key,
    levels,
    limits,
    over_seeds,
    page,
    panel,
    result_table,
    short,
    styled,
    to_latex,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


FOREST = "differences"
WIDEST = 42
"""Longest title in characters that fits above a chart."""


def draw_study(
    findings: Findings, charts: tuple[Chart, ...], *, percent: bool = True
) -> tuple[dict[str, Figure], dict[str, str]]:
    """Return figures and their captions by name; charts without data are left out."""
    drawn: dict[str, Figure] = {}
    captions: dict[str, str] = {}
    with styled():
        for chart in charts:
            figure = _KINDS[chart.kind](findings, chart)
            if figure is not None:
                drawn[chart.name] = frozen(figure)
                captions[chart.name] = f"{chart.caption} {over_seeds(findings.arms)}".strip()
        figure = forest(findings) if percent else None
        if figure is not None:
            drawn[FOREST], captions[FOREST] = frozen(figure), caption(FOREST, findings)
    return drawn, captions


def _by_round(findings: Findings, chart: Chart) -> Figure | None:
    label, unit, better = label_of(findings, chart.metrics[0])
    title = chart.title or label
    unit = unit if len(title) + len(unit) <= WIDEST and unit not in title.lower() else ""
    return by_round(findings.arms, chart.metrics[0], (title, unit, better))


def _in_bars(findings: Findings, chart: Chart) -> Figure | None:
    figure, axes = panel(5.0, 2.9)
    named = chart.ticks or tuple(label_of(findings, metric)[0] for metric in chart.metrics)
    pairs = zip(chart.metrics, named, strict=True)
    there = [(metric, tick) for metric, tick in pairs if _is_there(findings, metric)]
    metrics, ticks = [metric for metric, _ in there], [tick for _, tick in there]
    few, labels = len(findings.arms) * len(metrics) <= 8, findings.labels
    if not there or not bars(axes, findings.arms, metrics, labelled=few, labels=labels):
        return None
    axes.set_xticks(range(len(ticks)), ticks)
    axes.set_title(chart.title)
    key(figure, [(arm.name, place) for place, arm in enumerate(findings.arms)])
    return figure


def _is_there(findings: Findings, metric: str) -> bool:
    """Return True if any run of any arm has a number."""
    return any(not np.isnan(arm.values(metric)).all() for arm in findings.arms)


def _levels(findings: Findings, chart: Chart) -> Figure | None:
    """Return a chart with one number of every arm as a dot with its interval."""
    metric, arms = chart.metrics[0], findings.arms
    label, unit, _ = label_of(findings, metric)
    figure, axes = panel(5.0, 0.9 + 0.34 * len(arms))
    is_seen = False
    for place, arm in enumerate(arms):
        (mean,), (low,), (high,) = levels(arm, (metric,), findings.labels)
        is_seen |= math.isfinite(mean)
        axes.plot((low, high), (place, place), color=colour(place), linewidth=2.0)
        axes.plot(mean, place, "o", markersize=6, color=colour(place))
    low, high = axes.get_xlim()
    if low < 0.0 < high:
        axes.axvline(0.0, color=MUTED, linewidth=1.0, zorder=1)
    axes.set_yticks(range(len(arms)), [short(arm.name) for arm in arms])
    axes.tick_params(axis="y", colors=INK)
    axes.set_ylim(len(arms) - 0.5, -0.5)
    axes.grid(False, axis="y")
    title = chart.title or label
    axes.set_title(f"{title}, {unit}" if unit and len(title + unit) <= WIDEST else title)
    return figure if is_seen else None


def _against(findings: Findings, chart: Chart) -> Figure | None:
    """Return a chart with every arm as a point of two numbers, with both intervals."""
    figure, axes = panel(5.0, 3.6)
    points: list[tuple[float, float, int]] = []
    for place, arm in enumerate(findings.arms):
        mean, low, high = levels(arm, chart.metrics, findings.labels)
        if not np.isfinite(mean).all():
            continue
        ink = colour(place)
        axes.plot((low[0], high[0]), (mean[1], mean[1]), color=ink, linewidth=1.4)
        axes.plot((mean[0], mean[0]), (low[1], high[1]), color=ink, linewidth=1.4)
        axes.plot(mean[0], mean[1], "o", markersize=6, color=ink)
        points.append((mean[0], mean[1], place))
    across, up = (label_of(findings, metric) for metric in chart.metrics)
    axes.set_xlabel(f"{across[0]}, {across[1]}" if across[1] else across[0])
    axes.set_ylabel(f"{up[0]}, {up[1]}" if up[1] else up[0])
    axes.margins(0.16)
    axes.set_title(chart.title)
    _name_points(axes, points, [short(arm.name) for arm in findings.arms])
    return figure if points else None


_SIDES = ((7, 5, "left"), (7, -13, "left"), (-7, 5, "right"), (-7, -13, "right"))


def _name_points(
    axes: Axes, points: Sequence[tuple[float, float, int]], names: Sequence[str]
) -> None:
    """Write each arm's name beside its point, on another side if points are close."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    taken: list[tuple[float, float, int]] = []
    for x, y, place in points:
        at = ((x - left) / (right - left), (y - bottom) / (top - bottom))
        near = {side for u, v, side in taken if abs(at[0] - u) < 0.25 and abs(at[1] - v) < 0.08}
        side = next((option for option in range(len(_SIDES)) if option not in near), 0)
        taken.append((*at, side))
        across, up, aligned = _SIDES[side]
        axes.annotate(
            names[place], (x, y), (across, up), textcoords="offset points", ha=aligned,
            fontsize=8, color=colour(place), weight="bold",
        )  # fmt: skip


def _edges(findings: Findings, chart: Chart) -> Figure | None:
    """Return a chart of the effects in the first arm as a matrix: causes down, effects across.

    The second half of the metrics is how often each arrow is found, 0 to 1, written below.
    """
    names, arm = chart.ticks, findings.arms[0]
    count = len(names)
    mean, low, high = levels(arm, chart.metrics, findings.labels)
    if np.isnan(mean).all():
        return None
    pairs = [(row, column) for row in range(count) for column in range(count) if row != column]
    often = mean[len(pairs) :] if len(mean) > len(pairs) else np.full(len(pairs), np.nan)
    figure, axes = panel(5.0, 0.9 + 0.5 * count)
    for (row, column), middle, least, most, kept in zip(
        pairs, mean, low, high, often, strict=False
    ):
        is_clear = bool(least > 0.0 or most < 0.0)
        ink = colour(0) if middle > 0 else colour(1)
        strength = min(abs(float(middle)), 1.0) if is_clear else 0.0
        axes.fill_between(
            (column - 0.47, column + 0.47), row - 0.45, row + 0.45, color=ink,
            alpha=0.6 * strength, linewidth=0,
        )  # fmt: skip
        text = f"{middle:+.2f}".replace("-", "−") if math.isfinite(middle) else "–"
        weight = "bold" if is_clear else "normal"
        text += f"\n{100.0 * kept:.0f}" if math.isfinite(kept) else ""
        axes.text(column, row, text, ha="center", va="center", fontsize=8, weight=weight)
    axes.set_xticks(range(count), [short(name, 12) for name in names])
    axes.set_yticks(range(count), [f"{short(name)} →" for name in names])
    axes.set_xlim(-0.5, count - 0.5)
    axes.set_ylim(count - 0.5, -0.5)
    axes.grid(False)
    axes.set_title(f"{chart.title}, {short(arm.name)}")
    return figure


_KINDS: dict[str, Callable[[Findings, Chart], Figure | None]] = {
    "rounds": _by_round,
    "bars": _in_bars,
    "levels": _levels,
    "against": _against,
    "edges": _edges,
}


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


def write_study(studied: Studied, command: str, *, formats: Sequence[str] = FILE_FORMATS) -> Path:
    """Write report.html, numbers.csv, runs.csv, table.tex and figures/, and return the page."""
    findings, folder, recipe = studied.findings, studied.folder, studied.recipe
    drawn, captions = draw_study(findings, recipe.study.charts, percent=recipe.study.percent)
    text = StudyText(recipe.question, recipe.method, command)
    notes = [*studied.remarks, *limits(findings)]
    contents = {
        folder / PAGE: page(findings, drawn, captions, notes, text).encode("utf-8", "replace"),
        folder / "numbers.csv": findings_to_csv(findings).encode(),
        folder / "runs.csv": runs_csv(findings).encode(),
        folder / "table.tex": to_latex(result_table(findings)).encode(),
    }
    for name, figure in drawn.items():
        for file, content in figure_files(figure, name, formats).items():
            contents[folder / "figures" / file] = content
    replace_all(contents)
    return folder / PAGE


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


def write_index(folder: Path, findings: Mapping[str, str]) -> Path:
    """Write a page that links to the reports of several studies, given what each found."""
    rows = "\n".join(
        f'<dt><a href="{name}/{PAGE}">{name}</a></dt><dd>{escape(found)}</dd>'
        for name, found in ((escape(study), found) for study, found in findings.items())
    )
    return replace_all({folder / "index.html": _INDEX.format(rows=rows).encode()})[0]


def command_of(source: str, flags: dict[str, object], *, quick: bool) -> str:
    """Return what was typed, without the output folder."""
    words = ["audience", "study", source, *(["--quick"] if quick else [])]
    for flag, value in flags.items():
        if value is not None:
            words += [f"--{flag.replace('_', '-')}", str(value)]
    return shlex.join(words)
