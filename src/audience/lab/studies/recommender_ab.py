"""Recommender A/B: which of several serves the audience better, and what does it say?"""

from __future__ import annotations

from typing import Any

import numpy as np

from audience.lab.studies.study import FIRST, SECOND, Chart, Study, answer, comparing, known
from audience.metrics import NAN, ratio
from audience.results import Label
from audience.world import Left, Record, SlateShown, View, tastes

LIKED = 0.2
"""Taste for an item from which on it suits a person."""
ASKED = "What do you think of what you were shown?"
LABELS: dict[str, Label] = {
    "says_suits": ("Share of a last page that suits its reader", "share of items", "higher"),
    "says_some": ("Last pages with something that suits", "share of visits", "higher"),
    "says_mark": ("Mark on leaving", "1 to 10", "higher"),
}


class SlateOpinions:
    """Asks everybody on leaving what they think of the last page of the recommender.

    Rule minds answer by their taste: an item suits from a match of 0.2 on (taste weighted by its
    genres, 1/n each). The mark is 1 + 9 times the satisfaction on leaving.
    """

    watches = (SlateShown, Left)

    def __init__(self) -> None:
        self._page: tuple[int, ...] = ()
        self._suits: list[tuple[float, float]] = []
        self._marks: list[float] = []

    def update(self, record: Record, world: View) -> None:
        event: Any = record.event
        if isinstance(event, SlateShown):
            self._page = event.items if event.surface == "recommender" else self._page
            return
        if event.satisfaction is not None:
            self._marks.append(1.0 + 9.0 * event.satisfaction)
        if self._page:
            taste = tastes([world.agents[event.agent].taste])[0]
            match = (taste * world.catalogue.weights[list(self._page)]).sum(axis=1)
            liked = np.count_nonzero(match >= LIKED)
            self._suits.append((liked / len(self._page), float(liked > 0)))
        self._page = ()

    def value(self) -> dict[str, float]:
        count = len(self._suits)
        return {
            "says_suits": ratio(sum(suiting for suiting, _ in self._suits), count),
            "says_some": ratio(sum(some for _, some in self._suits), count),
            "says_mark": sum(self._marks) / len(self._marks) if self._marks else NAN,
        }


STUDY = Study(
    "recommender-ab",
    {
        **known("satisfaction", "click_rate", "picks", "minutes_per_visit", "return_rate"),
        **LABELS,
        **known("rating_mean", "entropy_exposure", "entropy_consumption", "entropy_taste"),
        **known("gini", "coverage_exposure"),
    },
    (
        Chart("satisfaction", "rounds", ("satisfaction",), caption="Of each round alone."),
        Chart("clicks", "rounds", ("click_rate",), caption="Of each round alone."),
        Chart(
            "opinions",
            "bars",
            ("says_suits", "says_some"),
            "What the audience says of its last page, share",
            "Asked of everybody who leaves.",
            ("items that suit", "something suits"),
        ),
        Chart("marks", "levels", ("says_mark",), caption="Asked of everybody who leaves."),
    ),
    answer(
        comparing("satisfaction", FIRST, SECOND),
        comparing("click_rate", FIRST, SECOND),
        comparing("says_suits", FIRST, SECOND),
    ),
    metrics=lambda setting: [SlateOpinions()],
    rule_notes=(
        "Rule minds do not speak: asked what they think of a page they count what suits their "
        "taste. Minds that speak are interviewed besides, and their words are quoted here.",
    ),
    asks=ASKED,
)
