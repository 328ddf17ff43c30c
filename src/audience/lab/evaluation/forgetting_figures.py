"""Memory as figures: the forgetting function, and one person's forgetting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from audience.errors import BadInput
from audience.memory import DAY, HOUR, Forgetting, chance, forgetting
from audience.results import DASHES, INK, MUTED, colour, panels, styled_figure
from audience.runs import Course, Remembrance
from audience.world import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

IMPORTANCES = (0.1, 0.5, 0.9)
DAYS = (0, 1, 2, 4, 7, 14)
DRAWN = 60
"""Thoughts of one person that are drawn at most: the weightiest."""
_RAMP = ("#56b4e9", "#0072b2", "#d55e00")
"""From what hardly matters to what matters most."""
_ENDS = {"faded": ("x", "forgotten"), "merged": (">", "merged into another")}


@styled_figure
def forgetting_curves(
    betas: Sequence[float], deltas: Sequence[float], decay: float = 0.99
) -> Figure:
    """Return g over recency: a column for each delta, a row for each importance, lines by beta."""
    rows, columns = len(IMPORTANCES), len(deltas)
    figure, grid = panels(rows * columns, columns, (1.5, 2.9), (1.4, 1.6), sharex=True, sharey=True)
    recent = np.linspace(0.0, 1.0, 401)
    for row, weight in enumerate(IMPORTANCES):
        for column, delta in enumerate(deltas):
            axes = grid[row * columns + column]
            for place, beta in enumerate(betas):
                axes.plot(
                    recent, forgetting(weight, recent, beta, delta), DASHES[place % len(DASHES)],
                    color=colour(place), label=f"beta {beta:g}",
                )  # fmt: skip
            axes.set_xlim(1.0, 0.0)
            axes.set_ylim(0.0, 1.03)
            if not row:
                axes.set_title(f"delta {delta:g}", pad=24.0)
                _in_days(axes, decay)
            if row == rows - 1:
                axes.set_xticks([1.0, 0.75, 0.5, 0.25, 0.0], ["1", ".75", ".5", ".25", "0"])
                axes.set_xlabel("recency r, from now to long ago")
            if not column:
                axes.set_ylabel(f"g at importance {weight:g}")
    figure.suptitle(
        "How ready a thought is to be forgotten:  g = 1 − (s + r)/2 · max(r^beta, delta)",
        fontsize=10, weight="bold", x=0.01, ha="left",
    )  # fmt: skip
    handles, labels = grid[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower left", ncols=min(6, len(labels)))
    return figure


def _in_days(axes: Axes, decay: float) -> None:
    """Say above the axes how many days without access a recency is."""
    if decay >= 1.0:
        return
    days = axes.secondary_xaxis("top")
    days.set_xticks([decay ** (24 * day) for day in DAYS], [str(day) for day in DAYS])
    days.set_xlabel(f"days since the last access at {decay:g} an hour", fontsize=7.5, color=MUTED)
    days.tick_params(labelsize=7.5, colors=MUTED)
    days.spines["top"].set_visible(False)


def forgetting_of(found: Remembrance) -> Figure:
    """Return how one person's long-term thoughts came, were recalled and went."""
    long = [one for one in found.courses if one.settled]
    if not long:
        raise BadInput(
            f"--chart: person {found.agent} has had nothing in long-term memory up to round "
            f"{found.round}; choose another person or a later round"
        )
    shown = sorted(long, key=lambda one: (-one.weight, one.id))[:DRAWN]
    return _forgetting(found, sorted(shown, key=lambda one: one.weight), len(long))


@styled_figure
def _forgetting(found: Remembrance, shown: list[Course], count: int) -> Figure:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap, Normalize
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.8, 5.6), layout="constrained")
    ready, alive = figure.subplots(2, 1, sharex=True)
    ramp = LinearSegmentedColormap.from_list("importance", _RAMP)
    weights = [one.weight for one in shown]
    scale = Normalize(min(weights), max(max(weights), min(weights) + 0.2))
    begin = min(one.at for one in shown)
    ends: set[str] = set()
    for one in shown:
        ink = ramp(scale(one.weight))
        ends |= _draw(ready, one, _readiness(one, found), begin, ink)
        _draw(alive, one, _survival(one, found), begin, ink)
    ready.set_ylabel("forgetting g")
    alive.set_ylabel("chance to be still there")
    alive.set_xlabel("days since the first of them")
    for axes in (ready, alive):
        axes.set_ylim(-0.03, 1.06)
    among = f", the weightiest {len(shown)} of {count} drawn" if count > len(shown) else ""
    ready.set_title(
        f"{found.name} [{found.agent}], rounds 1 to {found.round}: long-term thoughts{among}"
    )
    figure.colorbar(ScalarMappable(scale, ramp), ax=[ready, alive], label="importance", aspect=40)
    _key(figure, sorted(ends))
    return figure


Points = tuple[Floats, Floats]
"""Moments in seconds, and heights."""


def _readiness(one: Course, found: Remembrance) -> Points:
    """Return g from when a thought arose to its end, falling back with each access."""
    end = one.ended or found.now
    step = max(HOUR, (end - one.at) // 400)
    moments = {*range(one.at, end, step), end}
    for access in one.accesses:
        if one.at < access <= end:
            moments |= {access - 1, access}
    times = sorted(moments)
    laws = found.constants.laws
    return np.array(times, float), np.array([one.readiness(moment, laws) for moment in times])


def _survival(one: Course, found: Remembrance) -> Points:
    """Return the chance that a thought is still there at the end of each round."""
    clock, laws = found.clock, found.constants.laws
    times, left = [float(one.settled)], [1.0]
    for round_ in range(one.round, (one.ended_round or found.round) + 1):
        since, now = clock.at(round_), clock.at(round_, 1.0)
        if now <= one.settled:
            continue
        gone = _chance(one, since, now, laws) if found.constants.forgets else 0.0
        times.append(float(now))
        left.append(left[-1] * (1.0 - gone))
    return np.array(times), np.array(left)


def _chance(one: Course, since: int, now: int, laws: Forgetting) -> float:
    touched = np.array([one.touched(now)], np.int64)
    return float(chance(np.array([one.weight]), touched, since, now, laws)[0])


def _draw(axes: Axes, one: Course, points: Points, begin: int, ink: object) -> set[str]:
    """Draw one thought's line and how it ended; return the ways that were drawn."""
    days = (points[0] - begin) / DAY
    axes.plot(days, points[1], color=ink, linewidth=1.1, alpha=0.8, solid_joinstyle="round")
    mark = _ENDS.get(one.why)
    if not mark:
        return set()
    axes.plot(
        days[-1], points[1][-1], mark[0], color=INK, markersize=5, markeredgewidth=1.4, zorder=4
    )
    return {one.why}


def _key(figure: Figure, ends: Sequence[str]) -> None:
    from matplotlib.lines import Line2D

    marks = [
        Line2D([], [], color=INK, marker=_ENDS[end][0], linestyle="", label=_ENDS[end][1])
        for end in ends
    ]
    if marks:
        figure.legend(handles=marks, loc="outside lower left", ncols=len(marks))
