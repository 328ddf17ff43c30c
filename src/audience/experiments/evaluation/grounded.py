"""The grounded mind as contestant: what its evidence makes of each candidate."""

from __future__ import annotations

from collections.abc import Sequence

from audience.experiments.evaluation.asking import Words
from audience.experiments.evaluation.baselines import Ground
from audience.experiments.evaluation.cases import Case
from audience.grounding.grounds import Grounds, fit_grounds
from audience.world.rng import Floats


class Grounded:
    """Scores candidates as the pick of a grounded mind does: evidence, weighed by its chooser."""

    name = "grounded"

    def __init__(self, ground: Ground, held: str = "last") -> None:
        self.grounds = _grounds(ground, held)

    async def score(self, cases: Sequence[Case]) -> Sequence[Floats]:
        histories, candidates = _columns(cases)
        return self.grounds.log_odds(histories, candidates, owners=[case.user for case in cases])


def evidence_words(ground: Ground, held: str = "last") -> Words:
    """Return what says the evidence about candidates in plain words."""
    grounds = _grounds(ground, held)

    def told(cases: Sequence[Case]) -> Sequence[Sequence[str]]:
        return [grounds.words(case.history, case.candidates) for case in cases]

    return told


def _grounds(ground: Ground, held: str) -> Grounds:
    return fit_grounds(ground.lives, seed=ground.seed, held=held, weighed=ground.weighed)


def _columns(cases: Sequence[Case]) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    return [case.history for case in cases], [case.candidates for case in cases]
