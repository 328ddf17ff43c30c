"""A result as a table for people, as Markdown and as CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator

from audience.experiments.evaluation.results import Cell, Result, Row
from audience.results.interval import Interval

NOTHING = "–"
LABELS = {
    "recsim": "RecSim-style",
    "ease": "EASE",
    "markov": "Markov",
    "item-knn": "item-KNN",
}
Lines = list[list[str]]


def label(row: Row) -> str:
    """Return a contestant's name as tables show it."""
    return LABELS.get(row.name, row.name)


def value(cell: Cell | None) -> str:
    """Return a mean and half its interval."""
    if cell is None or not math.isfinite(cell.value.mean):
        return NOTHING
    return f"{cell.value.mean:.3f}{_half(cell.value)}"


def difference(cell: Cell | None) -> str:
    """Return the paired difference to the best baseline; empty for the best itself."""
    if cell is None or cell.against_best is None or not math.isfinite(cell.against_best.mean):
        return ""
    return f"{cell.against_best.mean:+.3f}{_half(cell.against_best)}"


def _half(interval: Interval) -> str:
    return f" ±{interval.half:.3f}" if math.isfinite(interval.half) else ""


def lines(result: Result, group: str) -> Lines:
    """Return the rows of one group: a name, then a value for each column."""
    return [
        [label(row), *(value(row.cells.get(group, {}).get(name)) for name in result.columns)]
        for row in result.rows
        if group in row.cells
    ]


def paired(result: Result, group: str) -> Lines:
    """Return the differences to the best baseline of whoever is no baseline."""
    return [
        [label(row), *(difference(row.cells[group].get(name)) for name in result.columns)]
        for row in result.rows
        if group in row.cells and row.kind != "baseline"
    ]


def best_line(result: Result, group: str) -> list[str]:
    """Return the best baseline of each column."""
    found = result.best.get(group, {})
    return [LABELS.get(name, name) for name in (found.get(one, "") for one in result.columns)]


def footer(result: Result) -> list[str]:
    """Return what a reader must know besides: people, seed, models and what they cost."""
    spent = result.spent
    told = [
        f"{result.dataset}: {result.users:,} users, seed {result.seed}; ± is a 95 % interval over "
        "users.",
        f"Model: {result.model or 'none'}; {spent.calls:,} calls ({result.calls_now:,} of them "
        f"now), {spent.tokens:,} tokens, {spent.cost}.",
    ]
    odd = {label(row): row.unreadable for row in result.rows if row.unreadable}
    if odd:
        counts = ", ".join(f"{name} {count:,}" for name, count in odd.items())
        told.append(f"Unreadable answers, scored as wrong: {counts}.")
    people = [row for row in result.rows if row.kind == "people"]
    fewer = {label(row): _users(row) for row in people if _users(row) < result.users}
    if fewer:
        counts = ", ".join(f"{name} {count:,}" for name, count in fewer.items())
        told.append(f"Fewer users: {counts}.")
    return [*told, *result.notes]


def _users(row: Row) -> int:
    return max((cell.users for group in row.cells.values() for cell in group.values()), default=0)


def markdown(result: Result) -> str:
    """Return the whole result as Markdown."""
    parts = [f"# {result.title}"]
    for group in result.groups:
        parts.append("\n".join(table([group, *result.columns], lines(result, group))))
        rows = paired(result, group)
        if rows:
            head = ["against the best baseline", *best_line(result, group)]
            parts.append("\n".join(table(head, rows)))
    return "\n\n".join([*parts, "\n".join(footer(result))]) + "\n"


def table(head: list[str], rows: Lines) -> Iterator[str]:
    """Yield the lines of a Markdown table."""
    yield _row(head)
    yield _row(["---", *["---:"] * (len(head) - 1)])
    for row in rows:
        yield _row(row)


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def as_csv(result: Result) -> str:
    """Return one line for each contestant, group and column."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n").writerow
    heads = ("evaluation", "group", "column", "contestant", "kind", "model", "users", "mean")
    write(
        [*heads, "low", "high", "best_baseline", "difference", "difference_low", "difference_high"]
    )
    for row in result.rows:
        for group, cells in row.cells.items():
            for column, cell in cells.items():
                one, other = cell.value, cell.against_best
                told = [result.name, group, column, row.name, row.kind, row.model, cell.users]
                numbers = [one.mean, one.low, one.high]
                apart = [other.mean, other.low, other.high] if other else ["", "", ""]
                best = result.best.get(group, {}).get(column, "")
                write([*told, *map(_cell, numbers), best, *map(_cell, apart)])
    return out.getvalue()


def listed(rows: Lines) -> str:
    """Return rows as CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def _cell(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.6f}" if math.isfinite(value) else ""
