"""A result as a figure: everybody side by side, with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from audience.experiments.evaluation.results import AREA, Result
from audience.experiments.evaluation.tables import label
from audience.results import MUTED, draw_ranked, frozen, short, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST = 4
"""Panels side by side."""
_COLOURS = {"baseline": 5, "mind": 1, "people": 2}


def side_by_side(result: Result) -> Figure:
    """Return a panel for each group and drawn column, contestants below each other."""
    with styled():
        return frozen(_panels(result))


def drawn_columns(result: Result) -> tuple[str, ...]:
    """Return the columns a figure shows: all of one kind, or the headline alone."""
    return (result.headline,) if result.headline else result.columns


def _panels(result: Result) -> Figure:
    from matplotlib.figure import Figure

    columns = drawn_columns(result)
    groups = [group for group in result.groups if not group.endswith(AREA)]
    panels = [(group, column) for group in groups for column in columns]
    across = max(1, min(len(columns) if len(columns) > 1 else len(panels), MOST))
    down = -(-len(panels) // across)
    height = 0.9 + down * (0.55 + 0.2 * len(result.rows))
    figure = Figure(figsize=(1.9 + 2.1 * across, height), layout="constrained")
    grid = figure.subplots(down, across, sharey=True, squeeze=False)
    for place, axes in enumerate(grid.flat):
        if place < len(panels):
            _panel(axes, result, *panels[place])
        else:
            axes.set_visible(False)
    return figure


def _panel(axes: Axes, result: Result, group: str, column: str) -> None:
    rows = []
    for row in result.rows:
        cell = row.cells.get(group, {}).get(column)
        rows.append((short(label(row), 26), cell.value if cell else None, _COLOURS[row.kind]))
    draw_ranked(axes, rows, f"{group} {column}")
    if column in result.lower_is_better:
        axes.set_xlabel("less is better", color=MUTED, fontsize=8)
