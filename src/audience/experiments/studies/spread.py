"""Spread: does it matter who hears of something first, and how people are tied?"""

from __future__ import annotations

from typing import Any

from audience.experiments.findings import Findings, Label
from audience.experiments.studies.sentences import clause, sentence
from audience.experiments.studies.study import Chart, Study, known
from audience.metrics.formulas import NAN
from audience.metrics.spreading import standing
from audience.world.events import Record, RoundEnded
from audience.world.world import View

EARLY = 3
LABELS: dict[str, Label] = {
    "reach_early": ("People who know after three rounds", "share", ""),
    "half_round": ("Round by which half of the final reach know", "", ""),
    "reach_peak": ("Most who come to know in one round", "share", ""),
}


class Speed:
    """Follows how many know, round by round: how soon, and how many at once."""

    watches = (RoundEnded,)

    def __init__(self) -> None:
        self._reach: list[float] = []

    def update(self, record: Record, world: View) -> None:
        del record
        found: Any = standing(world.spread)["reach"] if world.spread.topics else NAN
        self._reach.append(found)

    def value(self) -> dict[str, float]:
        reach = self._reach
        if not reach or reach[-1] != reach[-1]:
            return dict.fromkeys(LABELS, NAN)
        gains = [now - before for now, before in zip(reach[1:], reach, strict=False)]
        return {
            "reach_early": reach[min(EARLY, len(reach)) - 1],
            "half_round": float(1 + sum(one < reach[-1] / 2.0 for one in reach)),
            "reach_peak": max([reach[0], *gains]),
        }


def finding(findings: Findings) -> str:
    """Say whether the first to know and the shape of ties matter."""
    first = findings.arms[0].name
    return sentence(
        [
            clause(findings, "reach", first, "influential"),
            clause(findings, "reach_early", first, "influential"),
            clause(findings, "reach", first, "random ties"),
        ]
    )


def remarks(findings: Findings) -> list[str]:
    """Say what there is nothing of."""
    del findings
    return [
        "Nobody is recommended anything here: messages travel along ties alone, so that random "
        "ties of the same number are the control in place of a random recommender."
    ]


STUDY = Study(
    "spread",
    {
        **known("reach"),
        **LABELS,
        **known("emotion", "positive", "told", "cascades"),
        **known("cascade_scale", "cascade_depth", "cascade_breadth"),
    },
    (
        Chart("reach", "rounds", ("reach",), caption="At the end of each round."),
        Chart("emotion", "rounds", ("emotion",), caption="Mean level / 2 of those who know."),
        Chart("positive", "rounds", ("positive",), caption="Of those with a view."),
        Chart(
            "cascades",
            "bars",
            ("cascade_scale", "cascade_depth", "cascade_breadth"),
            "The greatest cascade",
            "Messages in it, forwards after one another, and messages in one step.",
            ("scale", "depth", "breadth"),
        ),
    ),
    finding,
    metrics=lambda setting: [Speed()],
    remarks=remarks,
)
