"""The default embedder: static vectors of words, summed. They ship inside a package."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from audience.errors import BadInput
from audience.llm.embedding import Vectors, unit

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PACKAGE = "wordllama"
TITLE = 1.5
"""What a word of a `<title>` weighs: two sentences alike but for the title are not about the same.
At 1 such pairs pass for repetitions; from 2 on, any two sentences about one title do."""
_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENS = "tokenizers/l2_supercat_tokenizer_config.json"
_BLANK = 29871
"""The token of a lone word boundary: it says nothing."""
_TITLED = re.compile(r"<([^<>]*)>")
_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_ROWS = 512
"""Texts worked on at once: their sums stay in the processor's cache."""


class Wordllama:
    """Sums the vectors of a text's words, those of titles with more weight; no batch matters.

    The files are read straight from the package's folder, so that nothing is ever fetched.
    """

    name = "wordllama-256"
    size = 256

    def __init__(self) -> None:
        """Find the files now, so that a missing package is told before anything starts."""
        package_folder()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        table = _table()
        found = np.empty((len(texts), self.size), np.float32)
        for at in range(0, len(texts), _ROWS):
            found[at : at + _ROWS] = unit(_summed(texts[at : at + _ROWS], table))
        return found


def package_folder() -> Path:
    """Return where the package lies, which is not imported; raise BadInput with the remedy."""
    spec = importlib.util.find_spec(PACKAGE)
    folder = Path(spec.origin).parent if spec and spec.origin else None
    if folder is None or not (folder / _WEIGHTS).is_file() or not (folder / _TOKENS).is_file():
        raise BadInput(
            f"the embedder 'wordllama' needs the package {PACKAGE} with its vectors; "
            f"pip install --force-reinstall {PACKAGE}"
        )
    return folder


@lru_cache(maxsize=1)
def _table() -> Vectors:
    from safetensors.numpy import load_file

    (weights,) = load_file(package_folder() / _WEIGHTS).values()
    return np.ascontiguousarray(weights, np.float32)


@lru_cache(maxsize=1)
def _tokenizer() -> Tokenizer:
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(package_folder() / _TOKENS))


@lru_cache(maxsize=65_536)
def _tokens(word: str) -> tuple[int, ...]:
    found = _tokenizer().encode(word, add_special_tokens=False).ids
    return tuple(token for token in found if token != _BLANK)


def _read(text: str) -> tuple[list[int], list[float]]:
    """Return the tokens of a text and what each weighs."""
    tokens: list[int] = []
    weights: list[float] = []
    # What stands between a pair of brackets is every second part.
    for place, part in enumerate(_TITLED.split(text)):
        before = len(tokens)
        for word in _WORD.findall(part):
            tokens.extend(_tokens(word))
        weights.extend([TITLE if place % 2 else 1.0] * (len(tokens) - before))
    return tokens, weights


def _summed(texts: Sequence[str], table: Vectors) -> Vectors:
    """Return the sums of the texts' tokens, each added one token after the other.

    The first tokens of all texts are added, then the second ones, and so on: elementwise, so that
    a text's sum is the same to the bit alone and in any company.
    """
    read = [_read(text) for text in texts]
    lengths = np.array([len(tokens) for tokens, _ in read])
    order = np.argsort(-lengths, kind="stable")
    tokens = np.array([one for some, _ in read for one in some], np.int32)
    weights = np.array([one for _, some in read for one in some], np.float32)
    starts = (np.cumsum(lengths) - lengths)[order]
    downwards = -lengths[order]
    sums = np.zeros((len(read), table.shape[1]), np.float32)
    for step in range(-int(downwards[0])):
        at = starts[: np.searchsorted(downwards, -step)] + step
        sums[: len(at)] += table[tokens[at]] * weights[at, None]
    found = np.empty_like(sums)
    found[order] = sums
    return found
