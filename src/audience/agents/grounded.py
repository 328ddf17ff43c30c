"""The grounded mind: chooses by evidence from histories, without a language model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from audience.agents.rule import RuleMind, Wishes
from audience.errors import BadInput
from audience.outside import FilePath
from audience.parts import ChoiceEvidence, Options, PartContext, StarEvidence
from audience.world import Floats, Observation

_FURTHEST = 6.0
"""Log-odds are clipped to this."""


class GroundedMind(RuleMind):
    """A rule mind that picks by evidence: histories take the place of taste.

    The utility of an item starts with `pull` times the log-odds that the agent picks it, plus
    `usual`, where a rule mind's starts with taste and quality. With `stars`, enjoyment follows the
    stars that `ratings` predict. Everything else, and everything if there is no past to learn
    from, is as for rule minds.
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
        """`stars` is how a scenario asks for `ratings`."""
        super().__init__(parameters=parameters, **given)
        if stars and ratings is None:
            raise BadInput(
                "stars = true needs ratings to learn from; use data that has them, or leave "
                "out `stars`"
            )
        self.grounds = grounds
        self.ratings = ratings
        self.pull = pull
        self.usual = usual

    @classmethod
    def build(cls, context: PartContext, /, **options: Any) -> GroundedMind:  # noqa: ANN401
        """Return a mind that has learned from the past in the run's genesis."""
        ratings = context.fit_ratings() if options.get("stars") else None
        return cls(context.fit_grounds(), **{"ratings": ratings, **options})

    @staticmethod
    def uses_grounds(options: Options) -> bool:
        del options
        return True

    def wishes(self, seen: Sequence[Observation]) -> Wishes | None:
        if self.grounds is None:
            return None
        slates = [view.me.situation.slate for view in seen]
        histories = [[lived.item for lived in view.me.history] for view in seen]
        odds = _rows(self.grounds.log_odds(histories, slates))
        utility = self.pull * np.clip(odds, -_FURTHEST, _FURTHEST) + self.usual
        if self.ratings is None:
            return Wishes(utility)
        given = [
            [(lived.item, float(lived.stars)) for lived in view.me.history if lived.stars]
            for view in seen
        ]
        stars = np.round(_rows(self.ratings.predict_for(given, slates)), 6)
        return Wishes(utility, np.interp(stars, np.arange(1.0, 6.0), self._middles()))

    def _middles(self) -> Floats:
        """Return the enjoyment in the middle of the range of each number of stars."""
        p = self.parameters
        bounds = np.array([0.0, p.two_stars, p.three_stars, p.four_stars, p.five_stars, 1.0])
        middles: Floats = (bounds[1:] + bounds[:-1]) / 2.0
        return middles


def _rows(lists: Sequence[Floats]) -> Floats:
    """Return lists as rows, padded with 0."""
    rows = np.zeros((len(lists), max(1, *(len(values) for values in lists))))
    for row, values in enumerate(lists):
        rows[row, : len(values)] = values
    return rows
