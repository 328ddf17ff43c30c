"""Findings as figures; where there is nothing to see, none is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from audience.experiments._charts import bars, by_round, forest, key, over_seeds
from audience.experiments.findings import Arm, Findings
from audience.metrics import LABELS
from audience.results import frozen, panel, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BY_ROUND = (
    "satisfaction",
    "click_rate",
    "picks",
    "return_rate",
    "entropy_consumption",
)
SPREAD_BY_ROUND = ("reach", "emotion", "positive")
"""Drawn where a topic spread."""
CONCENTRATION = ("gini", "coverage_exposure", "coverage_consumption")
STARS = tuple(f"rating_{stars}" for stars in range(1, 6))


def draw(findings: Findings) -> dict[str, Figure]:
    """Return every figure that these findings have something to show in, by name."""
    drawn: dict[str, Figure | None] = {}
    with styled():
        drawn["differences"] = forest(findings)
        for metric in (*BY_ROUND, *SPREAD_BY_ROUND):
            drawn[f"{metric}_by_round"] = by_round(findings.arms, metric, LABELS[metric])
        drawn["ratings"] = _ratings(findings.arms)
        drawn["concentration"] = _concentration(findings.arms)
        return {name: frozen(figure) for name, figure in drawn.items() if figure is not None}


def caption(name: str, findings: Findings) -> str:
    """Return how to read a figure and what its intervals are over."""
    if name == "differences":
        over = " and ".join(sorted({d.over for d in findings.differences})) or "seeds"
        return (
            f"Change against {findings.arms[0].name}, in % of it: the dot is the mean, the bar its "
            f"95 % interval over {over}, paired. A bar that stays clear of zero has a full dot."
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
