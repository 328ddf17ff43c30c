"""Feedback: does a recommender predict real consumption better after simulated clicks?"""

from __future__ import annotations

from typing import Any

import numpy as np

from audience.errors import BadInput
from audience.lab.evaluation import InteractionColumns, OfflineSplit, measures, slates_of
from audience.lab.studies.study import (
    DRAWN,
    FIRST,
    Chart,
    Setting,
    Study,
    StudyFindings,
    answer,
    comparing,
    judging,
    known,
)
from audience.metrics import NAN, Metric
from audience.recommenders import seen_by_recommender
from audience.results import Label
from audience.scenario import Part, made
from audience.world import Interactions, Past, Rated, Record, RoundEnded, View, Watched, rng

K = 10
LABELS: dict[str, Label] = {
    "ndcg_before": ("NDCG@10 without clicks", "0 to 1", "higher"),
    "ndcg_after": ("NDCG@10 with simulated clicks", "0 to 1", "higher"),
    "ndcg_shuffled": ("NDCG@10 with as many random clicks", "0 to 1", "higher"),
    "ndcg_gain": ("Gain in NDCG@10 by simulated clicks", "", "higher"),
    "ndcg_gain_shuffled": ("Gain in NDCG@10 by random clicks", "", "higher"),
    "recall_before": ("Recall@10 without clicks", "0 to 1", "higher"),
    "recall_after": ("Recall@10 with simulated clicks", "0 to 1", "higher"),
    "clicks": ("Simulated clicks learnt from", "", ""),
}


class Feedback:
    """Gathers what is consumed in a run, then fits `learner` without it, with it, and with noise.

    Everybody's last item before the run is held out; the whole catalogue is ranked, without what
    is learnt from. The noise gives the same people as many random items, by a named draw.
    """

    watches = (Watched, Rated, RoundEnded)

    def __init__(self, learner: str, held: tuple[Past, ...], seed: int) -> None:
        self._learner, self._held, self._seed = learner, held, seed
        self._clicks: list[tuple[int, int, int]] = []
        self._world: View | None = None

    def update(self, record: Record, world: View) -> None:
        event: Any = record.event
        self._world = world
        if isinstance(event, Watched) and event.agent < len(world.genesis.profiles):
            self._clicks.append((event.agent, event.item, world.now))

    def close(self) -> dict[str, float]:
        """Return nothing: it is slow, and only needed at the end."""
        return {}

    def value(self) -> dict[str, float]:
        values = dict.fromkeys(LABELS, NAN)
        if self._world is None or not self._held:
            return values
        past = [(own.agent, own.item, own.at) for own in self._world.genesis.past]
        items = rng(self._seed, "shuffled").integers(
            0, len(self._world.genesis.catalogue), len(self._clicks)
        )
        pairs = zip(self._clicks, items.tolist(), strict=True)
        noise = [(who, item, at) for (who, _, at), item in pairs]
        before, recall_before = self._scored(past)
        after, recall_after = self._scored(past + self._clicks)
        shuffled, _ = self._scored(past + noise)
        return {
            "ndcg_before": before,
            "ndcg_after": after,
            "ndcg_shuffled": shuffled,
            "ndcg_gain": after - before,
            "ndcg_gain_shuffled": shuffled - before,
            "recall_before": recall_before,
            "recall_after": recall_after,
            "clicks": float(len(self._clicks)),
        }

    def _scored(self, rows: list[tuple[int, int, int]]) -> tuple[float, float]:
        """Return mean NDCG and recall of the learner after some interactions."""
        assert self._world is not None
        genesis = self._world.genesis
        train = _columns(rows)
        truth = _columns([(past.agent, past.item, past.at) for past in self._held])
        whole = np.ones(len(rows))
        columns = (train.users, train.items, train.at, whole, train.stars)
        learnt = Interactions.of(genesis.catalogue, len(genesis.profiles), columns)
        recommender = made("recommenders", Part(self._learner))
        ranker = recommender.fit(seen_by_recommender(learnt), rng(self._seed, "fit", 0))
        split = OfflineSplit(train, truth, _columns([]))
        slates = slates_of(ranker, split, min(K, len(genesis.catalogue)), self._seed)
        per_user = measures(slates, truth.items)
        return float(per_user["ndcg"].mean()), float(per_user["recall"].mean())


def _columns(rows: list[tuple[int, int, int]]) -> InteractionColumns:
    table = np.array(rows, np.int64).reshape(-1, 3)
    return InteractionColumns(table[:, 0], table[:, 1], table[:, 2], np.zeros(len(table), np.int64))


def metrics(setting: Setting) -> list[Metric]:
    part = setting.scenario.dataset
    if part.kind != "held-out":
        raise BadInput(
            f"study feedback: dataset {part.kind!r} holds nothing out; "
            f'give dataset = {{ kind = "held-out", of = "{part.kind}" }}'
        )
    held = made("datasets", part).held(
        setting.scenario.agents, setting.seed, setting.scenario.clock
    )
    return [Feedback(str(setting.options.get("learner", "ease")), held, setting.seed)]


def remarks(findings: StudyFindings) -> list[str]:
    """Return what the held-out items are worth as truth."""
    if not any(variant.dataset.options.get("of") in DRAWN for variant in findings.variants):
        return []
    return [
        "Histories are drawn here from the same tastes that rule minds choose by, so clicks can "
        "hardly mislead; with real histories (--data) they can."
    ]


STUDY = Study(
    "feedback",
    {**LABELS, **known("picks", "click_rate", "entropy_exposure", "entropy_consumption")},
    (
        Chart(
            "ndcg",
            "bars",
            ("ndcg_before", "ndcg_after", "ndcg_shuffled"),
            "NDCG@10 on what was held out",
            "By what was learnt from.",
            ("no clicks", "simulated\nclicks", "random\nclicks"),
        ),
        Chart("gain", "levels", ("ndcg_gain",), caption="After simulated clicks less before."),
        Chart(
            "noise",
            "levels",
            ("ndcg_gain_shuffled",),
            caption="After as many random clicks less before.",
        ),
    ),
    answer(
        judging(
            "ndcg_gain",
            above="retraining on simulated clicks helps",
            below="retraining on simulated clicks does harm",
            neither="no gain by retraining on simulated clicks could be shown",
        ),
        judging(
            "ndcg_gain_shuffled",
            above="as many random clicks help too",
            below="as many random clicks do harm",
            neither="no gain or harm by as many random clicks could be shown",
        ),
        comparing("ndcg_gain", "random", FIRST),
    ),
    metrics=metrics,
    options=("learner",),
    remarks=remarks,
)
