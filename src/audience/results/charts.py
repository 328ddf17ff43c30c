"""The charts of reports and studies, from arms with one run per seed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from audience.metrics import LABELS, round_unit
from audience.results.figure import (
    DASHES,
    INK,
    MUTED,
    PALETTE,
    SURFACE,
    colour,
    frozen,
    panel,
    short,
    styled,
)
from audience.results.findings import Arm, Findings, Label
from audience.results.interval import Bounds, t_interval
from audience.results.judgement import CLEAR
from audience.results.summary_lines import Contrast, Line, bounds_of, headline, summary
from audience.results.table import shown
from audience.world import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def over_seeds(arms: Sequence[Arm]) -> str:
    """Return what the intervals of a chart are over, in words."""
    fewest, most = min(len(arm.runs) for arm in arms), max(len(arm.runs) for arm in arms)
    if most == 1:
        return "One run each, so no interval."
    if fewest >= 3:
        return f"Mean over {fewest} seeds with its 95 % interval over seeds."
    return "Mean over seeds, with the range from the lowest to the highest of two seeds."


def levels(
    arm: Arm, metrics: Sequence[str], labels: Mapping[str, Label] | None = None
) -> tuple[Floats, Floats, Floats]:
    """Return mean, low and high over seeds of some of an arm's metrics."""
    known = LABELS | dict(labels or {})
    rows = [
        _over_seeds(arm.values(metric), bounds_of(metric, known.get(metric, ("", "", ""))[1]))
        for metric in metrics
    ]
    mean, low, high = np.array(rows).reshape(-1, 3).T
    return mean, low, high


def _over_seeds(values: Floats, bounds: Bounds) -> tuple[float, float, float]:
    """Return mean, low and high: a 95 % interval, or the range of two seeds."""
    there = values[~np.isnan(values)]
    if len(there) == 2:
        return float(there.mean()), float(there.min()), float(there.max())
    return t_interval(there, bounds).three


def forest(findings: Findings) -> Figure | None:
    """Return every arm against the first, in % of it, metric by metric; None if nothing to draw."""
    chosen = headline(summary(findings), findings.labels)
    lines = [line for line in chosen if any(map(_is_drawable, line.contrasts))]
    if findings.labels:
        lines = [line for line in lines if not _is_about_nil(line)]
    others = list(dict.fromkeys(c.other for line in lines for c in line.contrasts))
    if not others:
        return None
    figure, axes = panel(7.6, 1.15 + len(lines) * (0.16 + 0.19 * len(others)))
    axes.axvline(0.0, color=MUTED, linewidth=1.0, zorder=1)
    places = {arm.name: place for place, arm in enumerate(findings.arms)}
    for row, line in enumerate(lines):
        for contrast in filter(_is_drawable, line.contrasts):
            at = row + _offset(others.index(contrast.other), len(others))
            _draw_contrast(axes, contrast, at, colour(places.get(contrast.other, 1)))
    axes.set_yticks(range(len(lines)), [_judged(line) for line in lines])
    axes.tick_params(axis="y", colors=INK)
    axes.set_ylim(len(lines) - 0.5, -0.5)
    axes.grid(False, axis="y")
    _scale_percent(axes, [c for line in lines for c in line.contrasts if _is_drawable(c)])
    reference = short(findings.arms[0].name)
    axes.set_xlabel(f"change in % of {reference}")
    axes.set_title(f"{short(others[0]) if len(others) == 1 else 'Each arm'} against {reference}")
    key(figure, [(name, places.get(name, 1)) for name in others])
    return figure


def _is_about_nil(line: Line) -> bool:
    """Return True if the reference may be zero, so that a change in % means nothing."""
    return line.cells[0].low <= 0.0 <= line.cells[0].high


def _is_drawable(contrast: Contrast) -> bool:
    return math.isfinite(contrast.percent)


def _offset(place: int, count: int) -> float:
    return (place - (count - 1) / 2.0) * 0.76 / count


def _judged(line: Line) -> str:
    return f"{short(line.label, 34)}\n(lower is better)" if line.better == "lower" else line.label


def _draw_contrast(axes: Axes, contrast: Contrast, at: float, ink: str) -> None:
    is_bounded = math.isfinite(contrast.percent_low) and math.isfinite(contrast.percent_high)
    if is_bounded:
        bounds = (contrast.percent_low, contrast.percent_high)
        axes.plot(bounds, (at, at), color=ink, linewidth=2.0, zorder=2)
    is_clear = contrast.judgement in CLEAR
    face = ink if is_clear else SURFACE
    axes.plot(
        contrast.percent, at, "o", markersize=6, markeredgewidth=1.6,
        color=ink, markerfacecolor=face, zorder=3,
    )  # fmt: skip
    text = shown(contrast.percent, contrast.percent_low, contrast.percent_high, signed=True)
    beside(axes, at, 10.0, text, INK, "normal")
    weight = "bold" if is_clear else "normal"
    judgement = contrast.judgement or "no interval"
    beside(axes, at, 118.0, judgement, INK if is_clear else MUTED, weight)


