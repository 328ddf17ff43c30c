"""Genre entropy, in bits, of what people are shown, take up and like.

An item with n tags gives each of them the weight 1/n. The entropy of one person is
H = -sum p_t log2 p_t, where p_t is the share of tag t in that person's weights.
"""

from __future__ import annotations

import numpy as np

from audience.metrics.formulas import NAN, entropies, entropy, mean, resized
from audience.world.events import Record, RoundEnded
from audience.world.items import Catalogue
from audience.world.rng import Floats, Ints
from audience.world.taste import tastes
from audience.world.world import View

SAMPLE = 2000
EMPTY = Catalogue(())
"""Stands in until a world has been seen."""


class TagWeights:
    """Sums the tag weights of items by agent, for one catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        tags_of = catalogue.tags_of
        self.catalogue = catalogue
        self._counts = np.fromiter(map(len, tags_of), np.int64, len(tags_of))
        self._starts = np.cumsum(self._counts) - self._counts
        self._tags = np.array([tag for tags in tags_of for tag in tags], np.int64)
        self._weights = np.array([1.0 / len(tags) for tags in tags_of for _ in tags], np.float64)

    def by_agent(self, agents: Ints, items: Ints) -> tuple[Ints, Floats]:
        """Return the agents in ascending order and their weights [agents, tags]."""
        present = np.bincount(agents) > 0
        who, rows = np.flatnonzero(present), (np.cumsum(present) - 1)[agents]
        width, counts = len(self.catalogue.tags), self._counts[items]
        ends = np.cumsum(counts)
        places = np.repeat(self._starts[items] - ends + counts, counts)
        places += np.arange(len(places))
        cells = np.repeat(rows * width, counts)
        cells += self._tags[places]
        summed = np.bincount(cells, self._weights[places], minlength=len(who) * width)
        return who, np.asarray(summed, np.float64).reshape(len(who), width)


class Variety:
    """Keeps the tag weights of every agent over the rounds before.

    NAME         mean over agents of the entropy of each one's weights
    NAME_pooled  entropy of the weights of all agents together
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._weights: TagWeights | None = None
        self._past: Floats = np.zeros((0, 0))

    def _of_round(self, catalogue: Catalogue, agents: Ints, items: Ints) -> tuple[Ints, Floats]:
        if self._weights is None or self._weights.catalogue is not catalogue:
            self._weights = TagWeights(catalogue)
        return self._weights.by_agent(agents, items)

    def _with(self, who: Ints, now: Floats) -> Floats:
        return _merged(self._past.copy(), who, now) if len(who) else self._past

    def _figures(self, weights: Floats) -> dict[str, float]:
        pooled = entropy(weights.sum(axis=0))
        return {self._name: mean(entropies(weights)), f"{self._name}_pooled": pooled}

    def value(self, catalogue: Catalogue, agents: Ints, items: Ints) -> dict[str, float]:
        """Return the numbers with the round so far."""
        return self._figures(self._with(*self._of_round(catalogue, agents, items)))

    def per_agent(self, catalogue: Catalogue, agents: Ints, items: Ints) -> dict[str, Floats]:
        return {self._name: entropies(self._with(*self._of_round(catalogue, agents, items)))}

    def close(self, catalogue: Catalogue, agents: Ints, items: Ints) -> dict[str, float]:
        """Return the numbers of the round alone and keep it."""
        who, now = self._of_round(catalogue, agents, items)
        self._past = _merged(self._past, who, now)
        return self._figures(now)


def _merged(past: Floats, who: Ints, now: Floats) -> Floats:
    """Return the weights with those of a round added, in place where they fit."""
    if not len(who):
        return past
    past = resized(past if past.shape[1] else np.zeros((0, now.shape[1])), int(who[-1]) + 1)
    past[who] += now
    return past


class TasteEntropy:
    """entropy_taste: mean entropy of the positive part of the taste, at the newest end of a round.

    It looks at those of at most 2,000 agents, evenly spaced by id, who have visited.
    """

    watches = (RoundEnded,)

    def __init__(self) -> None:
        self._found: Floats = np.zeros(0)

    def update(self, record: Record, world: View) -> None:
        del record
        everybody = world.agents
        stride = -(-len(everybody) // SAMPLE)
        chosen = [(who, everybody[who]) for who in range(0, len(everybody), stride)]
        visitors = [(who, agent.taste) for who, agent in chosen if agent.visits]
        self._found = np.full(len(everybody), NAN)
        if visitors:
            liked = np.maximum(tastes([taste for _, taste in visitors]), 0.0)
            self._found[[who for who, _ in visitors]] = entropies(liked)

    def value(self) -> dict[str, float]:
        return {"entropy_taste": mean(self._found)}

    def close(self) -> dict[str, float]:
        return self.value()

    def per_agent(self) -> dict[str, Floats]:
        return {"entropy_taste": self._found}
