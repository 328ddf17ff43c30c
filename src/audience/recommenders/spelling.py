"""Words that look like a word nobody knows."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np

from audience.world.rng import Floats, Ints

_TRIED = 40
_LOOSE = 5
_LIKE = 0.25
"""Below this share of common letter triples two words have nothing to do with each other."""


class Spelling:
    """Finds the words of a vocabulary that share letter triples with a given one."""

    def __init__(self, words: Sequence[str]) -> None:
        grams: dict[str, int] = {}
        held, bounds = array("i"), array("q", [0])
        for word in words:
            held.extend([grams.setdefault(gram, len(grams)) for gram in triples(word)])
            bounds.append(len(held))
        numbers = np.array(held, np.int64)
        self._words = words
        self._sizes: Ints = np.diff(np.array(bounds, np.int64)).astype(np.int64)
        order = np.argsort(numbers, kind="stable")
        self._owners: Ints = np.repeat(np.arange(len(words)), self._sizes)[order]
        self._starts = np.searchsorted(numbers[order], np.arange(len(grams) + 1))
        self._grams = grams

    def near(self, word: str, *, loose: bool = True) -> list[tuple[int, float]]:
        """Return (number, weight) of close spellings or, if `loose`, of words that look alike."""
        places, likeness = self._alike(word)
        close = []
        for place, like in zip(places.tolist(), likeness.tolist(), strict=True):
            other = self._words[place]
            slips = distance(word, other)
            if slips <= allowed(word):
                close.append((slips, -like, place))
        if close:
            least = min(close)[0]
            return [(place, 0.9**slips) for slips, _, place in sorted(close) if slips == least][:3]
        alike = list(zip(places.tolist(), likeness.tolist(), strict=True)) if loose else []
        return [(place, 0.5 * like) for place, like in alike[:_LOOSE]]

    def _alike(self, word: str) -> tuple[Ints, Floats]:
        own = triples(word)
        pieces = [
            self._owners[self._starts[number] : self._starts[number + 1]]
            for gram in own
            if (number := self._grams.get(gram)) is not None
        ]
        if not pieces:
            return np.zeros(0, np.int64), np.zeros(0)
        common = np.bincount(np.concatenate(pieces), minlength=len(self._words))
        likeness = 2.0 * common / (self._sizes + len(own))
        found = np.flatnonzero(likeness >= _LIKE)
        best = found[np.argsort(-np.round(likeness[found], 6), kind="stable")[:_TRIED]]
        return best, likeness[best]


def triples(word: str) -> frozenset[str]:
    """Return the letter triples of a word, its beginning and end marked."""
    marked = f"\x02{word}\x03"
    return frozenset(marked[place : place + 3] for place in range(len(marked) - 2))


def allowed(word: str) -> int:
    """Return how many slips a word of its length may hold: none in the shortest."""
    return min(len(word) // 3, 3)


def distance(one: str, other: str) -> int:
    """Return how many letters must be put in, left out, changed or swapped with the next."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, mine in enumerate(one, 1):
        older, before, row = before, row, [i]
        for j, theirs in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (mine != theirs))
            if i > 1 and j > 1 and mine == other[j - 2] and one[i - 2] == theirs:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
    return row[-1]
