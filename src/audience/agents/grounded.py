"""The grounded mind: chooses by what its own history and others' say, without a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from audience.agents.rule import RuleMind, Wishes
from audience.errors import BadInput
from audience.parts import ChoiceEvidence, FilePath, Options, PartContext, StarEvidence
from audience.world import Floats, Observation

_FURTHEST = 6.0
"""Log-odds beyond this count as this."""


class GroundedMind(RuleMind):
    """A rule mind that picks by evidence: its history and what others did take the place of taste.

    The utility of an item begins with `pull` times the log-odds that the person takes it up, plus
    `usual`, where a rule mind's begins with taste and quality. With `stars` enjoyment follows
    those that `ratings` expect. All else is as for rule minds; without grounds, where there is no
    past to learn from, everything is.
    """

    def __init__(
        self,
        grounds: ChoiceEvidence | None = None,
        *,
        ratings: StarEvidence | None = None,
        pull: float = 1.0,
        usual: float = 0.0,
        stars: bool = False,
        parameters: FilePath = "",
        **given: float,
    ) -> None:
        """`stars`: a scenario's way to ask for ratings; who gives them has asked."""
        super().__init__(parameters=parameters, **given)
        if stars and ratings is None:
            raise BadInput(
                "minds that enjoy by stars need ratings to learn from; take data that has them, "
                "or leave out `stars`"
            )
        self.grounds = grounds
        self.ratings = ratings
        self.pull = pull
        self.usual = usual

    @classmethod
    def build(cls, context: PartContext, /, **options: Any) -> GroundedMind:  # noqa: ANN401
        """Return a mind that has learnt from the past of the run's genesis."""
        ratings = context.fit_ratings() if options.get("stars") else None
        return cls(context.fit_grounds(), **{"ratings": ratings, **options})

    @staticmethod
    def uses_grounds(options: Options) -> bool:
        del options
        return True

    def wishes(self, seen: Sequence[Observation]) -> Wishes | None:
        if self.grounds is None:
            return None
        slates = [one.me.situation.slate for one in seen]
        histories = [[lived.item for lived in one.me.history] for one in seen]
        odds = _rows(self.grounds.log_odds(histories, slates))
        utility = self.pull * np.clip(odds, -_FURTHEST, _FURTHEST) + self.usual
        if self.ratings is None:
            return Wishes(utility)
        given = [
            [(lived.item, float(lived.stars)) for lived in one.me.history if lived.stars]
            for one in seen
        ]
        stars = np.round(_rows(self.ratings.predict_for(given, slates)), 6)
        return Wishes(utility, np.interp(stars, np.arange(1.0, 6.0), self._middles()))

    def _middles(self) -> Floats:
        """Return the enjoyment in the middle of what leads to one, two, three, four, five stars."""
        p = self.parameters
        bounds = np.array([0.0, p.two_stars, p.three_stars, p.four_stars, p.five_stars, 1.0])
        middles: Floats = (bounds[1:] + bounds[:-1]) / 2.0
        return middles


def _rows(lists: Sequence[Floats]) -> Floats:
    """Return lists as rows, with 0 where one is shorter."""
    found = np.zeros((len(lists), max(1, *(len(one) for one in lists))))
    for row, one in enumerate(lists):
        found[row, : len(one)] = one
    return found
