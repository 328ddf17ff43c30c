"""Calibrations: what was fitted and how well, as stored in a parameter file, and their figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from audience.errors import BadInput
from audience.grounding import MINUTES, PAGES, PICKS, TAKEN, Bin, miscalibration
from audience.results.figure import MUTED, colour, panels, styled_figure
from audience.toml_reader import read_toml, read_toml_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = 4
CAPTION = (
    "Minds against people not used for fitting: real, simulated with fitted parameters, and with "
    "the parameters before. JSD is the divergence from real in bits, in brackets that between two "
    "halves of the real people. Diagonals: predictions against outcomes on held-out data, with "
    "95 % intervals."
)
_EDGES = {
    "picks per page": PICKS,
    "pages per visit": PAGES,
    "picks per visit": TAKEN,
    "minutes per visit": MINUTES.astype(np.int64),
}


class Compared(msgspec.Struct, frozen=True):
    """One histogram of people not used for fitting, and of minds in their place."""

    name: str
    real: tuple[float, ...]
    simulated: tuple[float, ...]
    before: tuple[float, ...]
    """With the parameters before the fit."""
    distance: float
    """Jensen-Shannon divergence from real, in bits."""
    distance_before: float
    floor: float
    """The same between two halves of the real people: anything below is chance."""
    mean_real: tuple[float, float, float]
    """With a 95 % interval."""
    mean_simulated: tuple[float, float, float]


class Calibration(msgspec.Struct, frozen=True):
    """What was fitted, and how well it does on other people."""

    mind: str
    source: str
    parameters: dict[str, float]
    compared: tuple[Compared, ...]
    reliability: dict[str, tuple[Bin, ...]]
    """Outcomes on held-out data by prediction, by name."""
    people: tuple[int, int]
    """How many were used for fitting, and how many for checking."""
    visits: tuple[int, int]
    simulated: int
    """Simulated visits per set of parameters."""
    page_size: int
    max_pages: int
    gap: float
    seed: int
    pick_rate: float
    """The share of shown items that minds pick; ratings do not record what people were shown."""
    gap_days: float
    """Median days between real visits."""
    has_pages: bool
    notes: tuple[str, ...] = ()
    """What is to be said of the fit, such as what was not better than before."""


@styled_figure
def calibration_figure(calibration: Calibration) -> Figure:
    """Return a panel for each histogram and a reliability diagram for each kind of prediction."""
    compared, reliability = calibration.compared, calibration.reliability
    count = len(compared) + len(reliability)
    figure, grid = panels(count, COLUMNS, (0.0, 2.9), (0.6, 2.3))
    for axes, histogram in zip(grid, compared, strict=False):
        _bars(axes, histogram)
    for axes, (name, bins) in zip(grid[len(compared) :], reliability.items(), strict=True):
        _diagonal(axes, name, bins)
    handles, labels = grid[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower left", ncols=3)
    return figure


@styled_figure
def reliability_figure(reliability: Mapping[str, Sequence[Bin]]) -> Figure:
    """Return a reliability diagram for each kind of prediction."""
    figure, grid = panels(len(reliability), COLUMNS, (0.0, 2.9), (0.6, 2.3))
    for axes, (name, bins) in zip(grid, reliability.items(), strict=True):
        _diagonal(axes, name, bins)
    return figure


def _bars(axes: Axes, histogram: Compared) -> None:
    at = np.arange(len(histogram.real))
    rows = (
        ("real", histogram.real),
        ("simulated", histogram.simulated),
        ("before", histogram.before),
    )
    for place, (label, values) in enumerate(rows):
        axes.bar(at + 0.27 * (place - 1), values, 0.25, color=colour(place), label=label)
    axes.set_xticks(at, _labels(histogram))
    axes.tick_params(labelsize=6.5)
    axes.grid(False, axis="x")
    axes.set_title(
        f"{histogram.name}\nJSD {histogram.distance:.3f} ({histogram.floor:.3f})",
        fontsize=9,
        pad=5.0,
    )


def _labels(histogram: Compared) -> list[str]:
    edges = _EDGES.get(histogram.name)
    if edges is None:
        return [str(place + 1) for place in range(len(histogram.real))]
    ends = [*(edges[1:] - 1).tolist(), None]
    return [_span(begin, end) for begin, end in zip(edges.tolist(), ends, strict=True)]


def _span(begin: int, end: int | None) -> str:
    if end is None:
        return f"{begin}+"
    return str(begin) if end <= begin else f"{begin}–{end}"


def _diagonal(axes: Axes, name: str, bins: Sequence[Bin]) -> None:
    x = [point.predicted for point in bins]
    y = [point.happened for point in bins]
    reach = [
        [point.happened - point.low for point in bins],
        [point.high - point.happened for point in bins],
    ]
    ends = [min(x + y), max(x + y)]
    axes.plot(ends, ends, color=MUTED, linewidth=1.0, linestyle="--")
    axes.errorbar(x, y, yerr=reach, fmt="o", markersize=3.5, linewidth=1.2, color=colour(0))
    axes.set_xlabel("predicted")
    axes.set_ylabel("happened")
    axes.tick_params(labelsize=6.5)
    axes.set_title(
        f"predicted {name}\nmean distance {miscalibration(bins):.3f}", fontsize=9, pad=5.0
    )


def read_calibration(path: Path) -> Calibration | None:
    """Return the calibration in a parameter file; None if it holds none."""
    try:
        tree = read_toml_file(path)
        fields = {**tree["calibration"], "parameters": tree["mind"]}
        return msgspec.convert(fields, Calibration)
    except (BadInput, KeyError, TypeError, msgspec.ValidationError):
        return None


def calibrations_in(scenario: str) -> list[Calibration]:
    """Return the calibrations behind the minds of a scenario, each once."""
    try:
        tree = read_toml(scenario, "scenario")
    except BadInput:
        return []
    arms = tree.get("arms", {})
    scopes = (tree, *(arms.values() if isinstance(arms, dict) else ()))
    paths: dict[str, None] = {}
    for scope in scopes:
        mind = scope.get("mind") if isinstance(scope, dict) else None
        options = mind.get("options", mind) if isinstance(mind, dict) else {}
        if isinstance(options.get("parameters"), str):
            paths[options["parameters"]] = None
    read = [read_calibration(Path(path)) for path in paths]
    return [calibration for calibration in read if calibration is not None]
