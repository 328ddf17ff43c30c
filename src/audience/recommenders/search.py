"""Finding items by words."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache

import numpy as np

from audience.world.items import Catalogue

_WORD = re.compile(r"\w+")
_TITLE, _TAG, _ABOUT = 3.0, 2.0, 1.0


class Search:
    """Ranks items by the words they share with a query, rare words and titles counting more."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._size = len(catalogue)
        found: dict[str, dict[int, float]] = defaultdict(dict)
        for item in catalogue.items:
            parts = ((item.about, _ABOUT), (" ".join(item.tags), _TAG), (item.title, _TITLE))
            for text, weight in parts:
                for word in words(text):
                    found[word][item.id] = weight
        self._found = {
            word: (np.array(list(items)), np.array(list(items.values())))
            for word, items in found.items()
        }

    def find(self, query: str, k: int) -> tuple[int, ...]:
        """Return up to k item ids, best first; nothing when no word is known."""
        scores = np.zeros(self._size)
        for word in words(query):
            if word in self._found:
                items, weights = self._found[word]
                scores[items] += weights * np.log(1.0 + self._size / len(items))
        order = np.argsort(-np.round(scores, 6), kind="stable")[:k]
        return tuple(int(item) for item in order if scores[item] > 0)


def words(text: str) -> frozenset[str]:
    """Return the words of a text in lower case."""
    return frozenset(_WORD.findall(text.lower()))


@lru_cache(maxsize=4)
def search_in(catalogue: Catalogue) -> Search:
    """Return the index of a catalogue, made once."""
    return Search(catalogue)
