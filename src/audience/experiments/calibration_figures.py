"""Calibration as a figure: simulated beside real, and what happened by what was predicted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from audience.experiments.calibrating import Calibration, Compared
from audience.grounding.calibration import Bin, miscalibration
from audience.grounding.sessions import MINUTES, PAGES, PICKS, TAKEN
from audience.results import MUTED, colour, frozen, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = 4
CAPTION = (
    "Minds against people who were not fitted on: real, simulated with fitted parameters, and "
    "with the parameters as they were. JSD is the divergence from real in bits, in brackets that "
    "between two halves of the real people. Diagonals: what was predicted against what happened "
    "where it was held out, with 95 % intervals."
)
_EDGES = {
    "picks per page": PICKS,
    "pages per visit": PAGES,
    "picks per visit": TAKEN,
    "minutes per visit": MINUTES.astype(np.int64),
}


def calibration_figure(found: Calibration) -> Figure:
    """Return a panel for each histogram and a reliability diagram for each kind of prediction."""
    with styled():
        return frozen(_panels(found))


def _panels(found: Calibration) -> Figure:
    from matplotlib.figure import Figure

    count = len(found.compared) + len(found.reliability)
    columns = min(COLUMNS, max(1, count))
    rows = -(-count // columns)
    figure = Figure(figsize=(2.9 * columns, 0.6 + 2.3 * rows), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False).flatten().tolist()
    for axes, one in zip(grid, found.compared, strict=False):
        _bars(axes, one)
    for axes, (name, bins) in zip(
        grid[len(found.compared) :], found.reliability.items(), strict=False
    ):
        _diagonal(axes, name, bins)
    for axes in grid[count:]:
        axes.set_visible(False)
    handles, labels = grid[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower left", ncols=3)
    return figure


def _bars(axes: Axes, one: Compared) -> None:
    at = np.arange(len(one.real))
    rows = (("real", one.real), ("simulated", one.simulated), ("before", one.before))
    for place, (label, values) in enumerate(rows):
        axes.bar(at + 0.27 * (place - 1), values, 0.25, color=colour(place), label=label)
    axes.set_xticks(at, _labels(one))
    axes.tick_params(labelsize=6.5)
    axes.grid(False, axis="x")
    axes.set_title(f"{one.name}\nJSD {one.distance:.3f} ({one.floor:.3f})", fontsize=9, pad=5.0)


def _labels(one: Compared) -> list[str]:
    edges = _EDGES.get(one.name)
    if edges is None:
        return [str(place + 1) for place in range(len(one.real))]
    ends = [*(edges[1:] - 1).tolist(), None]
    return [_span(begin, end) for begin, end in zip(edges.tolist(), ends, strict=True)]


def _span(begin: int, end: int | None) -> str:
    if end is None:
        return f"{begin}+"
    return str(begin) if end <= begin else f"{begin}–{end}"


def _diagonal(axes: Axes, name: str, bins: Sequence[Bin]) -> None:
    x = [one.predicted for one in bins]
    y = [one.happened for one in bins]
    reach = [[one.happened - one.low for one in bins], [one.high - one.happened for one in bins]]
    ends = [min(x + y), max(x + y)]
    axes.plot(ends, ends, color=MUTED, linewidth=1.0, linestyle="--")
    axes.errorbar(x, y, yerr=reach, fmt="o", markersize=3.5, linewidth=1.2, color=colour(0))
    axes.set_xlabel("predicted")
    axes.set_ylabel("happened")
    axes.tick_params(labelsize=6.5)
    axes.set_title(
        f"predicted {name}\nmean distance {miscalibration(bins):.3f}", fontsize=9, pad=5.0
    )
