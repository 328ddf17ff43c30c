"""Figures of memory: the forgetting function, and how one person's thoughts fade."""

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
"""How many thoughts of one person are drawn at most: the weightiest."""
_RAMP = ("#2d96b4", "#005ab4", "#a82800")
"""From unimportant to important."""
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
    """Label the top axis with the days without access that a recency stands for."""
    if decay >= 1.0:
        return
    days = axes.secondary_xaxis("top")
    days.set_xticks([decay ** (24 * day) for day in DAYS], [str(day) for day in DAYS])
    days.set_xlabel(f"days since the last access at {decay:g} an hour", fontsize=7.5, color=MUTED)
    days.tick_params(labelsize=7.5, colors=MUTED)
    days.spines["top"].set_visible(False)


def forgetting_of(remembrance: Remembrance) -> Figure:
    """Return how one person's long-term thoughts arose, were recalled and faded."""
    long = [course for course in remembrance.courses if course.settled]
    if not long:
        raise BadInput(
            f"--chart: person {remembrance.agent} has nothing in long-term memory up to round "
            f"{remembrance.round}; choose another person or a later round"
        )
    shown = sorted(long, key=lambda course: (-course.weight, course.id))[:DRAWN]
    return _forgetting(remembrance, sorted(shown, key=lambda course: course.weight), len(long))


@styled_figure
def _forgetting(remembrance: Remembrance, shown: list[Course], count: int) -> Figure:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap, Normalize
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.8, 5.6), layout="constrained")
    ready, alive = figure.subplots(2, 1, sharex=True)
    ramp = LinearSegmentedColormap.from_list("importance", _RAMP)
    weights = [course.weight for course in shown]
    scale = Normalize(min(weights), max(max(weights), min(weights) + 0.2))
    begin = min(course.at for course in shown)
    ends: set[str] = set()
    for course in shown:
        ink = ramp(scale(course.weight))
        ends |= _draw(ready, course, _readiness(course, remembrance), begin, ink)
        _draw(alive, course, _survival(course, remembrance), begin, ink)
    ready.set_ylabel("forgetting g")
    alive.set_ylabel("chance to be still remembered")
    alive.set_xlabel("days since the first thought")
    for axes in (ready, alive):
        axes.set_ylim(-0.03, 1.06)
    among = f", the weightiest {len(shown)} of {count} drawn" if count > len(shown) else ""
    ready.set_title(
        f"{remembrance.name} [{remembrance.agent}], rounds 1 to {remembrance.round}: "
        f"long-term thoughts{among}"
    )
    figure.colorbar(ScalarMappable(scale, ramp), ax=[ready, alive], label="importance", aspect=40)
    _key(figure, sorted(ends))
    return figure


Points = tuple[Floats, Floats]
"""Times in seconds, and heights."""


def _readiness(course: Course, remembrance: Remembrance) -> Points:
    """Return g from when a thought arose to its end, reset by each access."""
    end = course.ended or remembrance.now
    step = max(HOUR, (end - course.at) // 400)
    moments = {*range(course.at, end, step), end}
    for access in course.accesses:
        if course.at < access <= end:
            moments |= {access - 1, access}
    times = sorted(moments)
    laws = remembrance.constants.laws
    return np.array(times, float), np.array([course.readiness(moment, laws) for moment in times])


def _survival(course: Course, remembrance: Remembrance) -> Points:
    """Return the chance that a thought is still there at the end of each round."""
    clock, laws = remembrance.clock, remembrance.constants.laws
    times, left = [float(course.settled)], [1.0]
    for round_ in range(course.round, (course.ended_round or remembrance.round) + 1):
        since, now = clock.at(round_), clock.at(round_, 1.0)
        if now <= course.settled:
            continue
        gone = _chance(course, since, now, laws) if remembrance.constants.forgets else 0.0
        times.append(float(now))
        left.append(left[-1] * (1.0 - gone))
    return np.array(times), np.array(left)


def _chance(course: Course, since: int, now: int, laws: Forgetting) -> float:
    touched = np.array([course.touched(now)], np.int64)
    return float(chance(np.array([course.weight]), touched, since, now, laws)[0])


def _draw(axes: Axes, course: Course, points: Points, begin: int, ink: object) -> set[str]:
    """Draw one thought's line and how it ended; return the kinds of ends that were drawn."""
    days = (points[0] - begin) / DAY
    axes.plot(days, points[1], color=ink, linewidth=1.1, alpha=0.8, solid_joinstyle="round")
    mark = _ENDS.get(course.why)
    if not mark:
        return set()
    axes.plot(
        days[-1], points[1][-1], mark[0], color=INK, markersize=5, markeredgewidth=1.4, zorder=4
    )
    return {course.why}


def _key(figure: Figure, ends: Sequence[str]) -> None:
    from matplotlib.lines import Line2D

    marks = [
        Line2D([], [], color=INK, marker=_ENDS[end][0], linestyle="", label=_ENDS[end][1])
        for end in ends
    ]
    if marks:
        figure.legend(handles=marks, loc="outside lower left", ncols=len(marks))
