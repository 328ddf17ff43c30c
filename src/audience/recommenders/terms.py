"""The words of a catalogue, counted once for search and for likeness of content."""

from __future__ import annotations

import re
from array import array
from functools import lru_cache

import numpy as np

from audience.recommenders.matrix import Sparse
from audience.world.items import Catalogue
from audience.world.rng import Floats

_WORD = re.compile(r"\w+")
TITLE, TAG, ABOUT = 3.0, 2.0, 1.0


class Terms:
    """How much each item speaks of each word: words of titles count more than those of tags."""

    def __init__(self, catalogue: Catalogue) -> None:
        from scipy.sparse import csr_array

        numbers: dict[str, int] = {}
        said, weights, bounds = array("i"), array("f"), array("q", [0])
        for item in catalogue.items:
            parts = ((item.title, TITLE), (" ".join(item.tags), TAG), (item.about, ABOUT))
            for text, weight in parts:
                for word in _WORD.findall(text.lower()):
                    said.append(numbers.setdefault(word, len(numbers)))
                    weights.append(weight)
            bounds.append(len(said))
        self.numbers = numbers
        self.words = tuple(numbers)
        shape = (len(catalogue), max(len(numbers), 1))
        columns = (np.array(weights, np.float32), np.array(said, np.int32), np.array(bounds))
        self.counts: Sparse = csr_array(columns, shape)
        self.counts.sum_duplicates()

    @property
    def rarity(self) -> Floats:
        """The rarer a word, the more it tells: BM25's inverse document frequency."""
        items = self.counts.shape[0]
        with_word = np.bincount(self.counts.indices, minlength=self.counts.shape[1])
        rarity: Floats = np.log1p((items - with_word + 0.5) / (with_word + 0.5))
        return rarity


@lru_cache(maxsize=4)
def terms_of(catalogue: Catalogue) -> Terms:
    """Return the words of a catalogue, counted once."""
    return Terms(catalogue)


def split(text: str) -> list[str]:
    """Return the words of a text in lower case, in their order."""
    return _WORD.findall(text.lower())


def words(text: str) -> frozenset[str]:
    """Return the different words of a text in lower case."""
    return frozenset(split(text))
