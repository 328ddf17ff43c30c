"""Explanation: do reasons on a page change what is picked?"""

from __future__ import annotations

from typing import Any

from audience.lab.studies.study import (
    FIRST,
    Chart,
    Study,
    StudyFindings,
    answer,
    comparing,
    judging,
    known,
)
from audience.metrics import ratio
from audience.results import Label
from audience.world import Picked, Record, SlateAnnotated, SlateShown, View

LABELS: dict[str, Label] = {
    "explained_shown": ("Items shown with a reason", "share of items", ""),
    "explained_picked": ("Picks of items that came with a reason", "share of picks", ""),
    "explained_lift": ("Lift of a reason", "difference of shares", ""),
}


class Explanations:
    """Follows which items of a page came with a reason, and which of them are picked.

    If reasons are hidden they are not in the log, and these numbers are not defined.
    """

    watches = (SlateShown, SlateAnnotated, Picked)

    def __init__(self) -> None:
        self._items: tuple[int, ...] = ()
        self._explained: set[int] | None = None
        self._counts = {"shown": 0, "explained": 0, "picked": 0, "picked explained": 0}

    def update(self, record: Record, world: View) -> None:
        del world
        event: Any = record.event
        if isinstance(event, SlateShown):
            self._items, self._explained = event.items, None
        elif isinstance(event, SlateAnnotated):
            if event.reasons:
                pairs = zip(self._items, event.reasons, strict=True)
                self._explained = {item for item, reason in pairs if reason}
                self._counts["shown"] += len(self._items)
                self._counts["explained"] += len(self._explained)
        elif self._explained is not None:
            self._counts["picked"] += 1
            self._counts["picked explained"] += event.item in self._explained

    def value(self) -> dict[str, float]:
        counts = self._counts
        shown = ratio(counts["explained"], counts["shown"])
        picked = ratio(counts["picked explained"], counts["picked"])
        return {
            "explained_shown": shown,
            "explained_picked": picked,
            "explained_lift": picked - shown,
        }


def remarks(findings: StudyFindings) -> list[str]:
    """Return what is so by construction."""
    if not findings.sets_rule("reason"):
        return []
    return [
        "Rule minds read no reasons: their parameter `reason` adds a fixed wish for what comes "
        "with one. These numbers say how much of it shows, not how convincing a reason is; minds "
        "that read can tell good reasons from bad ones."
    ]


STUDY = Study(
    "explanation",
    {
        **LABELS,
        **known("click_rate", "satisfaction", "rating_mean", "picks", "return_rate"),
        **known("entropy_exposure", "entropy_consumption", "entropy_taste"),
    },
    (
        Chart(
            "with_reason",
            "bars",
            ("explained_shown", "explained_picked"),
            "What comes with a reason, share",
            "Of items shown, and of picks.",
            ("of items shown", "of picks"),
        ),
        Chart("clicks", "rounds", ("click_rate",), caption="Of each round alone."),
        Chart("satisfaction", "rounds", ("satisfaction",), caption="Of each round alone."),
        Chart("lift", "levels", ("explained_lift",), caption="0: picked as often as shown."),
    ),
    answer(
        comparing("click_rate", FIRST, "reasons"),
        comparing("satisfaction", FIRST, "reasons"),
        comparing("explained_lift", "unheeded", "reasons"),
        judging(
            "explained_lift",
            "unheeded",
            above="what has a reason is picked more even by those who do not read it",
            below="what has a reason is picked less by those who do not read it",
            neither="no preference for what has a reason could be shown in those who do not "
            "read it",
        ),
    ),
    metrics=lambda setting: [Explanations()],
    remarks=remarks,
)
