"""Search in a catalogue: BM25 by words, spelling correction, and similarity of meaning."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from audience.errors import BadInput
from audience.recommenders.content import (
    Embedder,
    Terms,
    by_kind,
    split,
    terms_of,
    unit,
    vectors_of,
    words,
)
from audience.recommenders.scored import Scores, keys_of, top_keys
from audience.recommenders.view import AnyCatalogue
from audience.world import Floats, Ints

_TRIED = 40
_LOOSE = 5
_LIKE = 0.25
"""The least share of common letter triples for two words to be similar."""


class Spelling:
    """Finds similar words of a vocabulary by shared letter triples."""

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
        """Return (number, weight) of close spellings or, if `loose`, of similar words."""
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
    """Return the allowed number of typos in a word, by its length."""
    return min(len(word) // 3, 3)


def distance(word: str, other: str) -> int:
    """Return the Damerau-Levenshtein distance of two words."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, mine in enumerate(word, 1):
        older, before, row = before, row, [i]
        for j, theirs in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (mine != theirs))
            if i > 1 and j > 1 and mine == other[j - 2] and word[i - 2] == theirs:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
    return row[-1]


_SATURATION, _LENGTH = 1.2, 0.75
"""BM25's k1 and b."""
_NEAR = 0.2
"""A smaller cosine is ignored."""
_MOST_EMBEDDED = 100_000
"""Larger catalogues are searched by words only, unless an embedder is given."""
_LOOKED_AT = 200
_REMEMBERED = 4096


class _Postings(NamedTuple):
    """The items of each word, word after word, and what it adds to their scores."""

    items: Ints
    added: Scores
    starts: Ints


class ItemSearch:
    """Ranks items by the words they share with a query (BM25) and by similarity of meaning.

    Rare words and words of titles count more; an exact title comes first. An unknown word stands
    for its close spellings. With an `embedder` items of similar meaning are found too; without
    one, or if nothing is similar, words that look alike are used. `vectors` saves embedding the
    items. The index is built on first use.
    """

    def __init__(
        self,
        catalogue: AnyCatalogue,
        embedder: str | Embedder | None = None,
        vectors: ArrayLike | None = None,
    ) -> None:
        self._catalogue = catalogue
        self._embedder = by_kind(embedder) if isinstance(embedder, str) else embedder
        self._given = vectors
        self._found: dict[tuple[str, int], tuple[int, ...]] = {}

    def find(self, query: str, k: int) -> tuple[int, ...]:
        """Return up to k item ids, best first; empty if no word is similar to a known one."""
        if (query, k) not in self._found:
            if len(self._found) >= _REMEMBERED:
                self._found.clear()
            self._found[query, k] = self._find(query, k)
        return self._found[query, k]

    def _find(self, query: str, k: int) -> tuple[int, ...]:
        said = split(query)
        if not said:
            return ()
        scores = self._by_words(said, loose=self._embedder is None)
        if self._embedder is not None:
            scores += self._by_meaning(query)
            if not scores.any():
                scores = self._by_words(said, loose=True)
        items = len(self._catalogue)
        ties = np.arange(items)[::-1]
        places, values = top_keys(keys_of(scores[None], ties), min(max(k, _LOOKED_AT), items))
        found = (items - 1 - places[0][values[0] > 0]).tolist()
        titled = self._titles.get(frozenset(said), ())
        whole = [item for item in found if item in titled]
        rest = [item for item in found if item not in set(whole)]
        return tuple((whole + rest)[:k])

    def _by_words(self, said: Sequence[str], *, loose: bool) -> Scores:
        """Return BM25 scores as a share of the maximum for the query."""
        index = self._index
        scores = np.zeros(len(self._catalogue), np.float32)
        for number, weight in self._meant(said, loose=loose).items():
            own = slice(index.starts[number], index.starts[number + 1])
            scores[index.items[own]] += np.float32(weight) * index.added[own]
        numbers = self._terms.numbers
        unknown = np.log1p(2.0 * len(self._catalogue) + 1.0)
        # In the order of the words: the order of a set, and so of a sum, varies between processes.
        asked = dict.fromkeys(said)
        rare = (self._rarity[numbers[word]] if word in numbers else unknown for word in asked)
        scores /= np.float32(sum(rare) * (_SATURATION + 1.0))
        return scores

    def _by_meaning(self, query: str) -> Scores:
        assert self._embedder is not None
        asked = unit(np.asarray(self._embedder([query]), np.float32))[0]
        likeness: Scores = self._vectors @ asked
        return np.where(likeness >= _NEAR, likeness, np.float32(0.0))

    def _meant(self, said: Sequence[str], *, loose: bool) -> dict[int, float]:
        """Return the known words that a query means, with weights."""
        numbers = self._terms.numbers
        joined = [first + two for first, two in pairwise(said)]
        meant = {numbers[word]: 1.0 for word in (*said, *joined) if word in numbers}
        for word in said:
            if word not in numbers:
                found = self._parted(word) or self._spelling.near(word, loose=loose)
                for number, weight in found:
                    meant[number] = max(meant.get(number, 0.0), weight)
        return meant

    def _parted(self, word: str) -> list[tuple[int, float]]:
        """Return two known words that a compound consists of, the most even split."""
        numbers = self._terms.numbers
        middle = sorted(range(3, len(word) - 2), key=lambda place: abs(2 * place - len(word)))
        for place in middle:
            if word[:place] in numbers and word[place:] in numbers:
                return [(numbers[word[:place]], 0.8), (numbers[word[place:]], 0.8)]
        return []

    @cached_property
    def _terms(self) -> Terms:
        return terms_of(self._catalogue)

    @cached_property
    def _titles(self) -> dict[frozenset[str], set[int]]:
        """The items by the words of their titles."""
        titles: dict[frozenset[str], set[int]] = {}
        for item in range(len(self._catalogue)):
            titles.setdefault(words(self._catalogue[item].title), set()).add(item)
        return titles

    @cached_property
    def _rarity(self) -> Floats:
        return self._terms.rarity

    @cached_property
    def _index(self) -> _Postings:
        """The contribution of each word to each item's score."""
        counts = self._terms.counts
        owners = counts.owners()
        lengths = np.bincount(owners, counts.data, minlength=counts.shape[0])
        even = 1.0 - _LENGTH + _LENGTH * lengths / max(float(lengths.mean()), 1e-9)
        share = counts.data * (_SATURATION + 1.0) / (counts.data + _SATURATION * even[owners])
        added = (share * self._rarity[counts.indices]).astype(np.float32)
        order = np.argsort(counts.indices, kind="stable")
        starts = np.searchsorted(counts.indices[order], np.arange(counts.shape[1] + 1))
        return _Postings(owners[order], added[order], starts)

    @cached_property
    def _spelling(self) -> Spelling:
        return Spelling(self._terms.words)

    @cached_property
    def _vectors(self) -> Scores:
        source = self._given if self._given is not None else self._embedder
        assert source is not None
        return vectors_of(self._catalogue, source)


@lru_cache(maxsize=4)
def search_in(catalogue: AnyCatalogue) -> ItemSearch:
    """Return the cached index of a catalogue: by words, and by meaning if it is not huge."""
    if len(catalogue) > _MOST_EMBEDDED:
        return ItemSearch(catalogue)
    try:
        return ItemSearch(catalogue, "wordllama")
    except BadInput:
        return ItemSearch(catalogue)
