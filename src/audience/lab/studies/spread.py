"""Spread: does it matter who hears of something first, and how people are connected?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from audience.lab.spread import Network, independent_cascade, linear_threshold, msed
from audience.lab.studies.study import FIRST, Chart, Study, answer, comparing, known
from audience.metrics import NAN, standing
from audience.results import Label
from audience.world import Floats, Intervened, Raise, Record, RoundEnded, View

EARLY = 3
LABELS: dict[str, Label] = {
    "reach_early": ("Share of people who know after three rounds", "share", ""),
    "half_round": ("Round by which half of the final reach know", "", ""),
    "reach_peak": ("Most who come to know in one round", "share", ""),
    "ic_msed": ("Error of Independent Cascade on the later rounds", "MSED", ""),
    "lt_msed": ("Error of Linear Threshold on the later rounds", "MSED", ""),
}
GRID = tuple(round(0.03 * step, 2) for step in range(1, 31))
"""Chances and thresholds that are tried."""
DRAWS = 5


class SpreadSpeed:
    """Follows how many people know, round by round: how soon, and how many at once.

    The classical models run on the same ties from the same seeds. Their only parameter is fitted
    to the first half of the rounds; the other half is scored.
    """

    watches = (Intervened, RoundEnded)

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._reach: list[float] = []
        self._first: tuple[int, ...] = ()
        self._network: Network | None = None

    def update(self, record: Record, world: View) -> None:
        event: Any = record.event
        if isinstance(event, Intervened):
            if isinstance(event.change, Raise) and not self._first:
                self._first = tuple(event.change.seeds)
                self._network = Network.of(world.genesis.ties)
            return
        reach: Any = standing(world.spread)["reach"] if world.spread.topics else NAN
        self._reach.append(reach)

    def _error(self, model: Callable[..., Floats]) -> float:
        half = len(self._reach) // 2
        if self._network is None or half < 1:
            return NAN
        people = self._network.people
        actual = np.array(self._reach)

        def curve(parameter: float) -> Floats:
            first, steps = self._first, len(actual)
            runs = [
                model(self._network, first, parameter, steps, self._seed * DRAWS + draw)
                for draw in range(DRAWS)
            ]
            mean: Floats = np.mean(runs, axis=0)[1:] / people
            return mean

        curves = {parameter: curve(parameter) for parameter in GRID}
        best = min(GRID, key=lambda value: (msed(actual[:half], curves[value][:half]), value))
        return msed(actual[half:], curves[best][half:])

    def close(self) -> dict[str, float]:
        """Return nothing: it is slow, and only needed at the end."""
        return {}

    def value(self) -> dict[str, float]:
        reach = self._reach
        if not reach or reach[-1] != reach[-1]:
            return dict.fromkeys(LABELS, NAN)
        gains = [now - before for now, before in zip(reach[1:], reach, strict=False)]
        return {
            "reach_early": reach[min(EARLY, len(reach)) - 1],
            "half_round": float(1 + sum(share < reach[-1] / 2.0 for share in reach)),
            "reach_peak": max([reach[0], *gains]),
            "ic_msed": self._error(independent_cascade),
            "lt_msed": self._error(linear_threshold),
        }


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
        Chart(
            "classical",
            "bars",
            ("ic_msed", "lt_msed"),
            "Classical models, error on the later rounds",
            "Same ties, same first ones; one parameter fitted to the first half of the rounds.",
            ("Independent\nCascade", "Linear\nThreshold"),
        ),
    ),
    answer(
        comparing("reach", FIRST, "influential"),
        comparing("reach_early", FIRST, "influential"),
        comparing("reach", FIRST, "random ties"),
    ),
    metrics=lambda setting: [SpreadSpeed(setting.seed)],
    notes=(
        "Nobody is recommended anything here: messages travel along ties alone, so that random "
        "ties of the same number are the control in place of a random recommender.",
    ),
)
