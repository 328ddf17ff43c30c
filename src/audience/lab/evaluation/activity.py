"""Evaluation F: Pareto and lognormal fits of how active people are, with KS distances."""

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
from audience.lab.evaluation.source import Real, read_parts
from audience.lab.evaluation.visit_times import ClockScore, score_clocks
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
    finite,
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
"""A dataset looks truncated if this share of people has exactly the largest count."""
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
    """The two laws fitted to one dataset, each parameter with its interval."""

    name: str
    counts: Ints
    """Interactions of each person who has any."""
    fitted: ActivityFit
    values: dict[str, Interval]
    clocks: ClockScore | None = None
    """When they come, if that can be compared."""
    unclocked: str = ""
    """Why that cannot be compared."""


def datasets_in(paths: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """Yield the datasets at some paths, and those inside where a path is a folder of folders.

    The second value is `inside` for those: they may be skipped if they cannot be read.
    """
    for path in paths:
        folders = (
            sorted(entry for entry in path.iterdir() if entry.is_dir()) if path.is_dir() else []
        )
        has_files = path.is_dir() and any(entry.is_file() for entry in path.iterdir())
        if not folders or (has_files and not _only_notes(path)):
            yield path, ""
            continue
        for entry in folders:
            yield entry, "inside"


def _only_notes(path: Path) -> bool:
    files = (file for file in path.iterdir() if file.is_file())
    return all(file.suffix.lower() in (".md", "") for file in files)


def fits_of(paths: Sequence[Path], seed: int) -> tuple[list[Fit], list[str]]:
    """Return the fits of all datasets, and which were skipped and why."""
    fits, skipped = [], []
    for path, inside in datasets_in(paths):
        try:
            real = read_parts(path, None, seed).real
            counts = np.bincount(real.users, minlength=real.people)
            fits.append(_with_clocks(fit_of(real.name, counts, seed), real, seed))
        except AudienceError as error:
            if not inside:
                raise
            skipped.append(f"{path.name}: {error}")
    if not fits:
        raise BadInput(f"--data {', '.join(map(str, paths))}: no dataset with interactions found")
    return fits, skipped


def _with_clocks(fit: Fit, real: Real, seed: int) -> Fit:
    try:
        return msgspec.structs.replace(fit, clocks=score_clocks(real, seed))
    except BadInput as error:
        return msgspec.structs.replace(fit, unclocked=str(error))


def fit_of(name: str, counts: Ints, seed: int) -> Fit:
    """Return the laws fitted to counts, with bootstrap intervals over people."""
    fitted = fit_activity(counts)
    some = counts[counts > 0]

    def again(people: Ints) -> tuple[float, ...]:
        # A small sample may hold only equal counts, to which no law can be fitted.
        with suppress(BadInput):
            # x_min is that of the data: the smallest value of a sample could only be larger.
            return _numbers(fit_activity(some[people], fitted.pareto.least))
        return (math.nan,) * len(HEADS)

    samples = bootstrap(again, len(some), seed=seed, names=("activity",), resamples=SAMPLES)
    values = {
        head: percentile_interval(value, samples[place], count=len(some))
        for place, (head, value) in enumerate(zip(HEADS, _numbers(fitted), strict=True))
    }
    return Fit(name, some, fitted, values)


def _numbers(fitted: ActivityFit) -> tuple[float, ...]:
    pareto, lognormal = fitted.pareto, fitted.lognormal
    return pareto.shape, pareto.ks, lognormal.mu, lognormal.sigma, lognormal.ks


@styled_figure
def survival(fits: Sequence[Fit]) -> Figure:
    """Return figure 5: the share of people with more interactions, with both fitted laws."""
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
        # Matplotlib writes powers as formulas, which our style does not parse.
        side.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.4g}"))
        side.set_minor_formatter(NullFormatter())
    axes.set_title(short(fit.name, 30), fontsize=9, pad=5.0)
    distances = f"KS Pareto {fit.fitted.pareto.ks:.3f}\nKS lognormal {fit.fitted.lognormal.ks:.3f}"
    axes.text(0.03, 0.04, distances, transform=axes.transAxes, fontsize=7)
    axes.set_xlabel("interactions")
    axes.set_ylabel("share of people with more")


def _pareto(fitted: ActivityFit, grid: Floats) -> Floats:
    law = fitted.pareto
    survivors: Floats = np.maximum(grid / law.least, 1.0) ** -law.shape
    return survivors


def _lognormal(fitted: ActivityFit, grid: Floats) -> Floats:
    from scipy.special import ndtr

    law = fitted.lognormal
    survivors: Floats = 1.0 - ndtr((np.log(grid) - law.mu) / law.sigma)
    return survivors


def activity_values(fits: Sequence[Fit], left: Sequence[str], seed: int) -> dict[str, object]:
    """Return the fits as plain values."""
    rows = [
        {
            "dataset": fit.name,
            "people": fit.fitted.people,
            "mean": fit.fitted.mean,
            "best": fit.fitted.best,
            "values": finite(fit.values),
            "clocks": finite(fit.clocks),
        }
        for fit in fits
    ]
    return {"name": "activity", "seed": seed, "datasets": rows, "left_out": list(left)}


def table(fits: Sequence[Fit]) -> ResultTable:
    """Return a table with one row per dataset."""
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
    """Return the table as CSV, with the bounds of each parameter."""
    bounds = [name for head in HEADS for name in (head, f"{head} low", f"{head} high")]
    rows = []
    for fit in fits:
        values = [f"{value:.6f}" for head in HEADS for value in fit.values[head].three]
        people = (fit.fitted.people, f"{fit.fitted.mean:.6f}")
        rows.append([fit.name, *people, *values, fit.fitted.best])
    return csv_text(["dataset", "people", "mean", *bounds, "nearer"], rows)


def foot(fits: Sequence[Fit], left: Sequence[str], seed: int) -> list[str]:
    """Return the notes below the table: the method, truncated data, and skipped datasets."""
    method = (
        f"Interactions per user; 95 % intervals over {SAMPLES} samples of people, seed {seed}; "
        "no model, no calls, $0."
    )
    tops = [(fit.name, int(fit.counts.max()), _at_top(fit)) for fit in fits]
    cut = [
        f"{name}: {share:.0%} of the people have exactly {top:,}, and nobody has more. The source "
        "seems to be truncated there, and no law fits such counts."
        for name, top, share in tops
        if share >= CUT
    ]
    unclocked = [f"when people come is left out: {fit.unclocked}" for fit in fits if fit.unclocked]
    return [method, *cut, *unclocked, *(f"left out: {fit}" for fit in left)]


def _at_top(fit: Fit) -> float:
    return float((fit.counts == fit.counts.max()).mean())
