"""What a reader sees in a headline at a glance: length, question, number, person and so on."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from audience.world import Floats

WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")


def _found(pattern: str) -> Callable[[str], float]:
    compiled = re.compile(pattern, re.IGNORECASE)
    return lambda headline: float(bool(compiled.search(headline)))


def _words(*listed: str) -> Callable[[str], float]:
    return _found(rf"\b(?:{'|'.join(listed)})\b")


_NUMBERS = (
    "one two three four five six seven eight nine ten eleven twelve twenty thirty fifty hundred "
    "thousand million billion"
).split()
_PEOPLE = (
    "he she him her his hers guy man men woman women girl boy kid mom mother dad father lady dude "
    "teen teacher son daughter wife husband"
).split()

FEATURES: dict[str, Callable[[str], float]] = {
    "length": lambda headline: float(len(headline)),
    "words": lambda headline: float(len(WORD.findall(headline))),
    "sentences": lambda headline: float(len(re.findall(r"[.?!…]+(?:\s|$)", headline)) or 1),
    "question": _found(r"\?"),
    "number": _found(rf"\d|\b(?:{'|'.join(_NUMBERS)})\b"),
    "person": _words(*_PEOPLE),
    "quotation": _found(r"[\"“”]|(?<!\w)'\w|\w'(?!\w)"),
    "exclamation": _found(r"!"),
    "you": _words("you", "your", "yours", "you're", "you'll", "yourself"),
    "first person": _words("i", "i'm", "my", "me", "we", "our", "us"),
    "pointing": _words("this", "these", "that", "here", "here's"),
    "question word": _found(r"^\W*(?:how|what|why|when|where|who)\b"),
    "negation": _words("no", "not", "never", "nothing", r"\w+n't"),
    "superlative": _words("best", "worst", "most", "ever", "greatest", "amazing", "incredible"),
    "ellipsis": _found(r"\.\.\.|…"),
    "colon": _found(r":"),
    "capitals": lambda headline: float(
        any(len(word) > 1 and word.isupper() for word in WORD.findall(headline))
    ),
}


def features_of(headlines: Sequence[str]) -> Floats:
    """Return [headlines, features]."""
    return np.array(
        [[read(headline) for read in FEATURES.values()] for headline in headlines], np.float64
    )


def rule_scores(features: Floats) -> dict[str, Floats]:
    """Return what each rule policy prefers, by name: the highest score is chosen."""
    columns = dict(zip(FEATURES, features.T, strict=True))
    length = columns.pop("length")
    del columns["words"]
    return {"longest": length, "shortest": -length, **columns}


def word_vectors(headlines: Sequence[str], fewest: int = 5) -> Floats:
    """Return [headlines, words]: unit TF-IDF vectors of words and pairs of words."""
    texts = [[word.lower() for word in WORD.findall(headline)] for headline in headlines]
    terms = [{*text, *map(" ".join, pairwise(text))} for text in texts]
    counts: dict[str, int] = {}
    for text in terms:
        for term in text:
            counts[term] = counts.get(term, 0) + 1
    known = {
        term: place
        for place, term in enumerate(sorted(t for t, n in counts.items() if n >= fewest))
    }
    vectors = np.zeros((len(terms), max(len(known), 1)))
    for row, text in enumerate(terms):
        for term in text & known.keys():
            vectors[row, known[term]] = np.log(len(terms) / counts[term])
    lengths = np.sqrt((vectors**2).sum(axis=1, keepdims=True))
    unit: Floats = vectors / np.maximum(lengths, 1e-9)
    return unit
