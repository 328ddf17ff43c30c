"""Report of verdicts: tables, notes, figure and files, as in Agent4Rec's table."""

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
def drawn(verdicts: Verdicts, columns: tuple[str, ...]) -> Figure:
    """Return a panel for each measure, recommenders below each other with their intervals.

    A recommender whose verdict is not clean has another colour, and its mark beside its name.
    """
    count, height = len(columns), (1.0, 0.24 * len(verdicts.rows))
    figure, grid = panels(count, count, (1.9, 1.9), height, sharey=True)
    for axes, column in zip(grid, columns, strict=True):
        _panel(axes, verdicts.rows, column)
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
"""The measures of Agent4Rec's table."""
OTHERS = ("click_rate", "watch_time", "diversity")
_NAMES = {"ndcg": f"NDCG@{K}", "recall": f"recall@{K}"}


def tables(verdicts: Verdicts) -> list[ResultTable]:
    """Return the tables: verdicts, differences from the reference, other measures, orders."""
    first, rows = verdicts.rows[0].recommender, verdicts.rows
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
    if verdicts.agreements:
        every.append(_orders(verdicts.agreements))
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


def remarks(verdicts: Verdicts) -> list[str]:
    """Return the notes below the tables."""
    facts = ", ".join(f"{name} {value}" for name, value in verdicts.facts.items())
    lines = [
        f"{facts}. ± or [low, high] is a 95 % interval over people and seeds, both as samples.",
        *verdicts.remarks,
        *(f"{skip.recommender} was skipped: {skip.why}" for skip in verdicts.skipped),
    ]
    if verdicts.agreements:
        lines.append(_caution(verdicts.agreements[0].recommenders))
    return lines


def _caution(many: int) -> str:
    bounds = (
        "brackets are 95 % bootstrap bounds over recommenders and seeds"
        if many >= FEWEST
        else f"with fewer than {FEWEST} recommenders no meaningful bounds can be given"
    )
    return (
        f"With {many} recommenders `by chance` cannot be below {least_chance(many):.2g}; it takes "
        f"the means as exact; {bounds}. One poor recommender among good ones is enough to make "
        "orders agree."
    )


def as_markdown(verdicts: Verdicts) -> str:
    """Return everything as Markdown."""
    parts = ["# Recommender verdicts"]
    for table in tables(verdicts):
        parts += [f"## {table.caption}", to_markdown(table, bare=True).rstrip()]
    parts.append("\n".join(f"- {line}" for line in remarks(verdicts)))
    return "\n\n".join(parts) + "\n"


def as_csv(verdicts: Verdicts) -> str:
    """Return one line for each recommender and measure."""
    rows = []
    for row in verdicts.rows:
        kinds = {"audience": row.values, "difference": row.differences, "offline": row.offline}
        for kind, intervals in kinds.items():
            for name, each in intervals.items():
                rows.append((row.recommender, row.mark, name, kind, *each.three, each.count))
    heads = ("recommender", "mark", "measure", "of", "mean", "low", "high", "pairs")
    return csv_text(heads, rows)


def as_plain(verdicts: Verdicts) -> dict[str, object]:
    """Return everything as plain values; what is not a number becomes None."""
    plain = finite(verdicts)
    assert isinstance(plain, dict)
    for row in plain["rows"]:
        for kind in ("values", "differences", "offline"):
            for each in row[kind].values():
                each["pairs"] = each.pop("count")
    return plain | {"remarks": remarks(verdicts)}


def write(verdicts: Verdicts, folder: Path) -> list[Path]:
    """Write verdicts.md, .csv, .json and the figure beside the runs."""
    texts = {
        "verdicts.md": as_markdown(verdicts),
        "verdicts.csv": as_csv(verdicts),
        "verdicts.json": msgspec.json.format(msgspec.json.encode(as_plain(verdicts))).decode(),
    }
    return write_result(folder, texts, drawn(verdicts, COLUMNS), "verdicts")
