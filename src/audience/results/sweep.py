"""What the points of a sweep show: a table of them, main effects, and their figure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from audience.metrics import LABELS
from audience.results.figure import INK, MUTED, colour, panels, short, styled_figure
from audience.results.findings import Arm, differ
from audience.results.interval import Interval, t_interval
from audience.results.summary_lines import bounds_of
from audience.results.table import Column, ResultTable, Value, shown
from audience.world import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class SweepPoint(msgspec.Struct, frozen=True):
    """A setting of the varied keys, and its runs over the seeds."""

    values: dict[str, Any]
    arm: Arm


class SweepFindings(msgspec.Struct, frozen=True):
    """Everything that a sweep says."""

    title: str
    keys: tuple[str, ...]
    points: tuple[SweepPoint, ...]
    metrics: tuple[str, ...]
    drawn: tuple[str, ...] = ()
    """Keys whose values were drawn from a range."""

    @property
    def verdict(self) -> str:
        """Where the first metric is highest, and which key moves it most."""
        metric = self.metrics[0]
        label, _, better = _label(metric)
        best = _best([t_interval(point.arm.values(metric)).mean for point in self.points], better)
        if best is None:
            return f"{label} could be measured at no point."
        there = self.points[best]
        bounds = bounds_of(metric, _label(metric)[1])
        level = shown(*t_interval(there.arm.values(metric), bounds).three)
        word = "lowest" if better == "lower" else "highest"
        found = f"{label} is {word} with {written(there.values)} ({level})."
        widths = {key: _width(self, key, metric) for key in self.keys}
        widest = max(widths, key=lambda key: widths[key])
        if len(self.keys) > 1 and widths[widest] > 0.0:
            found += f" {widest} moves it most: by {shown(widths[widest])} between its values."
        return found


class MainEffect(msgspec.Struct, frozen=True):
    """A value of a key, averaged over all other keys, against the mean of all points by seed."""

    key: str
    value: Any
    """The value; of a range, its two ends."""
    points: int
    level: Interval
    effect: Interval
    """Against all points; of a range, the change along a straight line from end to end."""


def written(values: dict[str, Any]) -> str:
    """Return a setting as a user would write it: `mind.position=0.2, recommender=ease`."""
    return ", ".join(f"{key}={plain_value(value)}" for key, value in values.items())


def plain_value(value: object) -> str:
    """Return a value as a command line takes it."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def main_effects(findings: SweepFindings, metric: str) -> list[MainEffect]:
    """Return the effects of all keys on a metric, in the order of keys and values."""
    return [effect for key in findings.keys for effect in effects_of(findings, key, metric)]


def effects_of(findings: SweepFindings, key: str, metric: str) -> list[MainEffect]:
    """Return the effects of the values of a key; of a range, one."""
    table, bounds = _by_seed(findings, metric), bounds_of(metric, _label(metric)[1])
    whole = _mean(table)
    if key in findings.drawn:
        given = np.array([float(point.values[key]) for point in findings.points])
        ends = (float(given.min()), float(given.max()))
        slopes = np.array([_slope(given, column) for column in table.T])
        change = t_interval(slopes * (ends[1] - ends[0]))
        return [MainEffect(key, ends, len(given), t_interval(whole, bounds), change)]
    effects = []
    for value in _values(findings, key):
        rows = [point.values[key] == value for point in findings.points]
        own = _mean(table[rows])
        level, effect = t_interval(own, bounds), t_interval(own - whole)
        effects.append(MainEffect(key, value, sum(rows), level, effect))
    return effects


def sweep_table(findings: SweepFindings) -> ResultTable:
    """Return one row per point: its values, every metric, and its change against the first."""
    columns = [Column("point"), *(Column(key, is_text=True) for key in findings.keys)]
    for metric in findings.metrics:
        label, unit, _ = _label(metric)
        bounds = bounds_of(metric, unit)
        columns.append(Column(label, unit, "seeds", half=True, bounds=bounds))
        change = f"change of {label[:1].lower()}{label[1:]}"
        columns.append(Column(change, "", "seeds", signed=True, half=True))
    first, rows = findings.points[0].arm, []
    for place, point in enumerate(findings.points):
        values = [plain_value(point.values[key]) for key in findings.keys]
        row: list[Value] = [place + 1, *values]
        for metric in findings.metrics:
            bounds = bounds_of(metric, _label(metric)[1])
            row.append(t_interval(point.arm.values(metric), bounds))
            row.append(_change(first, point.arm, metric) if place else None)
        rows.append(tuple(row))
    note = "Changes are against point 1, paired by seed; * if the 95 % interval excludes zero."
    return ResultTable(tuple(columns), tuple(rows), findings.title, note)


def effects_table(findings: SweepFindings) -> ResultTable:
    """Return one row per value of each key: what it does to every metric, all else averaged."""
    columns = [Column("key", is_text=True), Column("value", is_text=True), Column("points")]
    columns += [
        Column(_label(metric)[0], _label(metric)[1], "seeds", signed=True, half=True)
        for metric in findings.metrics
    ]
    by_metric = [main_effects(findings, metric) for metric in findings.metrics]
    rows = [
        (each[0].key, _value_text(each[0].value), each[0].points, *(one.effect for one in each))
        for each in zip(*by_metric, strict=True)
    ]
    note = (
        "Against the mean of all points of the same seed; of a range, the change from end to end "
        "along a straight line. * if the 95 % interval excludes zero."
    )
    return ResultTable(tuple(columns), tuple(rows), "Main effects", note)