def beside(
    axes: Axes, at: float, points: float, text: str, color: str, weight: str = "bold"
) -> None:
    """Write text so many points right of the axes, at a height in their units."""
    across = axes.get_yaxis_transform()
    axes.annotate(
        text, (1.0, at), (points, 0.0), xycoords=across, textcoords="offset points",
        va="center", fontsize=8, annotation_clip=False, color=color, weight=weight,
    )  # fmt: skip


def _scale_percent(axes: Axes, contrasts: Sequence[Contrast]) -> None:
    """Fit the axis to all changes; logarithmic if one is far larger than most."""
    from matplotlib.ticker import FuncFormatter

    ends = [
        max(abs(end) for end in (c.percent, c.percent_low, c.percent_high) if math.isfinite(end))
        for c in contrasts
    ]
    limit = max([*ends, 1e-6]) * 1.12
    if limit > 12.0 * float(np.median(ends)) and limit > 20.0:
        axes.set_xscale("symlog", linthresh=10.0, linscale=1.0)
        limit *= 1.5
        powers = [10.0**power for power in range(1, math.floor(math.log10(limit)) + 1)]
        axes.set_xticks([*(-power for power in reversed(powers)), 0.0, *powers])
        axes.minorticks_off()
    axes.set_xlim(-limit, limit)
    axes.xaxis.set_major_formatter(
        FuncFormatter(lambda x, _: f"{x:{'+' if x else ''}g}".replace("-", "−"))
    )


