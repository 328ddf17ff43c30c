"""Content-based recommendation: the words of a catalogue, and similarity of items."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from audience.errors import BadInput
from audience.outside import KindOf
from audience.plugins import find
from audience.recommenders.matrix import Sparse, lived_matrix, packed, rows_for
from audience.recommenders.recommender import Context, Ranker
from audience.recommenders.scored import ScoreRanker, Scores
from audience.recommenders.simple import Popular
from audience.recommenders.view import AnyCatalogue, AnyItem, RecommenderView
from audience.world import Floats, Generator, Ints

_WORD = re.compile(r"\w+")
TITLE, TAG, ABOUT = 3.0, 2.0, 1.0


class WordCounts(NamedTuple):
    """Weighted counts [items, words] in compressed rows, named as scipy names them.

    Every run searches, and importing scipy.sparse takes longer than indexing a small catalogue.
    """

    data: Scores
    indices: Ints
    indptr: Ints
    shape: tuple[int, int]

    @classmethod
    def of(cls, owners: Ints, said: Ints, weights: Scores, shape: tuple[int, int]) -> WordCounts:
        """Return the counts of words by their item, number and weight; repeated ones add up."""
        places, repeated = np.unique(owners * shape[1] + said, return_inverse=True)
        data = np.bincount(repeated, weights, minlength=len(places)).astype(np.float32)
        starts = np.searchsorted(places, np.arange(shape[0] + 1) * shape[1])
        return cls(data, places % shape[1], starts, shape)

    def owners(self) -> Ints:
        """Return the item of each count."""
        return np.repeat(np.arange(self.shape[0]), np.diff(self.indptr))


class Terms:
    """Weighted word counts of each item; titles count more than tags, tags more than text."""

    def __init__(self, catalogue: AnyCatalogue) -> None:
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
        owners = np.repeat(np.arange(len(catalogue)), np.diff(np.array(bounds)))
        shape = (len(catalogue), max(len(numbers), 1))
        columns = np.array(said, np.int64), np.array(weights, np.float32)
        self.counts = WordCounts.of(owners, *columns, shape)

    @property
    def rarity(self) -> Floats:
        """BM25's inverse document frequency of each word."""
        items = self.counts.shape[0]
        with_word = np.bincount(self.counts.indices, minlength=self.counts.shape[1])
        rarity: Floats = np.log1p((items - with_word + 0.5) / (with_word + 0.5))
        return rarity


@lru_cache(maxsize=4)
def terms_of(catalogue: AnyCatalogue) -> Terms:
    """Return the words of a catalogue, counted once."""
    return Terms(catalogue)


def split(text: str) -> list[str]:
    """Return the words of a text in lower case, in their order."""
    return _WORD.findall(text.lower())


def words(text: str) -> frozenset[str]:
    """Return the different words of a text in lower case."""
    return frozenset(split(text))


Embedder = Callable[[Sequence[str]], ArrayLike]
"""Maps texts to one vector each."""
Vectors = str | Embedder | ArrayLike
"""The kind of an embedder, a function of texts, or an array with a row for each item."""


class Content:
    """Scores items by the cosine similarity of their content to what a user watched.

    Vectors are TF-IDF weights of the words of titles, tags and descriptions; `embedder` gives
    others: a kind such as wordllama, a function of texts, or an array with a row for each item.
    Only the `telling` heaviest words of a user count. Uses what a user watched since the fit, and
    recommends items nobody has watched yet.
    """

    def __init__(
        self,
        embedder: Annotated[Vectors | None, KindOf("embedders")] = None,
        telling: int = 64,
        min_stars: int = 0,
    ) -> None:
        self.embedder = by_kind(embedder) if isinstance(embedder, str) else embedder
        self.telling = telling
        self.min_stars = min_stars

    def fit(self, interactions: RecommenderView, rng: Generator) -> Ranker:
        del rng
        lived = lived_matrix(interactions, self.min_stars)
        scorer: WordScorer | VectorScorer
        if self.embedder is None:
            scorer = WordScorer(lived, weighed(interactions.catalogue), self.telling)
        else:
            scorer = VectorScorer(lived, vectors_of(interactions.catalogue, self.embedder))
        return ScoreRanker(scorer, Popular().order(interactions))


