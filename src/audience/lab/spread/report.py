"""Report of a spread evaluation: table, verdict, figure and files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from audience.lab.spread.real import FittedSpread, Truth
from audience.results import (
    INK,
    NOTHING,
    Column,
    ResultTable,
    colour,
    csv_text,
    finite,
    json_text,
    panel,
    styled_figure,
    to_markdown,
    write_result,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OURS = "rule minds"


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
    """Return whether rule minds predict as well as the better classical model."""
    ours = next((row for row in rows if row.name == OURS), None)
    others = [row for row in rows if row.name != OURS and row.parameters]
    if ours is None or not others:
        return ""
    best = min(others, key=lambda row: row.msed.mean)
    errors = f"MSED {ours.msed.mean:.4f} against {best.msed.mean:.4f} of {best.name}"
    if ours.msed.high < best.msed.low:
        return f"Rule minds predict the rest better than the better classical model: {errors}."
    if ours.msed.mean <= best.msed.mean:
        return f"Rule minds predict the rest as well as the better classical model: {errors}."
    return f"Rule minds predict the rest worse than the better classical model: {errors}."


def foot(truth: Truth, people: int, graph: str, seed_count: int) -> list[str]:
    """Return the notes below the table."""
    return [
        f"{truth.hours} hours; the curve takes off in hour {truth.onset}. Fitted on the "
        f"{truth.fitted} hours from there on; the last {len(truth.counts) - truth.fitted} are "
        "predicted.",
        f"Graphs are generated ({people:,} people, {graph}, directed): the real one is not "
        "available. Each model has three fitted parameters and the number of people to reach.",
        f"Mean over {seed_count} seeds not used for fitting, with 95 % intervals. MSED is of "
        "numbers divided by the true maximum.",
    ]


def plain(
    truth: Truth, rows: Sequence[FittedSpread], people: int, graph: str, seeds: Sequence[int]
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
    }


@styled_figure
def drawn(truth: Truth, rows: Sequence[FittedSpread]) -> Figure:
    """Return the real curve with every model's: the mean of its seeds, and their range."""
    from matplotlib.ticker import FuncFormatter

    figure, axes = panel(6.4, 3.6)
    hours = truth.onset + np.arange(len(truth.counts))
    for place, row in enumerate(rows):
        curves = np.array(row.curves)
        if len(curves) > 1:
            low, high = curves.min(axis=0), curves.max(axis=0)
            axes.fill_between(hours, low, high, color=colour(place), alpha=0.15, linewidth=0)
        axes.plot(hours, curves.mean(axis=0), color=colour(place), label=row.name)
    axes.plot(hours, truth.counts, color=INK, linewidth=1.8, label="real")
    axes.axvline(truth.onset + truth.fitted - 0.5, color=INK, linewidth=0.7, linestyle=":")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.set_xlabel("hour; what follows the dotted line is predicted")
    axes.set_title("People who became active")
    axes.legend(loc="lower right", fontsize=7)
    return figure


def write(
    truth: Truth,
    rows: Sequence[FittedSpread],
    people: int,
    graph: str,
    seeds: Sequence[int],
    folder: Path,
) -> list[Path]:
    """Write the files of the evaluation into a folder and return the paths."""
    shown = [to_markdown(table(rows, len(seeds)), bare=True), verdict(rows), ""]
    shown += foot(truth, people, graph, len(seeds))
    names = [row.name for row in rows]
    means = [np.mean(row.curves, axis=0).tolist() for row in rows]
    curves = (
        [truth.onset + at, f"{real:.0f}", *(f"{mean[at]:.1f}" for mean in means)]
        for at, real in enumerate(truth.counts.tolist())
    )
    texts = {
        "result.json": json_text(plain(truth, rows, people, graph, seeds)),
        "table.md": "\n".join(shown) + "\n",
        "curves.csv": csv_text(["hour", "real", *names], curves),
    }
    return write_result(folder, texts, drawn(truth, rows))
