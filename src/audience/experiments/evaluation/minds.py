"""Minds as contestants: the choice of a rule mind, and that of a grounded one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from audience.agents.parameters import RuleParameters
from audience.experiments.evaluation.baselines import Ground
from audience.experiments.evaluation.cases import Case
from audience.world.rng import Floats
from audience.world.taste import INDIFFERENT, INTERESTED

_RECENT = 5
_INTERESTS = 3
_EXPLORER = 0.5


class RuleChoice:
    """The utility a rule mind sees in an item, with the taste that its genesis would have.

    Interests are the tags somebody has more of than others have, as for people made from data;
    place on the page and what friends say play no part.
    """

    name = "rule"

    def __init__(self, ground: Ground, parameters: RuleParameters | None = None) -> None:
        self.p = parameters or RuleParameters()
        self.weights = ground.lives.catalogue.weights
        self.quality = ground.quality
        sums = self.weights[ground.lives.items].sum(axis=0)
        self.usual: Floats = np.sqrt(np.maximum(sums / max(float(sums.sum()), 1.0), 1e-9))

    async def score(self, cases: Sequence[Case]) -> Sequence[Floats]:
        return [self._one(case) for case in cases]

    def _one(self, case: Case) -> Floats:
        lived = self.weights[list(case.history)]
        shares = lived.sum(axis=0) / max(float(lived.sum()), 1e-9)
        taste = np.full(len(shares), INDIFFERENT)
        dearest = np.argsort(-shares / self.usual, kind="stable")[:_INTERESTS]
        taste[dearest[shares[dearest] > 0]] = INTERESTED
        page = self.weights[list(case.candidates)]
        unknown = ~(lived[-_RECENT:] > 0).any(axis=0)
        quality = self.quality[list(case.candidates)]
        utility: Floats = (
            self.p.taste * (page * taste).sum(axis=1)
            + self.p.quality * (2.0 * quality - 1.0)
            + self.p.novelty * _EXPLORER * (page * unknown).sum(axis=1)
        )
        return np.round(utility, 6)
