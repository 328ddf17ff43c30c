"""Reports of evaluations: tables, notes, a figure, and the files they are written to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from audience.lab.evaluation import activity
from audience.lab.evaluation.activity import Fit
from audience.lab.evaluation.result import (
    AREA,
    ContestantRow,
    ContestCell,
    ContestPair,
    Result,
    bounds_of,
    result_values,
)
from audience.lab.evaluation.visit_times import clock_csv, clock_foot, clock_table, clock_toml
from audience.results import (
    MUTED,
    Column,
    Interval,
    ResultTable,
    csv_text,
    draw_ranked,
    json_text,
    panels,
    short,
    styled_figure,
    to_markdown,
    write_result,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LABELS = {
    "recsim": "RecSim-style",
    "ease": "EASE",
    "markov": "Markov",
    "item-knn": "item-KNN",
}


def label(row: ContestantRow) -> str:
    """Return a contestant's name as tables show it."""
    return LABELS.get(row.name, row.name)


def group_table(result: Result, group: str) -> ResultTable:
    """Return everybody's values in one group."""
    rows = [
        (label(row), *(_value(row.cells[group].get(name)) for name in result.columns))
        for row in result.rows
        if group in row.cells
    ]
    columns = (
        Column(name, over="users", digits=3, half=True, bounds=bounds_of(name))
        for name in result.columns
    )
    return ResultTable((Column(group, is_text=True), *columns), tuple(rows))


def paired_table(result: Result, group: str) -> ResultTable:
    """Return the paired differences to the best baseline, for all but baselines."""
    rows = [
        (label(row), *(_difference(row.cells[group].get(name)) for name in result.columns))
        for row in result.rows
        if group in row.cells and row.kind != "baseline"
    ]
    columns = (
        Column(name, over="users", digits=3, half=True, signed=True)
        for name in best_line(result, group)
    )
    return ResultTable((Column("less the best baseline", is_text=True), *columns), tuple(rows))


def named_table(result: Result, group: str) -> ResultTable:
    """Return the paired differences that were asked for by name."""
    rows = [
        (_pair(pair), *(pair.cells[group].get(name) for name in result.columns))
        for pair in result.pairs
        if pair.cells.get(group)
    ]
    columns = (
        Column(name, over="users", digits=3, half=True, signed=True) for name in result.columns
    )
    return ResultTable((Column("paired differences", is_text=True), *columns), tuple(rows))


def _pair(pair: ContestPair) -> str:
    return f"{LABELS.get(pair.name, pair.name)} less {LABELS.get(pair.than, pair.than)}"


def group_tables(result: Result) -> list[ResultTable]:
    """Return all tables of a result: values and paired differences, group by group."""
    kinds = (group_table, paired_table, named_table)
    tables = [make(result, group) for group in result.groups for make in kinds]
    return [table for table in tables if table.rows]


def _value(cell: ContestCell | None) -> Interval | None:
    return cell.value if cell else None


def _difference(cell: ContestCell | None) -> Interval | str:
    """Return the paired difference to the best baseline; empty for the best itself."""
    against = cell.against_best if cell else None
    return against if against and math.isfinite(against.mean) else ""


def best_line(result: Result, group: str) -> list[str]:
    """Return the best baseline of each column."""
    best = result.best.get(group, {})
    return [LABELS.get(name, name) for name in (best.get(column, "") for column in result.columns)]


def footer(result: Result) -> list[str]:
    """Return the notes below the tables: people, seed, models and their cost."""
    spent = result.spent
    lines = [
        f"{result.dataset}: {result.users:,} users, seed {result.seed}; ± or [low, high] is a 95 % "
        "interval over users.",
        f"Model: {result.model or 'none'}; {spent.calls:,} calls ({result.calls_now:,} of them "
        f"now), {spent.tokens:,} tokens, {spent.cost}.",
    ]
    odd = {label(row): row.unreadable for row in result.rows if row.unreadable}
    if odd:
        counts = ", ".join(f"{name} {count:,}" for name, count in odd.items())
        lines.append(f"Unreadable answers, scored as wrong: {counts}.")
    timed = [row for row in result.rows if row.seconds and row.decided]
    if timed:
        rates = (
            f"{label(row)} {row.decided / row.seconds:,.1f} a second ({row.decided:,.0f} in "
            f"{row.seconds:,.1f} s)"
            for row in timed
        )
        lines.append(f"Decisions, wall time of asking: {'; '.join(rates)}.")
    people = [row for row in result.rows if row.kind == "people"]
    fewer = {label(row): _users(row) for row in people if _users(row) < result.users}
    if fewer:
        counts = ", ".join(f"{name} {count:,}" for name, count in fewer.items())
        lines.append(f"Fewer users: {counts}.")
    return [*lines, *result.notes]


