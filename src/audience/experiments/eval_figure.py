"""The evaluation of memories as a figure: what comes to mind, by age and importance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from audience.experiments.eval_memory import Evaluation
from audience.experiments.eval_scores import OFTEN, RecallCell, Score
from audience.results import MUTED, colour, frozen, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = 4
_LINES: dict[tuple[bool, bool], tuple[str, int, Literal["-", "--"]]] = {
    (True, True): (f"important, repeated {OFTEN} times or more", 0, "-"),
    (True, False): ("important, at most once again", 0, "--"),
    (False, True): (f"in passing, repeated {OFTEN} times or more", 1, "-"),
    (False, False): ("in passing, at most once again", 1, "--"),
}


def recall_by_age(found: Evaluation) -> Figure:
    """Return a panel for each kind: the share recalled over the age of what was lived."""
    with styled():
        return frozen(_panels(found))


def _panels(found: Evaluation) -> Figure:
    from matplotlib.figure import Figure

    columns = min(COLUMNS, len(found.scores))
    rows = -(-len(found.scores) // columns)
    figure = Figure(figsize=(max(2.3 * columns, 5.2), 1.3 + 2.0 * rows), layout="constrained")
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for place, axes in enumerate(grid.flat):
        if place < len(found.scores):
            _panel(axes, found.scores[place])
            below = place + columns >= len(found.scores)
            axes.tick_params(labelbottom=below)
            if below:
                axes.set_xlabel("days ago")
        else:
            axes.set_visible(False)
    figure.supylabel("share that comes to mind", fontsize=9, color=MUTED)
    _key(figure, narrow=columns < 3)
    return figure


def _panel(axes: Axes, score: Score) -> None:
    ages = sorted({cell.age for cell in score.cells})
    for (important, often), (_, place, dash) in _LINES.items():
        cells = [one for one in score.cells if (one.important, one.often) == (important, often)]
        low, mean, high = _columns(cells)
        at = np.arange(len(cells))
        axes.fill_between(at, low, high, color=colour(place), alpha=0.13, linewidth=0)
        axes.plot(at, mean, dash, marker="o", markersize=3, color=colour(place))
    axes.set_xticks(range(len(ages)), [str(age) for age in ages])
    axes.set_ylim(-0.04, 1.04)
    axes.grid(False, axis="x")
    axes.set_title(score.kind, fontsize=9, pad=5.0)


def _columns(cells: list[RecallCell]) -> list[list[float]]:
    shares = [one.recalled for one in sorted(cells, key=lambda one: one.age)]
    return [[getattr(one, name) for one in shares] for name in ("low", "mean", "high")]


def _key(figure: Figure, *, narrow: bool) -> None:
    from matplotlib.lines import Line2D

    lines = [
        Line2D([], [], color=colour(place), linestyle=dash, label=label)
        for label, place, dash in _LINES.values()
    ]
    figure.legend(handles=lines, loc="outside lower left", ncols=1 if narrow else 2)
