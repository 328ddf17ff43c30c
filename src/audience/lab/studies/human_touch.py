"""Human touch: what changes when people play or correct a share of all visits?"""

from __future__ import annotations

from typing import Any

from audience.agents.human import CORRECTED, PLAYED
from audience.lab.studies.study import Chart, Study, clause, known, sentence
from audience.metrics import NAN, ratio
from audience.results import Findings, Label
from audience.world import (
    VISITS,
    Entered,
    Left,
    Picked,
    Record,
    Refused,
    Said,
    SlateShown,
    View,
    Watched,
    Woke,
    tastes,
)

LABELS: dict[str, Label] = {
    "touched": ("Visits that a person had a hand in", "share of visits", ""),
    "match_picked": ("Taste for what is picked", "-1 to 1", "higher"),
    "untouched_satisfaction": ("Satisfaction of visits nobody touched", "0 to 1", "higher"),
    "untouched_match": ("Taste for what is picked in visits nobody touched", "-1 to 1", "higher"),
}


class Touches:
    """Follows which visits a person took part in: the log gives the cause of each event."""

    watches = (Woke, Entered, SlateShown, Picked, Watched, Left, Refused, Said)

    def __init__(self) -> None:
        self._is_touched = False
        self._visits = self._touched = 0
        self._match: dict[bool, list[float]] = {True: [], False: []}
        self._taken: list[float] = []
        self._calm: list[float] = []

    def update(self, record: Record, world: View) -> None:
        event: Any = record.event
        if isinstance(event, Woke):
            self._is_touched, self._taken = False, []
            self._visits += 1
        if record.phase == VISITS and record.cause in (PLAYED, CORRECTED):
            self._touched += not self._is_touched
            self._is_touched = True
        if isinstance(event, Picked):
            me, weights = world.agents[event.agent], world.catalogue.weights
            match = float((tastes([me.taste])[0] * weights[event.item]).sum())
            self._taken.append(match)
        elif isinstance(event, Left):
            self._match[self._is_touched] += self._taken
            if not self._is_touched and event.satisfaction is not None:
                self._calm.append(event.satisfaction)

    def value(self) -> dict[str, float]:
        every = self._match[True] + self._match[False]
        return {
            "touched": ratio(self._touched, self._visits),
            "match_picked": _mean(every),
            "untouched_satisfaction": _mean(self._calm),
            "untouched_match": _mean(self._match[False]),
        }


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else NAN


def finding(findings: Findings) -> str:
    """Return what people change by playing and by correcting, also in visits they never touch."""
    first = findings.arms[0].name
    names = [arm.name for arm in findings.arms if "+" not in arm.name]
    played = next((name for name in reversed(names) if name.startswith("played")), "")
    corrected = next((name for name in names if name.startswith("corrected")), "")
    return sentence(
        [
            clause(findings, "match_picked", first, played),
            clause(findings, "match_picked", first, corrected),
            clause(findings, "untouched_match", first, played),
        ]
    )


STUDY = Study(
    "human-touch",
    {
        **LABELS,
        **known("click_rate", "satisfaction", "picks", "rating_mean"),
        **known("entropy_exposure", "entropy_consumption", "entropy_taste"),
    },
    (
        Chart(
            "match",
            "bars",
            ("match_picked", "untouched_match"),
            "Taste for what is picked",
            "Latent interest in what was consumed: 1 is the most a person can like.",
            ("all visits", "visits nobody\ntouched"),
        ),
        Chart("touched", "levels", ("touched",), caption="Corrected ones need a correction."),
        Chart("clicks", "rounds", ("click_rate",), caption="Of each round alone."),
        Chart("satisfaction", "rounds", ("satisfaction",), caption="Of each round alone."),
    ),
    finding,
    metrics=lambda setting: [Touches()],
    notes=(
        "The people are a script at the door of `audience play`: it reads the page, likes what has "
        "a genre of the agent's interests, and types as a player would. It shows that the door "
        "works and what such a hand would change, not what people are like.",
    ),
)
