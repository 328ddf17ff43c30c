"""Metrics of variety: genre entropy in bits, coverage, Gini, and repeated exposure.

An item with n tags gives each of them the weight 1/n. The entropy of one agent is
H = -sum p_t log2 p_t, where p_t is the share of tag t in that agent's weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from audience.metrics.formulas import (
    NAN,
    entropies,
    entropy,
    gini,
    mean,
    packed,
    ratio,
    ratios,
    resized,
    unpacked,
)
from audience.world import (
    Catalogue,
    Floats,
    Ints,
    Picked,
    Record,
    RoundEnded,
    SlateShown,
    View,
    tastes,
)

SAMPLE = 2000
EMPTY = Catalogue(())
"""A placeholder until a world has been seen."""


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
    """The tag weights of every agent over the earlier rounds.

    NAME         mean over agents of the entropy of their weights
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
        """Return the numbers including the current round so far."""
        return self._figures(self._with(*self._of_round(catalogue, agents, items)))

    def per_agent(self, catalogue: Catalogue, agents: Ints, items: Ints) -> dict[str, Floats]:
        return {self._name: entropies(self._with(*self._of_round(catalogue, agents, items)))}

    def close(self, catalogue: Catalogue, agents: Ints, items: Ints) -> dict[str, float]:
        """Return the numbers of the round alone and add it."""
        who, now = self._of_round(catalogue, agents, items)
        self._past = _merged(self._past, who, now)
        return self._figures(now)


def _merged(past: Floats, who: Ints, now: Floats) -> Floats:
    """Return the weights with those of a round added, in place if they fit."""
    if not len(who):
        return past
    past = resized(past if past.shape[1] else np.zeros((0, now.shape[1])), int(who[-1]) + 1)
    past[who] += now
    return past


