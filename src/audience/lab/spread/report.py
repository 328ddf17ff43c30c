"""Report of a spread evaluation: table, verdict, figure and files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from audience.lab.spread.cascades import CascadeFits, wins
from audience.lab.spread.language import LANGUAGE
from audience.lab.spread.moods import MoodFit, mood_table
from audience.lab.spread.real import RULE, FittedSpread, Truth
from audience.results import (
    INK,
    NOTHING,
    Column,
    ResultTable,
    colour,
    csv_text,
    finite,
    json_text,
    panels,
    styled_figure,
    to_markdown,
    write_result,
)
from audience.world import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def table(rows: Sequence[FittedSpread], seeds: int) -> ResultTable:
    """Return a table with one row per model."""
    over = f"{seeds} seeds"
    columns = (
        Column("model", is_text=True),
        Column("fitted"),
        Column("MSED fitted", digits=4),
        Column("MSED predicted", over=over, digits=4),
        Column("correlation", over=over, digits=3),
    )
    lines = tuple(
        (
            row.name,
            ", ".join(f"{name} {value:g}" for name, value in row.parameters.items()) or NOTHING,
            row.fit if row.parameters else None,
            row.msed,
            row.correlation,
        )
        for row in rows
    )
    return ResultTable(columns, lines)


def verdict(rows: Sequence[FittedSpread]) -> str:
    """Return whether rule minds predict as well as the best other model and as nobody more."""
    ours = next((row for row in rows if row.name == RULE), None)
    others = [row for row in rows if row.name not in (RULE, LANGUAGE)]
    if ours is None or not others:
        return ""
    best = min(others, key=lambda row: row.msed.mean)
    errors = f"MSED {ours.msed.mean:.4f} against {best.msed.mean:.4f} of {best.name}"
    if ours.msed.high < best.msed.low:
        return f"Rule minds predict the rest better than the best other model: {errors}."
    if ours.msed.mean <= best.msed.mean:
        return f"Rule minds predict the rest as well as the best other model: {errors}."
    return f"Rule minds predict the rest worse than the best other model: {errors}."


def foot(
    truth: Truth, rows: Sequence[FittedSpread], people: int, graph: str, seed_count: int
) -> list[str]:
    """Return the notes below the table."""
    spoken = next((row for row in rows if row.name == LANGUAGE), None)
    asked = (
        [
            "Language minds take attention and those who know at once from rule minds; only the "
            f"number of people to reach is fitted. They live {len(spoken.curves)} of the seeds."
        ]
        if spoken
        else []
    )
    return [
        f"{truth.hours} hours; the curve takes off in hour {truth.onset}. Fitted on the "
        f"{truth.fitted} hours from there on; the last {len(truth.counts) - truth.fitted} are "
        "predicted.",
        f"Graphs are generated ({people:,} people, {graph}, directed): the real one is not "
        "available. Models on graphs have three fitted parameters (rule minds four) and the number "
        "of people to reach, curves two and that number.",
        f"Mean over {seed_count} seeds not used for fitting, with 95 % intervals. MSED is of "
        "numbers divided by the true maximum.",
        *asked,
    ]


def plain(
    truth: Truth,
    rows: Sequence[FittedSpread],
    people: int,
    graph: str,
    seeds: Sequence[int],
    moods: Sequence[MoodFit] = (),
) -> dict[str, object]:
    """Return everything as plain values."""
    return {
        "name": "spread",
        "hours": truth.hours,
        "onset": truth.onset,
        "fitted_hours": truth.fitted,
        "people": people,
        "graph": graph,
        "seeds": list(seeds),
        "verdict": verdict(rows),
        "models": [
            {
                "model": row.name,
                "parameters": row.parameters,
                "fit": row.fit,
                "msed": finite(row.msed),
                "correlation": finite(row.correlation),
            }
            for row in rows
        ],
        "moods": [
            {
                "curve": fit.mood,
                "model": fit.model,
                "msed": finite(fit.msed),
                "correlation": finite(fit.correlation),
            }
            for fit in moods
        ],
    }


@styled_figure
def drawn(
    truth: Truth,
    rows: Sequence[FittedSpread],
    moods: Sequence[MoodFit] = (),
    real: Mapping[str, Floats] | None = None,
) -> Figure:
    """Return the real curves with every model's: the mean of its seeds, and their range."""
    from matplotlib.ticker import FuncFormatter

    real = real or {}
    figure, grid = panels(1 + len(real), 1, (0.0, 6.4), (0.0, 3.6 if not real else 2.8))
    lines = [(row.name, row.curves) for row in rows]
    _panel(grid[0], truth, lines, truth.counts, "People who became active")
    grid[0].yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    for axes, (name, whole) in zip(grid[1:], real.items(), strict=True):
        lines = [(fit.model, fit.curves) for fit in moods if fit.mood == name]
        _panel(axes, truth, lines, whole[truth.onset :], name.capitalize())
    grid[-1].set_xlabel("hour; what follows the dotted line is predicted")
    return figure