def by_round(arms: Sequence[Arm], metric: str, label: Label) -> Figure | None:
    """Return a line per arm over the rounds, with its interval; None if nothing to draw."""
    from matplotlib.ticker import MaxNLocator

    figure, axes = panel(5.0, 2.9)
    ends: list[tuple[float, int]] = []
    is_moving = False
    for place, arm in enumerate(arms):
        rounds, values = _rounds(arm, metric)
        bounds = bounds_of(metric, label[1])
        mean, low, high = np.array([_over_seeds(row, bounds) for row in values.T]).reshape(-1, 3).T
        if np.isnan(mean).all():
            continue
        is_moving |= len(rounds) > 1
        dashes = DASHES[place // len(PALETTE) % len(DASHES)]
        marker = "o" if len(rounds) < 13 else ""
        axes.fill_between(rounds, low, high, color=colour(place), alpha=0.16, linewidth=0)
        axes.plot(rounds, mean, dashes, marker=marker, markersize=3.5, color=colour(place))
        ends.append((float(mean[~np.isnan(mean)][-1]), place))
    if not ends or not is_moving:
        return None
    name, unit, _ = label
    axes.set_title(f"{name}, {unit}" if unit else name)
    axes.set_xlabel("round")
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    axes.margins(x=0.02)
    axes.grid(False, axis="x")
    name_ends(axes, ends, arms)
    return figure


def _rounds(arm: Arm, metric: str) -> tuple[Floats, Floats]:
    """Return the round numbers, and a row of values per seed, NaN after a run ended."""
    longest = max((run.rounds for run in arm.runs), key=len, default=())
    numbers = np.array([row.get("round", place) for place, row in enumerate(longest, 1)])
    values = np.full((len(arm.runs), len(longest)), math.nan)
    for seed, run in enumerate(arm.runs):
        values[seed, : len(run.rounds)] = [row.get(metric, math.nan) for row in run.rounds]
    return numbers, values


def name_ends(axes: Axes, ends: list[tuple[float, int]], arms: Sequence[Arm]) -> None:
    """Write each arm's name where its line ends, without overlaps."""
    bottom, top = axes.get_ylim()
    axes.set_ylim(bottom, top)
    least = 0.085
    heights: list[float] = []
    for value, _ in sorted(ends):
        target = (value - bottom) / (top - bottom)
        heights.append(max(target, heights[-1] + least) if heights else target)
    above = max(0.0, heights[-1] - 1.0)
    for height, (_, place) in zip(heights, sorted(ends), strict=True):
        at = bottom + (height - above) * (top - bottom)
        beside(axes, at, 8.0, short(arms[place].name), colour(place))


def bars(
    axes: Axes,
    arms: Sequence[Arm],
    metrics: Sequence[str],
    *,
    labelled: bool,
    labels: Mapping[str, Label] | None = None,
) -> bool:
    """Draw a group of bars per metric, one per arm, and return whether there was anything."""
    width = 0.8 / len(arms)
    is_seen, is_negative = False, False
    for place, arm in enumerate(arms):
        mean, low, high = levels(arm, metrics, labels)
        is_negative |= bool((np.nan_to_num(mean) < 0.0).any())
        is_seen |= not bool(np.isnan(mean).all())
        at = np.arange(len(metrics)) + (place - (len(arms) - 1) / 2.0) * width
        axes.bar(at, np.nan_to_num(mean), width * 0.92, color=colour(place))
        axes.vlines(at, low, high, color=INK, linewidth=1.1)
        if labelled:
            tops = np.fmax(mean, high)
            for x, top, value in zip(at, tops, mean, strict=True):
                if math.isfinite(value):
                    text = f"{value:.2f}"
                    axes.text(x, top + 0.015, text, ha="center", va="bottom", fontsize=7.5)
    axes.margins(y=0.14)
    if is_negative:
        axes.axhline(0.0, color=MUTED, linewidth=1.0)
    else:
        axes.set_ylim(bottom=0.0)
    axes.grid(False, axis="x")
    return is_seen


def key(figure: Figure, names: Sequence[tuple[str, int]]) -> None:
    """Add a legend of the arms below the axes if there are several."""
    from matplotlib.patches import Patch

    if len(names) < 2:
        return
    patches = [Patch(color=colour(place), label=short(name)) for name, place in names]
    columns = min(3, len(patches))
    figure.legend(handles=patches, loc="outside lower left", ncols=columns, handlelength=1.0)


BY_ROUND = (
    "satisfaction",
    "click_rate",
    "picks",
    "return_rate",
    "entropy_consumption",
)
SPREAD_BY_ROUND = ("reach", "emotion", "positive")
"""Drawn if a topic spread."""
CONCENTRATION = ("gini", "coverage_exposure", "coverage_consumption")
STARS = tuple(f"rating_{stars}" for stars in range(1, 6))


def draw(findings: Findings) -> dict[str, Figure]:
    """Return every figure that these findings have data for, by name."""
    drawn: dict[str, Figure | None] = {}
    with styled():
        drawn["differences"] = forest(findings)
        for metric in (*BY_ROUND, *SPREAD_BY_ROUND):
            drawn[f"{metric}_by_round"] = by_round(findings.arms, metric, _label_of_round(metric))
        drawn["ratings"] = _ratings(findings.arms)
        drawn["concentration"] = _concentration(findings.arms)
        return {name: frozen(figure) for name, figure in drawn.items() if figure is not None}


def _label_of_round(metric: str) -> Label:
    name, _, better = LABELS[metric]
    return f"{name} by round", round_unit(metric), better


def caption(name: str, findings: Findings) -> str:
    """Return how to read a figure and what its intervals are over."""
    if name == "differences":
        over = " and ".join(sorted({d.over for d in findings.differences})) or "seeds"
        return (
            f"Change against {findings.arms[0].name}, in % of it: the dot is the mean, the bar its "
            f"95 % interval over {over}, paired. A full dot is clear after Holm's correction."
        )
    over = over_seeds(findings.arms)
    if name == "ratings":
        return f"Share of all ratings that gave so many stars. {over}"
    if name == "concentration":
        return (
            "Gini is 0 when every item is picked equally often and near 1 when a few get "
            f"everything; coverage is the share of items shown, or picked, at least once. {over}"
        )
    label = LABELS[name.removesuffix("_by_round")][0]
    return f"{label} of each round alone; the axis need not begin at zero. {over}"


def _ratings(arms: Sequence[Arm]) -> Figure | None:
    figure, axes = panel(5.0, 2.9)
    if not bars(axes, arms, STARS, labelled=False):
        return None
    axes.set_xticks(range(5), ["1 star", "2 stars", "3 stars", "4 stars", "5 stars"])
    axes.set_title("Ratings, share of each number of stars")
    key(figure, [(arm.name, place) for place, arm in enumerate(arms)])
    return figure


def _concentration(arms: Sequence[Arm]) -> Figure | None:
    figure, axes = panel(5.0, 2.9)
    if not bars(axes, arms, CONCENTRATION, labelled=len(arms) <= 3):
        return None
    axes.set_xticks(range(3), ["Gini of picks", "Items shown,\nshare", "Items picked,\nshare"])
    axes.set_title("How concentrated attention is")
    key(figure, [(arm.name, place) for place, arm in enumerate(arms)])
    return figure
