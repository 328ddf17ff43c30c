"""Verdicts as a figure: every recommender on every measure of Agent4Rec's table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from audience.experiments.verdict_counts import MEASURES
from audience.experiments.verdicts import VerdictRow, Verdicts
from audience.results import draw_ranked, frozen, short, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PLAIN, _MARKED = 5, 1


def drawn(found: Verdicts, columns: tuple[str, ...]) -> Figure:
    """Return a panel for each measure, recommenders below each other with their intervals.

    Marked ones, whose verdict is not clean, have a colour and their mark.
    """
    with styled():
        return frozen(_panels(found, columns))


def _panels(found: Verdicts, columns: tuple[str, ...]) -> Figure:
    from matplotlib.figure import Figure

    size = (1.9 + 1.9 * len(columns), 1.0 + 0.24 * len(found.rows))
    figure = Figure(figsize=size, layout="constrained")
    for axes, column in zip(
        figure.subplots(1, len(columns), sharey=True, squeeze=False).flat, columns, strict=True
    ):
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
