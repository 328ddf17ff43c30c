"""Causal discovery over logged variables: what seems to lead to what, with a known truth beside."""

from __future__ import annotations

from typing import Any

import numpy as np

from audience.experiments.findings import Findings, Label, interval
from audience.experiments.studies.lingam import direct_lingam
from audience.experiments.studies.sentences import clause, level, sentence
from audience.experiments.studies.study import Chart, Study, known
from audience.experiments.tables import shown
from audience.metrics.formulas import NAN
from audience.world.events import Picked, Rated, Record, SlateShown
from audience.world.rng import Floats
from audience.world.world import View

VARIABLES = {
    "quality": "quality",
    "popularity": "popularity before",
    "shown": "exposure",
    "picked": "picks",
    "rating": "mean rating",
}
"""What is known of every item: Agent4Rec's five."""
FEW = 20
"""Fewer rated items than these tell nothing."""
PAIRS = [(cause, effect) for cause in VARIABLES for effect in VARIABLES if cause != effect]
KNOWN = (("quality", "picked"), ("quality", "rating"), ("shown", "picked"))
"""What leads to what in rule minds, whatever else does."""
LABELS: dict[str, Label] = {
    **{
        f"edge_{cause}_{effect}": (
            f"{VARIABLES[cause]} → {VARIABLES[effect]}",
            "standard deviations",
            "",
        )
        for cause, effect in PAIRS
    },
    **{f"place_{name}": (f"Place of {said} in the order", "", "")
       for name, said in VARIABLES.items()},
    "known_right": ("Arrows known in rule minds whose order is right", "share", "higher"),
    "rated_items": ("Items compared", "", ""),
}  # fmt: skip


class Arrows:
    """Counts what happens to every item, and looks for arrows among its five variables.

    Only items with a rating are compared; counts are taken as log(1 + count).
    """

    watches = (SlateShown, Picked, Rated)

    def __init__(self) -> None:
        self._shown: list[int] = []
        self._picked: list[int] = []
        self._rated: list[tuple[int, int]] = []
        self._world: View | None = None

    def update(self, record: Record, world: View) -> None:
        event: Any = record.event
        self._world = world
        if isinstance(event, SlateShown):
            self._shown += event.items
        elif isinstance(event, Picked):
            self._picked.append(event.item)
        else:
            self._rated.append((event.item, event.stars))

    def table(self) -> Floats:
        """Return [rated items, variables]."""
        assert self._world is not None
        items = len(self._world.catalogue)
        past = [one.item for one in self._world.genesis.past]
        ratings = np.array(self._rated, np.int64).reshape(-1, 2)
        counts = np.bincount(ratings[:, 0], minlength=items)
        stars = np.bincount(ratings[:, 0], ratings[:, 1], minlength=items)
        rated = counts > 0
        columns = [
            self._world.catalogue.quality,
            np.log1p(np.bincount(past, minlength=items)),
            np.log1p(np.bincount(self._shown, minlength=items)),
            np.log1p(np.bincount(self._picked, minlength=items)),
            stars / np.maximum(counts, 1),
        ]
        return np.stack([np.asarray(one, np.float64)[rated] for one in columns], axis=1)

    def close(self) -> dict[str, float]:
        """Return nothing: it takes its time, and one look at the end is enough."""
        return {}

    def value(self) -> dict[str, float]:
        found = dict.fromkeys(LABELS, NAN)
        rows = self.table() if self._rated else np.zeros((0, len(VARIABLES)))
        found["rated_items"] = float(len(rows))
        if len(rows) < FEW:
            return found
        order, effects = direct_lingam(rows)
        names = list(VARIABLES)
        for cause, effect in PAIRS:
            strength = effects[names.index(effect), names.index(cause)]
            found[f"edge_{cause}_{effect}"] = float(strength)
        for name in names:
            found[f"place_{name}"] = float(order.index(names.index(name)) + 1)
        right = [found[f"place_{one}"] < found[f"place_{other}"] for one, other in KNOWN]
        found["known_right"] = sum(right) / len(KNOWN)
        return found


def arrows(findings: Findings, name: str) -> list[tuple[str, float, float, float]]:
    """Return the arrows of an arm whose interval excludes zero, the strongest first."""
    arm = next(arm for arm in findings.arms if arm.name == name)
    found = []
    for cause, effect in PAIRS:
        metric = f"edge_{cause}_{effect}"
        mean, low, high = interval(arm.values(metric))
        if low > 0.0 or high < 0.0:
            found.append((findings.labels[metric][0], mean, low, high))
    return sorted(found, key=lambda one: -abs(one[1]))


def finding(findings: Findings) -> str:
    """Say which arrows are found again and again, and what the random control says."""
    first = findings.arms[0].name
    strong = arrows(findings, first)[:3]
    if strong:
        listed = ", ".join(f"{name} {shown(*numbers, signed=True)}" for name, *numbers in strong)
        said = f"the strongest arrows with {first} whose interval excludes zero are {listed}"
    else:
        said = f"no arrow could be shown with {first} that seeds agree on"
    said_more = [clause(findings, "edge_popularity_shown", "random", first)]
    if 'kind = "rule"' in findings.scenario:
        right = level(findings, "known_right", first)
        said_more.append(f"the order has {right} of the arrows known in rule minds right")
    return sentence([said, *said_more])


def remarks(findings: Findings) -> list[str]:
    """Say what is known to be true, and what the method supposes."""
    said = [
        "DirectLiNGAM supposes linear effects, no loops, no hidden cause and noise that is not "
        "Gaussian. Refitting on picks is a loop (picks lead to exposure), which it cannot show, "
        "and only items that were picked have a rating: a selection that bends arrows."
    ]
    if 'kind = "rule"' in findings.scenario:
        said.append(
            "With rule minds the truth is known: quality leads to picks and to ratings, exposure "
            "to picks; popularity leads to neither directly. A share of one half right is chance."
        )
    return said


STUDY = Study(
    "causal",
    {**LABELS, **known("picks", "click_rate")},
    (
        Chart(
            "arrows",
            "edges",
            tuple(f"edge_{cause}_{effect}" for cause, effect in PAIRS),
            "What leads to what",
            "Effect of the row on the column in standard deviations, mean over seeds of the first "
            "arm; bold where the 95 % interval excludes zero.",
            tuple(VARIABLES.values()),
        ),
        Chart(
            "order",
            "bars",
            tuple(f"place_{name}" for name in VARIABLES),
            "Place in the causal order",
            "1 comes first.",
            tuple(VARIABLES.values()),
        ),
        Chart(
            "popularity_shown",
            "levels",
            ("edge_popularity_shown",),
            caption="A random recommender knows no popularity: its arrow must be nil.",
        ),
    ),
    finding,
    metrics=lambda setting: [Arrows()],
    remarks=remarks,
)
