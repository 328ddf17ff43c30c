"""F: how much people do. Pareto and lognormal fits with KS distances (figure 5)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from audience.datasets.people import ActivityFit, fit_activity
from audience.errors import AudienceError, BadInput
from audience.lab.evaluation.source import read_parts
from audience.results import (
    ANY,
    POSITIVE,
    SHARE,
    Bounds,
    Column,
    Interval,
    ResultTable,
    Value,
    bootstrap,
    colour,
    csv_text,
    panels,
    percentile_interval,
    short,
    styled_figure,
)
from audience.world import Floats, Ints

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CUT = 0.1
"""So large a share of people with the same largest number is no tail."""
SAMPLES = 200
BOUNDS: dict[str, Bounds] = {
    "alpha": POSITIVE,
    "KS Pareto": SHARE,
    "mu": ANY,
    "sigma": POSITIVE,
    "KS lognormal": SHARE,
}
"""The numbers of a fit, and their possible values."""
HEADS = tuple(BOUNDS)
_COLUMNS = 3


class Fit(msgspec.Struct, frozen=True, eq=False):
    """The laws of one dataset, each number with its interval."""

    name: str
    counts: Ints
    """Interactions of each person who has any."""
    fitted: ActivityFit
    values: dict[str, Interval]


def datasets_in(paths: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """Yield the datasets of some paths and, for a folder of folders, of those inside.

    The second is why one was left out; empty where it can be read.
    """
    for path in paths:
        folders = sorted(one for one in path.iterdir() if one.is_dir()) if path.is_dir() else []
        has_files = path.is_dir() and any(one.is_file() for one in path.iterdir())
        if not folders or (has_files and not _only_notes(path)):
            yield path, ""
            continue
        for one in folders:
            yield one, "inside"


def _only_notes(path: Path) -> bool:
    files = [one for one in path.iterdir() if one.is_file()]
    return all(one.suffix.lower() in (".md", "") for one in files)


def fits_of(paths: Sequence[Path], seed: int) -> tuple[list[Fit], list[str]]:
    """Return the fits of every dataset at hand, and what was left out and why."""
    found, left = [], []
    for path, inside in datasets_in(paths):
        try:
            real = read_parts(path, None, seed).real
            counts = np.bincount(real.users, minlength=real.people)
            found.append(fit_of(real.name, counts, seed))
        except AudienceError as error:
            if not inside:
                raise
            left.append(f"{path.name}: {error}")
    if not found:
        raise BadInput(
            f"--data {', '.join(map(str, paths))}: there is no dataset with interactions here"
        )
    return found, left


def fit_of(name: str, counts: Ints, seed: int) -> Fit:
    """Return the laws of some counts, with intervals by drawing people again and again."""
    fitted = fit_activity(counts)
    some = counts[counts > 0]

    def again(people: Ints) -> tuple[float, ...]:
        # Of few people a sample may hold only equals, who follow no law.
        with suppress(BadInput):
            # x_min is that of the data: the smallest of a sample would only be larger.
            return _numbers(fit_activity(some[people], fitted.pareto.least))
        return (math.nan,) * len(HEADS)

    samples = bootstrap(again, len(some), seed=seed, names=("activity",), resamples=SAMPLES)
    values = {
        head: percentile_interval(value, samples[place], count=len(some))
        for place, (head, value) in enumerate(zip(HEADS, _numbers(fitted), strict=True))
    }
    return Fit(name, some, fitted, values)


def _numbers(fitted: ActivityFit) -> tuple[float, ...]:
    one, other = fitted.pareto, fitted.lognormal
    return one.shape, one.ks, other.mu, other.sigma, other.ks


@styled_figure
def survival(fits: Sequence[Fit]) -> Figure:
    """Return figure 5: the share of people with more interactions, and what the laws say."""
    from matplotlib.lines import Line2D

    figure, grid = panels(len(fits), _COLUMNS, (0.6, 2.9), (0.6, 2.6))
    for axes, fit in zip(grid, fits, strict=True):
        _panel(axes, fit)
    lines = [
        Line2D([], [], color=colour(0), marker="o", linestyle="", markersize=3, label="people"),
        Line2D([], [], color=colour(1), label="Pareto"),
        Line2D([], [], color=colour(2), linestyle="--", label="lognormal"),
    ]
    figure.legend(handles=lines, loc="outside lower left", ncols=3)
    return figure


def _panel(axes: Axes, fit: Fit) -> None:
    from matplotlib.ticker import FuncFormatter, NullFormatter

    values, counts = np.unique(fit.counts, return_counts=True)
    over = 1.0 - np.cumsum(counts) / len(fit.counts)
    shown = over > 0
    axes.loglog(values[shown], over[shown], "o", color=colour(0), markersize=2)
    grid = np.geomspace(max(float(values[0]), 1.0), float(values[-1]), 200)
    laws = ((_pareto(fit.fitted, grid), 1, "-"), (_lognormal(fit.fitted, grid), 2, "--"))
    for law, place, dash in laws:
        axes.loglog(grid, np.maximum(law, 1e-12), dash, color=colour(place))
    axes.set_ylim(0.5 / len(fit.counts), 1.5)
    for side in (axes.xaxis, axes.yaxis):
        # Powers as matplotlib writes them are formulas, and our texts are none.
        side.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.4g}"))
        side.set_minor_formatter(NullFormatter())
    axes.set_title(short(fit.name, 30), fontsize=9, pad=5.0)
    told = f"KS Pareto {fit.fitted.pareto.ks:.3f}\nKS lognormal {fit.fitted.lognormal.ks:.3f}"
    axes.text(0.03, 0.04, told, transform=axes.transAxes, fontsize=7)
    axes.set_xlabel("interactions")
    axes.set_ylabel("share of people with more")


def _pareto(fitted: ActivityFit, grid: Floats) -> Floats:
    law = fitted.pareto
    found: Floats = np.maximum(grid / law.least, 1.0) ** -law.shape
    return found


def _lognormal(fitted: ActivityFit, grid: Floats) -> Floats:
    from scipy.special import ndtr

    law = fitted.lognormal
    found: Floats = 1.0 - ndtr((np.log(grid) - law.mu) / law.sigma)
    return found


def activity_values(fits: Sequence[Fit], left: Sequence[str], seed: int) -> dict[str, object]:
    """Return the fits as plain values."""
    rows = [
        {
            "dataset": one.name,
            "people": one.fitted.people,
            "mean": one.fitted.mean,
            "best": one.fitted.best,
            "values": msgspec.to_builtins(one.values),
        }
        for one in fits
    ]
    return {"name": "activity", "seed": seed, "datasets": rows, "left_out": list(left)}


def table(fits: Sequence[Fit]) -> ResultTable:
    """Return one row a dataset."""
    laws = (Column(head, digits=3, half=True, bounds=BOUNDS[head]) for head in HEADS)
    counts = (Column("people"), Column("mean", over="people", digits=1))
    columns = (Column("dataset", is_text=True), *counts, *laws, Column("nearer"))
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (
            fit.name,
            fit.fitted.people,
            fit.fitted.mean,
            *(fit.values[head] for head in HEADS),
            fit.fitted.best,
        )
        for fit in fits
    )
    return ResultTable(columns, rows)


def numbers(fits: Sequence[Fit]) -> str:
    """Return the same as CSV, each law's parameters with their bounds."""
    bounds = [name for head in HEADS for name in (head, f"{head} low", f"{head} high")]
    rows = []
    for fit in fits:
        values = [f"{value:.6f}" for head in HEADS for value in fit.values[head].three]
        people = (fit.fitted.people, f"{fit.fitted.mean:.6f}")
        rows.append([fit.name, *people, *values, fit.fitted.best])
    return csv_text(["dataset", "people", "mean", *bounds, "nearer"], rows)


def foot(fits: Sequence[Fit], left: Sequence[str], seed: int) -> list[str]:
    """Return what a table rests on, where data seem to be cut off, and what was left out."""
    told = (
        f"Interactions per user; 95 % intervals over {SAMPLES} samples of people, seed {seed}; "
        "no model, no calls, $0."
    )
    tops = [(one.name, int(one.counts.max()), _at_top(one)) for one in fits]
    cut = [
        f"{name}: {share:.0%} of the people have exactly {top:,}, and nobody has more. The source "
        "seems to be cut off there, and no law fits such counts."
        for name, top, share in tops
        if share >= CUT
    ]
    return [told, *cut, *(f"left out: {one}" for one in left)]


def _at_top(fit: Fit) -> float:
    return float((fit.counts == fit.counts.max()).mean())