class TasteEntropy:
    """entropy_taste: mean entropy of the positive part of the taste at the end of a round.

    It is measured on those of at most 2,000 agents, evenly spaced by id, that have visited.
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


class Consumption:
    """Follows Picked.

    entropy_consumption, entropy_consumption_pooled  see Variety
    coverage_consumption                             different items picked / items of the catalogue
    gini                                             Gini coefficient of the picks of every item,
                                                     those never picked included
    """

    watches = (Picked,)

    def __init__(self) -> None:
        self._agents: list[int] = []
        self._items: list[int] = []
        self._catalogue = EMPTY
        self._variety = Variety("entropy_consumption")
        self._picks: Floats = np.zeros(0)
        """Picks of each item in earlier rounds."""

    def update(self, record: Record, world: View) -> None:
        event: Any = record.event
        self._agents.append(event.agent)
        self._items.append(event.item)
        self._catalogue = world.catalogue

    def taken(self) -> tuple[bytes, bytes]:
        taken = packed(self._agents, "i"), packed(self._items, "i")
        self._agents.clear()
        self._items.clear()
        return taken

    def merge(self, taken: Sequence[bytes], world: View) -> None:
        agents, items = taken
        self._agents.extend(unpacked(agents, "i"))
        self._items.extend(unpacked(items, "i"))
        if items:
            self._catalogue = world.catalogue

    def _columns(self) -> tuple[Ints, Ints]:
        return np.array(self._agents, np.int64), np.array(self._items, np.int64)

    def _spread(self, picks: Floats) -> dict[str, float]:
        covered = int(np.count_nonzero(picks))
        return {"coverage_consumption": ratio(covered, len(picks)), "gini": gini(picks)}

    def _of_round(self, items: Ints) -> Floats:
        return np.bincount(items, minlength=len(self._catalogue)).astype(np.float64)

    def _whole(self, items: Ints) -> Floats:
        return resized(self._picks, len(self._catalogue)) + self._of_round(items)

    def value(self) -> dict[str, float]:
        agents, items = self._columns()
        variety = self._variety.value(self._catalogue, agents, items)
        return {**variety, **self._spread(self._whole(items))}

    def close(self) -> dict[str, float]:
        agents, items = self._columns()
        variety = self._variety.close(self._catalogue, agents, items)
        spread = self._spread(self._of_round(items))
        self._picks = self._whole(items)
        self._agents.clear()
        self._items.clear()
        return {**variety, **spread}

    def per_agent(self) -> dict[str, Floats]:
        return self._variety.per_agent(self._catalogue, *self._columns())


_ITEM_BITS = 32
_LAST = np.iinfo(np.int64).max
"""Greater than every pair, so that a search always ends inside."""


class Exposure:
    """Follows SlateShown.

    entropy_exposure, entropy_exposure_pooled  see Variety
    coverage_exposure                          different items shown / items of the catalogue
    repeated_exposure                          shown items that the same agent was shown before /
                                               shown items

    All but the first showing of an item to an agent are repeated, so repeated_exposure is
    1 - pairs / shown items, whatever the order.
    """

    watches = (SlateShown,)

    def __init__(self) -> None:
        self._agents: list[int] = []
        self._pages: list[tuple[int, ...]] = []
        self._merged: list[tuple[Ints, Ints]] = []
        """Agents and items shown in this round before those pages."""
        self._catalogue = EMPTY
        self._variety = Variety("entropy_exposure")
        self._shown: Floats = np.zeros(0)
        """Items shown to each agent in earlier rounds."""
        self._pairs: Ints = np.array([_LAST])
        """Pairs of agent and item shown in earlier rounds, ascending, and `_LAST`."""
        self._covered: Ints = np.zeros(0, np.int64)

    def update(self, record: Record, world: View) -> None:
        event: Any = record.event
        self._agents.append(event.agent)
        self._pages.append(event.items)
        self._catalogue = world.catalogue

    def taken(self) -> tuple[bytes, bytes]:
        agents, items = self._columns()
        self._forget()
        return agents.tobytes(), items.tobytes()

    def merge(self, taken: Sequence[bytes], world: View) -> None:
        agents, items = (np.frombuffer(column, np.int64) for column in taken)
        self._merged += [self._of_pages(), (agents, items)]
        self._agents.clear()
        self._pages.clear()
        if len(items):
            self._catalogue = world.catalogue

    def _forget(self) -> None:
        self._agents.clear()
        self._pages.clear()
        self._merged.clear()

    def _columns(self) -> tuple[Ints, Ints]:
        """Return the agent and the item of everything shown in this round."""
        agents, items = zip(*self._merged, self._of_pages(), strict=True)
        return np.concatenate(agents), np.concatenate(items)

    def _of_pages(self) -> tuple[Ints, Ints]:
        sizes = np.fromiter(map(len, self._pages), np.int64, len(self._pages))
        items = np.fromiter(chain.from_iterable(self._pages), np.int64, int(sizes.sum()))
        return np.repeat(np.array(self._agents, np.int64), sizes), items

    def _counts(self, agents: Ints) -> Floats:
        now = np.bincount(agents)
        counts = resized(self._shown, len(now)).copy()
        counts[: len(now)] += now
        return counts

    def value(self) -> dict[str, float]:
        agents, items = self._columns()
        fresh, _ = _fresh(self._pairs, agents, items)
        shown, pairs = int(self._counts(agents).sum()), len(self._pairs) - 1 + len(fresh)
        covered = np.union1d(self._covered, _different(items))
        return {
            **self._variety.value(self._catalogue, agents, items),
            "coverage_exposure": ratio(len(covered), len(self._catalogue)),
            "repeated_exposure": ratio(shown - pairs, shown),
        }

    def close(self) -> dict[str, float]:
        agents, items = self._columns()
        covered, (fresh, places) = _different(items), _fresh(self._pairs, agents, items)
        self._pairs = np.insert(self._pairs, places, fresh)
        self._shown = self._counts(agents)
        self._covered = np.union1d(self._covered, covered)
        self._forget()
        return {
            **self._variety.close(self._catalogue, agents, items),
            "coverage_exposure": ratio(len(covered), len(self._catalogue)),
            "repeated_exposure": ratio(len(items) - len(fresh), len(items)),
        }

    def per_agent(self) -> dict[str, Floats]:
        agents, items = self._columns()
        fresh, _ = _fresh(self._pairs, agents, items)
        counts, pairs = self._counts(agents), np.append(self._pairs[:-1], fresh)
        different = np.bincount(pairs >> _ITEM_BITS, minlength=len(counts))
        return {
            **self._variety.per_agent(self._catalogue, agents, items),
            "repeated_exposure": ratios(counts - different, counts),
        }


def _different(items: Ints) -> Ints:
    return np.flatnonzero(np.bincount(items))


def _fresh(known: Ints, agents: Ints, items: Ints) -> tuple[Ints, Ints]:
    """Return the distinct new pairs, ascending, and their places among the known ones."""
    pairs: Ints = np.sort(agents << _ITEM_BITS | items)
    first = np.ones(len(pairs), np.bool_)
    np.not_equal(pairs[1:], pairs[:-1], out=first[1:])
    pairs = pairs[first]
    places = np.searchsorted(known, pairs)
    new = known[places] != pairs
    return pairs[new], places[new]