@styled_figure
def sweep_figure(findings: SweepFindings) -> Figure:
    """Return the main effects: metrics below each other, keys beside each other."""
    across = len(findings.keys)
    count = across * len(findings.metrics)
    figure, axes = panels(count, across, (0.7, 2.9), (0.5, 2.3), sharey=False)
    for row, metric in enumerate(findings.metrics):
        label, unit, _ = _label(metric)
        line = axes[row * across : (row + 1) * across]
        for place, (key, each) in enumerate(zip(findings.keys, line, strict=True)):
            draw = _draw_range if key in findings.drawn else _draw_levels
            draw(each, findings, key, metric, place)
            each.set_xlabel(key, color=INK)
        line[0].set_ylabel(f"{label}, {unit}" if unit else label)
        ends = [end for each in line for end in each.get_ylim()]
        for each in line:
            each.set_ylim(min(ends), max(ends))
    return figure


def sweep_caption(findings: SweepFindings) -> str:
    """Return what the figure shows."""
    seeds = len(findings.points[0].arm.runs)
    over = f"the 95 % interval over {seeds} seeds" if seeds > 1 else "no interval: one seed"
    return (
        f"Main effects in a sweep of {len(findings.points)} points: the mean over all points with "
        f"a value, with {over}; the line is the mean of all points."
    )


def _draw_levels(axes: Axes, findings: SweepFindings, key: str, metric: str, place: int) -> None:
    effects = effects_of(findings, key, metric)
    numeric = all(_is_number(effect.value) for effect in effects)
    spots = [float(effect.value) if numeric else float(x) for x, effect in enumerate(effects)]
    _draw_mean(axes, findings, metric)
    if numeric:
        means = [effect.level.mean for effect in effects]
        axes.plot(spots, means, color=colour(place), linewidth=1.0, alpha=0.5)
    for spot, effect in zip(spots, effects, strict=True):
        _draw_interval(axes, spot, effect.level, place)
    names = [short(plain_value(effect.value), 12) for effect in effects]
    axes.set_xticks(spots, names)
    margin = (0.12 if numeric else 0.25) * (max(spots) - min(spots)) or 0.5
    axes.set_xlim(min(spots) - margin, max(spots) + margin)
    axes.grid(False, axis="x")


def _draw_range(axes: Axes, findings: SweepFindings, key: str, metric: str, place: int) -> None:
    _draw_mean(axes, findings, metric)
    given = np.array([float(point.values[key]) for point in findings.points])
    levels = [t_interval(point.arm.values(metric)) for point in findings.points]
    for spot, level in zip(given.tolist(), levels, strict=True):
        _draw_interval(axes, spot, level, place, faint=True)
    means = np.array([level.mean for level in levels])
    there = np.isfinite(means)
    if there.sum() > 1:
        slope = _slope(given[there], means[there])
        ends = np.array([given.min(), given.max()])
        middle = means[there].mean() - slope * given[there].mean()
        axes.plot(ends, slope * ends + middle, color=colour(place))
    axes.grid(False, axis="x")


def _draw_mean(axes: Axes, findings: SweepFindings, metric: str) -> None:
    mean = t_interval(_mean(_by_seed(findings, metric))).mean
    if math.isfinite(mean):
        axes.axhline(mean, color=MUTED, linewidth=0.9, zorder=1)


def _draw_interval(
    axes: Axes, spot: float, level: Interval, place: int, *, faint: bool = False
) -> None:
    if not math.isfinite(level.mean):
        return
    if math.isfinite(level.low):
        width = 1.2 if faint else 2.2
        axes.plot([spot, spot], [level.low, level.high], color=colour(place), linewidth=width)
    axes.plot([spot], [level.mean], "o", color=colour(place), markersize=3.5 if faint else 5.5)


def _label(metric: str) -> tuple[str, str, str]:
    return LABELS.get(metric, (metric, "", ""))


def _by_seed(findings: SweepFindings, metric: str) -> Floats:
    """Return [points, seeds]."""
    return np.stack([point.arm.values(metric) for point in findings.points])


def _mean(table: Floats) -> Floats:
    """Return the mean over points for each seed, of those that have a number."""
    there = ~np.isnan(table)
    sums = np.where(there, table, 0.0).sum(axis=0)
    counts = there.sum(axis=0)
    means: Floats = np.where(counts > 0, sums / np.maximum(counts, 1), math.nan)
    return means


def _slope(given: Floats, measured: Floats) -> float:
    there = ~np.isnan(measured)
    if there.sum() < 2 or np.ptp(given[there]) == 0.0:
        return math.nan
    centred = given[there] - given[there].mean()
    return float((centred * measured[there]).sum() / (centred * centred).sum())


def _values(findings: SweepFindings, key: str) -> list[Any]:
    values: list[Any] = []
    for point in findings.points:
        if point.values[key] not in values:
            values.append(point.values[key])
    return values


def _width(findings: SweepFindings, key: str, metric: str) -> float:
    """Return how far the levels of a key lie apart; of a range, its change from end to end."""
    effects = effects_of(findings, key, metric)
    if key in findings.drawn:
        width = abs(effects[0].effect.mean)
    else:
        means = [each.level.mean for each in effects if math.isfinite(each.level.mean)]
        width = max(means) - min(means) if means else 0.0
    return width if math.isfinite(width) else 0.0


def _change(first: Arm, other: Arm, metric: str) -> Interval:
    difference = differ(first, other, metric)
    return Interval(difference.difference, difference.low, difference.high, difference.pairs)


def _best(means: Sequence[float], better: str) -> int | None:
    there = [place for place, mean in enumerate(means) if math.isfinite(mean)]
    if not there:
        return None
    pick = min if better == "lower" else max
    return pick(there, key=lambda place: means[place])


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _value_text(value: object) -> str:
    if isinstance(value, tuple):
        return f"{plain_value(value[0])}..{plain_value(value[1])}"
    return plain_value(value)
