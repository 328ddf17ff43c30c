"""Verdicts as a figure: every recommender on every measure of Agent4Rec's table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from audience.lab.verdicts.statistics import (
    BOUNDS,
    FEWEST,
    MEASURES,
    RankAgreement,
    least_chance,
)
from audience.lab.verdicts.verdicts import OFFLINE, K, VerdictRow, Verdicts
from audience.results import (
    ANY,
    Column,
    Interval,
    ResultTable,
    csv_text,
    draw_ranked,
    finite,
    panels,
    short,
    styled_figure,
    to_markdown,
    write_result,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PLAIN, _MARKED = 5, 1


@styled_figure
def drawn(found: Verdicts, columns: tuple[str, ...]) -> Figure:
    """Return a panel for each measure, recommenders below each other with their intervals.

    A recommender whose verdict is not clean has another colour, and its mark beside its name.
    """
    count, height = len(columns), (1.0, 0.24 * len(found.rows))
    figure, grid = panels(count, count, (1.9, 1.9), height, sharey=True)
    for axes, column in zip(grid, columns, strict=True):
        _panel(axes, found.rows, column)
    return figure


def _panel(axes: Axes, rows: tuple[VerdictRow, ...], column: str) -> None:
    ranked = [
        (
            short(row.recommender, 22) + (f" ({row.mark})" if row.mark else ""),
            row.values[column],
            _MARKED if row.mark else _PLAIN,
        )
        for row in rows
    ]
    draw_ranked(axes, ranked, MEASURES[column])


COLUMNS = ("view_ratio", "likes", "like_ratio", "exit_page", "satisfaction")
"""Agent4Rec's table."""
OTHERS = ("click_rate", "watch_time", "diversity")
_NAMES = {"ndcg": f"NDCG@{K}", "recall": f"recall@{K}"}


def tables(found: Verdicts) -> list[ResultTable]:
    """Return the tables: verdicts, differences from the reference, other measures, orders."""
    first, rows = found.rows[0].recommender, found.rows
    every = [
        ResultTable(
            (*_columns(COLUMNS), Column("mark")),
            tuple((row.recommender, *(row.values[name] for name in COLUMNS), row.mark)
                  for row in rows),
            "The audience's verdict",
        ),
        ResultTable(
            _columns(COLUMNS, signed=True),
            tuple((row.recommender, *(row.differences[name] for name in COLUMNS))
                  for row in rows[1:]),
            f"Less {first}, paired by person and seed; * excludes zero",
        ),
        ResultTable(
            (*_columns(OTHERS), *_columns(OFFLINE)[1:]),
            tuple(
                (
                    row.recommender,
                    *(row.values[name] for name in OTHERS),
                    *(row.offline.get(name) for name in OFFLINE),
                )
                for row in rows
            ),
            "Other measures of the audience, and offline ones",
        ),
    ]  # fmt: skip
    if found.agreements:
        every.append(_orders(found.agreements))
    return [table for table in every if table.rows]


def _columns(names: Sequence[str], *, signed: bool = False) -> tuple[Column, ...]:
    figures = (
        Column(
            MEASURES.get(name) or _NAMES[name],
            over="people and seeds",
            digits=3,
            half=True,
            signed=signed,
            bounds=ANY if signed else BOUNDS[name],
        )
        for name in names
    )
    return Column("recommender", is_text=True), *figures


def _orders(agreements: Sequence[RankAgreement]) -> ResultTable:
    columns = (
        Column("audience", is_text=True),
        Column("offline", is_text=True),
        Column("Kendall", digits=2, signed=True),
        Column("Spearman", digits=2, signed=True),
        Column("by chance", digits=3),
    )
    rows = tuple(
        (
            MEASURES[each.audience],
            _NAMES[each.offline],
            Interval(each.kendall, each.kendall_low, each.kendall_high),
            Interval(each.spearman, each.spearman_low, each.spearman_high),
            each.chance,
        )
        for each in agreements
    )
    many = agreements[0].recommenders
    caption = f"Does the audience order {many} recommenders as offline measures do?"
    return ResultTable(columns, rows, caption)


def remarks(found: Verdicts) -> list[str]:
    """Return what stands below the tables."""
    facts = ", ".join(f"{name} {value}" for name, value in found.facts.items())
    lines = [
        f"{facts}. ± is a 95 % interval over people and seeds, both taken as drawn.",
        *found.remarks,
        *(f"{one.recommender} was skipped: {one.why}" for one in found.skipped),
    ]
    if found.agreements:
        lines.append(_caution(found.agreements[0].recommenders))
    return lines


def _caution(many: int) -> str:
    bounds = (
        "brackets are 95 % bounds over recommenders and seeds drawn again"
        if many >= FEWEST
        else f"below {FEWEST} recommenders bounds would only look exact, and none are given"
    )
    return (
        f"With {many} recommenders the least that `by chance` can be is {least_chance(many):.2g}; "
        f"it takes the means as exact, {bounds}. A poor recommender among good ones alone makes "
        "orders agree."
    )


def as_markdown(found: Verdicts) -> str:
    """Return all of it as Markdown."""
    parts = ["# Recommender verdicts"]
    for table in tables(found):
        parts += [f"## {table.caption}", to_markdown(table, bare=True).rstrip()]
    parts.append("\n".join(f"- {line}" for line in remarks(found)))
    return "\n\n".join(parts) + "\n"


def as_csv(found: Verdicts) -> str:
    """Return one line for each recommender and measure."""
    rows = []
    for row in found.rows:
        kinds = {"audience": row.values, "difference": row.differences, "offline": row.offline}
        for kind, intervals in kinds.items():
            for name, each in intervals.items():
                rows.append((row.recommender, row.mark, name, kind, *each.three, each.count))
    heads = ("recommender", "mark", "measure", "of", "mean", "low", "high", "pairs")
    return csv_text(heads, rows)


def as_plain(found: Verdicts) -> dict[str, object]:
    """Return all of it as plain values; what is not a number becomes None."""
    plain = finite(found)
    assert isinstance(plain, dict)
    for row in plain["rows"]:
        for kind in ("values", "differences", "offline"):
            for each in row[kind].values():
                each["pairs"] = each.pop("count")
    return plain | {"remarks": remarks(found)}


def write(found: Verdicts, folder: Path) -> list[Path]:
    """Write verdicts.md, .csv, .json and the figure beside the runs."""
    texts = {
        "verdicts.md": as_markdown(found),
        "verdicts.csv": as_csv(found),
        "verdicts.json": msgspec.json.format(msgspec.json.encode(as_plain(found))).decode(),
    }
    return write_result(folder, texts, drawn(found, COLUMNS), "verdicts")