class WordScorer:
    """Similarity by words, sparse, for up to a million items."""

    def __init__(self, lived: Sparse, weights: Sparse, telling: int) -> None:
        self.lived = lived
        self.weights = weights
        self.by_word = weights.T.tocsr()
        self.telling = telling

    def learnt(self) -> bytes:
        return packed(self.lived)

    def score(self, users: Ints, context: Context) -> Scores:
        taste = (rows_for(self.lived, users, context) @ self.weights).tocsr()
        taste.sort_indices()
        words = heaviest(taste, self.telling)
        scores = np.empty((len(users), self.weights.shape[0]), np.float32)
        for row in range(len(users)):
            mine = slice(words.indptr[row], words.indptr[row + 1])
            said = self.by_word[words.indices[mine]]
            worth = said.data * np.repeat(words.data[mine], np.diff(said.indptr))
            scores[row] = np.bincount(said.indices, worth, minlength=scores.shape[1])
        return scores


@dataclass(frozen=True, eq=False)
class VectorScorer:
    """Similarity by dense unit vectors."""

    lived: Sparse
    vectors: Scores

    def learnt(self) -> bytes:
        return packed(self.lived) + np.round(self.vectors, 6).tobytes()

    def score(self, users: Ints, context: Context) -> Scores:
        tastes = unit(rows_for(self.lived, users, context) @ self.vectors)
        scores = np.empty((len(users), len(self.vectors)), np.float32)
        for row, taste in enumerate(tastes):  # one by one: a batch is ranked as its members alone
            np.dot(self.vectors, taste, out=scores[row])
        return scores


def weighed(catalogue: AnyCatalogue) -> Sparse:
    """Return [items, words]: TF-IDF weights, each row of length 1."""
    from scipy.sparse import csr_array

    terms = terms_of(catalogue)
    counts = terms.counts
    heavy = (np.log1p(counts.data) * terms.rarity[counts.indices]).astype(np.float32)
    owners = counts.owners()
    lengths = np.sqrt(np.bincount(owners, heavy**2, minlength=counts.shape[0]))
    heavy /= np.maximum(lengths, 1e-9)[owners].astype(np.float32)
    return csr_array((heavy, counts.indices, counts.indptr), counts.shape)


def heaviest(taste: Sparse, most: int) -> Sparse:
    """Return unit rows with only the heaviest entries; ties go to the lower column."""
    from scipy.sparse import csr_array

    owners = np.repeat(np.arange(taste.shape[0]), np.diff(taste.indptr))
    order = np.lexsort((taste.indices, -taste.data, owners))
    kept = order[np.arange(len(order)) - taste.indptr[owners] < most]
    data, owners = taste.data[kept], owners[kept]
    lengths = np.sqrt(np.bincount(owners, data**2, minlength=taste.shape[0]))
    data = data / np.maximum(lengths, 1e-9)[owners].astype(np.float32)
    return csr_array((data, (owners, taste.indices[kept])), taste.shape)


def vectors_of(catalogue: AnyCatalogue, embedder: Embedder | ArrayLike) -> Scores:
    """Return one unit vector for each item."""
    made = embedder([text_of(item) for item in catalogue.items]) if callable(embedder) else embedder
    vectors = np.asarray(made, np.float32)
    if vectors.ndim != 2 or len(vectors) != len(catalogue):
        raise BadInput(
            f"embedder: gave {vectors.shape} for {len(catalogue)} items; it must give one vector "
            "for each, as an array [items, dimensions]"
        )
    return unit(vectors)


def by_kind(kind: str) -> Embedder:
    """Return a local embedder by its kind, as a plain function."""
    make = find("embedders", kind)
    try:
        made = make()
    except TypeError as error:
        raise BadInput(
            f"embedder {kind!r} needs a service and cannot be used here; use 'wordllama', or give "
            "a function of texts"
        ) from error

    def embed(texts: Sequence[str]) -> ArrayLike:
        return finished(made.embed(texts))

    return embed


def finished(work: Coroutine[None, None, ArrayLike]) -> ArrayLike:
    """Return the result of a coroutine that never waits; one that waits is refused."""
    try:
        work.send(None)
    except StopIteration as done:
        vectors: ArrayLike = done.value
        return vectors
    work.close()
    raise BadInput("this embedder waits for a service; use 'wordllama', which runs here")


def text_of(item: AnyItem) -> str:
    """Return the title, tags and description of an item as one text."""
    return ". ".join(part for part in (item.title, ", ".join(item.tags), item.about) if part)


def unit(vectors: Scores) -> Scores:
    """Return the vectors scaled to length 1; zero vectors stay zero."""
    lengths = np.sqrt((vectors * vectors).sum(axis=1, keepdims=True))
    scaled: Scores = vectors / np.maximum(lengths, np.float32(1e-9))
    return scaled
