"""Verdicts as tables: for a terminal, as Markdown, as rows of CSV, as plain values."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from pathlib import Path

import msgspec

from audience.experiments._style import rendered
from audience.experiments.verdict_counts import MEASURES
from audience.experiments.verdict_figure import drawn
from audience.experiments.verdict_statistics import FEWEST, Agreement, least_chance
from audience.experiments.verdicts import OFFLINE, K, Verdicts
from audience.results.atomic_file import replace_all
from audience.results.interval import Interval

COLUMNS = ("view_ratio", "likes", "like_ratio", "exit_page", "satisfaction")
"""Agent4Rec's table."""
OTHERS = ("click_rate", "watch_time", "diversity")
_NAMES = {"ndcg": f"NDCG@{K}", "recall": f"recall@{K}"}


class Grid(msgspec.Struct, frozen=True):
    """A table of texts."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def grids(found: Verdicts) -> list[Grid]:
    """Return the tables: verdicts, differences from the reference, other measures, orders."""
    first, rows = found.rows[0].recommender, found.rows
    tables = [
        Grid(
            "The audience's verdict",
            ("recommender", *(MEASURES[one] for one in COLUMNS), "mark"),
            tuple(
                (row.recommender, *(_cell(row.values[one]) for one in COLUMNS), row.mark)
                for row in rows
            ),
        ),
        Grid(
            f"Less {first}, paired by person and seed; * excludes zero",
            ("recommender", *(MEASURES[one] for one in COLUMNS)),
            tuple(
                (row.recommender, *(_cell(row.differences[one], signed=True) for one in COLUMNS))
                for row in rows[1:]
            ),
        ),
        Grid(
            "Other measures of the audience, and offline ones",
            ("recommender", *(MEASURES[one] for one in OTHERS), *_NAMES.values()),
            tuple(
                (
                    row.recommender,
                    *(_cell(row.values[one]) for one in OTHERS),
                    *(_cell(row.offline.get(one)) for one in OFFLINE),
                )
                for row in rows
            ),
        ),
    ]
    if found.agreements:
        tables.append(_orders(found.agreements))
    return [grid for grid in tables if grid.rows]


def _orders(agreements: Sequence[Agreement]) -> Grid:
    heads = ("audience", "offline", "Kendall", "Spearman", "by chance")
    rows = [
        (
            MEASURES[one.audience],
            _NAMES[one.offline],
            _between(one.kendall, one.kendall_low, one.kendall_high),
            _between(one.spearman, one.spearman_low, one.spearman_high),
            "–" if math.isnan(one.chance) else f"{one.chance:.3f}",
        )
        for one in agreements
    ]
    many = agreements[0].recommenders
    return Grid(
        f"Does the audience order {many} recommenders as offline measures do?", heads, tuple(rows)
    )


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


def _cell(one: Interval | None, *, signed: bool = False) -> str:
    if one is None or math.isnan(one.mean):
        return "–"
    half = one.half
    text = f"{one.mean:+.3f}" if signed else f"{one.mean:.3f}"
    if math.isnan(half):
        return text
    return f"{text} ± {half:.3f}" + ("*" if signed and one.is_clear else "")


def _between(value: float, low: float, high: float) -> str:
    if math.isnan(value):
        return "–"
    return f"{value:+.2f}" + ("" if math.isnan(low) else f" [{low:+.2f}, {high:+.2f}]")


def as_markdown(found: Verdicts) -> str:
    """Return all of it as Markdown."""
    parts = ["# Recommender verdicts"]
    for grid in grids(found):
        lines = [f"| {' | '.join(cells)} |" for cells in (grid.heads, *grid.rows)]
        lines.insert(1, "|" + "---|" * len(grid.heads))
        parts += [f"## {grid.title}", "\n".join(lines)]
    parts.append("\n".join(f"- {line}" for line in remarks(found)))
    return "\n\n".join(parts) + "\n"


def as_csv(found: Verdicts) -> str:
    """Return one line for each recommender and measure."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("recommender", "mark", "measure", "of", "mean", "low", "high", "pairs"))
    for row in found.rows:
        kinds = {"audience": row.values, "difference": row.differences, "offline": row.offline}
        for kind, estimates in kinds.items():
            for name, one in estimates.items():
                numbers = msgspec.structs.astuple(one)
                writer.writerow((row.recommender, row.mark, name, kind, *numbers))
    return out.getvalue()


def as_plain(found: Verdicts) -> dict[str, object]:
    """Return all of it as plain values; what is not a number becomes None."""
    plain = _plain(msgspec.to_builtins(found))
    assert isinstance(plain, dict)
    return plain | {"remarks": remarks(found)}


def _plain(value: object) -> object:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {"pairs" if key == "count" else key: _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, (list, tuple)) else value


def write(found: Verdicts, folder: Path) -> list[Path]:
    """Write verdicts.md, .csv, .json and the figure beside the runs."""
    figure = drawn(found, COLUMNS)
    return replace_all(
        {
            folder / "verdicts.md": as_markdown(found).encode(),
            folder / "verdicts.csv": as_csv(found).encode(),
            folder / "verdicts.json": msgspec.json.format(msgspec.json.encode(as_plain(found))),
            **{folder / f"verdicts.{kind}": rendered(figure, kind) for kind in ("png", "svg")},
        }
    )