def _panel(
    axes: Axes,
    truth: Truth,
    lines: Sequence[tuple[str, tuple[tuple[float, ...], ...]]],
    real: Floats,
    title: str,
) -> None:
    hours = truth.onset + np.arange(len(real))
    for place, (name, rows) in enumerate(lines):
        curves = np.array(rows)
        if len(curves) > 1:
            low, high = curves.min(axis=0), curves.max(axis=0)
            axes.fill_between(hours, low, high, color=colour(place), alpha=0.15, linewidth=0)
        axes.plot(hours, curves.mean(axis=0), color=colour(place), label=name)
    axes.plot(hours, real, color=INK, linewidth=1.8, label="real")
    axes.axvline(truth.onset + truth.fitted - 0.5, color=INK, linewidth=0.7, linestyle=":")
    axes.set_title(title)
    axes.legend(loc="lower right", fontsize=7)


def write(
    truth: Truth,
    rows: Sequence[FittedSpread],
    people: int,
    graph: str,
    seeds: Sequence[int],
    folder: Path,
    moods: Sequence[MoodFit] = (),
    real: Mapping[str, Floats] | None = None,
) -> list[Path]:
    """Write the files of the evaluation into a folder and return the paths."""
    shown = [to_markdown(table(rows, len(seeds)), bare=True), verdict(rows), ""]
    shown += foot(truth, rows, people, graph, len(seeds))
    shown += ["", to_markdown(mood_table(moods))] if moods else []
    names = [row.name for row in rows]
    means = [np.mean(row.curves, axis=0).tolist() for row in rows]
    curves = (
        [truth.onset + at, f"{count:.0f}", *(f"{mean[at]:.1f}" for mean in means)]
        for at, count in enumerate(truth.counts.tolist())
    )
    texts = {
        "result.json": json_text(plain(truth, rows, people, graph, seeds, moods)),
        "table.md": "\n".join(shown) + "\n",
        "curves.csv": csv_text(["hour", "real", *names], curves),
    }
    if real:
        texts["moods.csv"] = _mood_csv(truth, moods, real)
    return write_result(folder, texts, drawn(truth, rows, moods, real))


def _mood_csv(truth: Truth, moods: Sequence[MoodFit], real: Mapping[str, Floats]) -> str:
    """Return the real and the simulated emotion and attitude, hour by hour."""
    columns = {f"{name} real": whole[truth.onset :].tolist() for name, whole in real.items()}
    for fit in moods:
        columns[f"{fit.mood} {fit.model}"] = np.mean(fit.curves, axis=0).tolist()
    hours = range(truth.onset, truth.hours)
    return csv_text(["hour", *columns], zip(hours, *columns.values(), strict=True))


def write_cascades(
    fits: Sequence[CascadeFits], notes: Sequence[str], seeds: Sequence[int], folder: Path
) -> list[Path]:
    """Write the summary of several cascades, and the errors of every model on each."""
    shown = [to_markdown(wins(fits)), ""]
    for each in fits:
        shown += [f"## {each.name}", "", to_markdown(table(each.rows, len(seeds)), bare=True), ""]
    shown += [f"- {note}" for note in notes]
    errors = [
        (each.name, row.name, *row.msed.three, row.correlation.mean)
        for each in fits
        for row in each.rows
    ]
    heads = ("cascade", "model", "msed", "low", "high", "correlation")
    texts = {
        "result.json": json_text(plain_cascades(fits, notes)),
        "table.md": "\n".join(shown) + "\n",
        "errors.csv": csv_text(heads, errors),
    }
    return write_result(folder, texts, _grid(fits))


def plain_cascades(fits: Sequence[CascadeFits], notes: Sequence[str]) -> dict[str, object]:
    """Return everything as plain values."""
    return {
        "name": "spread",
        "cascades": [
            {
                "cascade": each.name,
                "verdict": verdict(each.rows),
                "models": [
                    {"model": row.name, "parameters": row.parameters, "msed": finite(row.msed)}
                    for row in each.rows
                ],
            }
            for each in fits
        ],
        "wins": [
            {"model": name, "median_msed": error, "rule_minds_better": finite(share), "best": best}
            for name, error, share, best in wins(fits).rows
        ],
        "notes": list(notes),
    }


@styled_figure
def _grid(fits: Sequence[CascadeFits]) -> Figure:
    """Return one panel for each of the first cascades."""
    first = fits[:6]
    figure, grid = panels(len(first), min(len(first), 3), (0.0, 3.0), (0.0, 2.2))
    for axes, each in zip(grid, first, strict=True):
        lines = [(row.name, row.curves) for row in each.rows]
        _panel(axes, each.truth, lines, each.truth.counts, each.name)
    return figure
