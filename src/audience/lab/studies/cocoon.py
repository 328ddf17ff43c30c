"""Cocoon study: do recommendations narrow what people are shown, pick and like?

Variety is measured on equal numbers, a page or the last five picks, since the entropy of everything
a person consumed grows with how much that is. An item with n tags gives each of them 1/n.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from audience.lab.studies.study import Chart, Study, arm_of, clause, known, sentence
from audience.metrics import NAN, entropies
from audience.results import Findings, Label
from audience.world import Floats, Ints, Record, RoundEnded, SlateShown, View, Watched, tastes

LAST = 5
LABELS: dict[str, Label] = {
    "page_entropy": ("Genre entropy of a page", "bits", "higher"),
    "page_top": ("Share of the top genre on a page", "share", "lower"),
    "page_genres": ("Genres on a page", "", "higher"),
    "five_entropy": ("Genre entropy of the last five picks", "bits", "higher"),
    "five_top": ("Share of the top genre in the last five picks", "share", "lower"),
    "five_genres": ("Genres in the last five picks", "", "higher"),
    "taste_top": ("Share of the top genre in taste", "share", "lower"),
}
_KINDS = ("entropy", "top", "genres")


class Windows:
    """Follows pages of the recommender (exposure), consumption, and tastes.

    page_entropy, page_top, page_genres  mean over full pages: entropy in bits, largest share of a
                                         genre, number of genres
    five_entropy, five_top, five_genres  the same of everybody's last five items, of those who
                                         consumed one in the run; at the end of a round
    taste_top                            mean share of the largest tag in the positive part of taste
    """

    watches = (SlateShown, Watched, RoundEnded)

    def __init__(self) -> None:
        self._pages: list[tuple[int, ...]] = []
        self._past: list[Floats] = []
        self._lived: set[int] = set()
        self._state: dict[str, float] = dict.fromkeys(LABELS, NAN)

    def update(self, record: Record, world: View) -> None:
        event: Any = record.event
        if isinstance(event, SlateShown):
            if event.surface == "recommender":
                self._pages.append(event.items)
        elif isinstance(event, Watched):
            self._lived.add(event.agent)
        else:
            self._look(world)

    def _look(self, world: View) -> None:
        weights = world.catalogue.weights
        size = max(map(len, self._pages), default=0)
        full = np.array([page for page in self._pages if len(page) == size], np.int64)
        pages = _of_rows(full, weights)
        self._past.append(pages)
        self._pages.clear()
        people = [world.agents[who] for who in sorted(self._lived)]
        last = [me.history[-LAST:] for me in people if len(me.history) >= LAST]
        rows = np.array([[entry.item for entry in each] for each in last], np.int64)
        self._state = _means("page", pages) | _means("five", _of_rows(rows, weights))
        self._state["taste_top"] = _taste_top([me.taste for me in people])

    def value(self) -> dict[str, float]:
        every = np.concatenate(self._past) if self._past else np.zeros((0, len(_KINDS)))
        return self._state | _means("page", every)

    def close(self) -> dict[str, float]:
        return dict(self._state)


def _of_rows(rows: Ints, weights: Floats) -> Floats:
    """Return [rows, 3]: entropy, top share and number of genres of each row of items."""
    if not rows.size:
        return np.zeros((0, len(_KINDS)))
    summed = weights[rows].sum(axis=1)
    totals = np.maximum(summed.sum(axis=1), 1e-12)
    numbers = (summed > 0.0).sum(axis=1)
    return np.stack([entropies(summed), summed.max(axis=1) / totals, numbers], axis=1)


def _means(name: str, rows: Floats) -> dict[str, float]:
    means = rows.mean(axis=0).tolist() if len(rows) else [NAN] * len(_KINDS)
    return {f"{name}_{kind}": mean for kind, mean in zip(_KINDS, means, strict=True)}


def _taste_top(packed: list[bytes]) -> float:
    if not packed:
        return NAN
    liked = np.maximum(tastes(packed), 0.0)
    totals = liked.sum(axis=1)
    some = totals > 0.0
    return float((liked[some].max(axis=1) / totals[some]).mean()) if some.any() else NAN


def finding(findings: Findings) -> str:
    """Return what random items and other friends do to variety, and what random items cost."""
    first = findings.arms[0].name
    levers = [arm.name for arm in findings.arms[1:] if arm.name.startswith("k")]
    most = levers[-1] if levers else ""
    friends = "other friends" if arm_of(findings, "other friends") else ""
    return sentence(
        [
            clause(findings, "five_entropy", "random", first),
            clause(findings, "five_entropy", first, most),
            clause(findings, "click_rate", first, most),
            clause(findings, "five_entropy", first, friends),
        ]
    )


STUDY = Study(
    "cocoon",
    {
        "page_entropy": LABELS["page_entropy"],
        **known("entropy_exposure"),
        "five_entropy": LABELS["five_entropy"],
        **known("entropy_consumption", "entropy_taste"),
        **known("click_rate", "rating_mean", "satisfaction", "picks"),
    },
    (
        Chart(
            "quality_against_entropy",
            "against",
            ("five_entropy", "click_rate"),
            "Quality against variety",
            "Right: more varied picks; up: more pages that please.",
        ),
        Chart(
            "picks_by_round",
            "rounds",
            ("five_entropy",),
            "Variety of the last five picks",
            "Consumption: what people consumed, genres weighted 1/n, at the end of each round.",
        ),
        Chart(
            "pages_by_round",
            "rounds",
            ("page_entropy",),
            "Variety of a page",
            "Exposure: what people were shown, page by page.",
        ),
        Chart(
            "taste_by_round",
            "rounds",
            ("entropy_taste",),
            "Variety of tastes",
            "Latent interest: entropy of the positive part of everybody's taste.",
        ),
    ),
    finding,
    metrics=lambda setting: [Windows()],
)