def _users(row: ContestantRow) -> int:
    return max((cell.users for group in row.cells.values() for cell in group.values()), default=0)


def contest_markdown(result: Result) -> str:
    """Return the whole result as Markdown."""
    tables = (to_markdown(table, bare=True).rstrip() for table in group_tables(result))
    parts = [f"# {result.title}", *tables]
    return "\n\n".join([*parts, "\n".join(footer(result))]) + "\n"


def as_csv(result: Result) -> str:
    """Return one line for each contestant, group and column."""
    heads = ("evaluation", "group", "column", "contestant", "kind", "model", "users")
    numbered = ("mean", "low", "high", "best_baseline")
    paired = ("difference", "difference_low", "difference_high")
    rows = []
    for row in result.rows:
        for group, cells in row.cells.items():
            for column, cell in cells.items():
                key = (result.name, group, column, row.name, row.kind, row.model, cell.users)
                best = result.best.get(group, {}).get(column, "")
                apart = cell.against_best or Interval()
                numbers = (*_digits(cell.value), best, *_digits(apart))
                rows.append((*key, *numbers))
    for pair in result.pairs:
        for group, apart_by in pair.cells.items():
            for column, apart in apart_by.items():
                key = (result.name, group, column, _pair(pair), "pair", "", apart.count)
                rows.append((*key, *_digits(apart), "", "", "", ""))
    return csv_text((*heads, *numbered, *paired), rows)


def _digits(interval: Interval) -> list[str]:
    return [f"{value:.6f}" if math.isfinite(value) else "" for value in interval.three]


MOST = 4
"""Most panels in a row."""
_COLOURS = {"baseline": 5, "mind": 1, "people": 2}


def drawn_columns(result: Result) -> tuple[str, ...]:
    """Return the columns that are drawn: the headline, or all if there is none."""
    return (result.headline,) if result.headline else result.columns


@styled_figure
def side_by_side(result: Result) -> Figure:
    """Return a panel for each group and drawn column, contestants below each other."""
    columns = drawn_columns(result)
    groups = [group for group in result.groups if not group.endswith(AREA)]
    parts = [(group, column) for group in groups for column in columns]
    across = min(len(columns) if len(columns) > 1 else len(parts), MOST)
    height = (0.9, 0.55 + 0.2 * len(result.rows))
    figure, grid = panels(len(parts), across, (1.9, 2.1), height, sharey=True)
    for axes, (group, column) in zip(grid, parts, strict=True):
        _panel(axes, result, group, column)
    return figure


def _panel(axes: Axes, result: Result, group: str, column: str) -> None:
    rows = []
    for row in result.rows:
        cell = row.cells.get(group, {}).get(column)
        rows.append((short(label(row), 26), cell.value if cell else None, _COLOURS[row.kind]))
    draw_ranked(axes, rows, f"{group} {column}")
    if column in result.lower_is_better:
        axes.set_xlabel("less is better", color=MUTED, fontsize=8)


def write_evaluation(result: Result, folder: Path) -> list[Path]:
    """Write a result into a folder and return the paths."""
    texts = {
        "result.json": json_text(result_values(result)),
        "table.md": contest_markdown(result),
        "table.csv": as_csv(result),
    }
    return write_result(folder, texts, side_by_side(result))


def write_activity(fits: Sequence[Fit], left: Sequence[str], seed: int, folder: Path) -> list[Path]:
    """Write the fits of activity into a folder and return the paths."""
    lines = [to_markdown(activity.table(fits), bare=True), *activity.foot(fits, left, seed)]
    texts = {
        "result.json": json_text(activity.activity_values(fits, left, seed)),
        "table.md": "\n".join(lines) + "\n",
        "table.csv": activity.numbers(fits),
    }
    scores = [fit.clocks for fit in fits if fit.clocks]
    for number, score in enumerate(scores, 1):
        texts["time.toml" if len(scores) == 1 else f"time-{number}.toml"] = clock_toml(score)
    if scores:
        tables = [
            f"{to_markdown(clock_table(s), bare=True)}\n{clock_foot(s, seed)}" for s in scores
        ]
        texts |= {"visits.md": "\n\n".join(tables) + "\n", "visits.csv": clock_csv(scores)}
    return write_result(folder, texts, activity.survival(fits))
