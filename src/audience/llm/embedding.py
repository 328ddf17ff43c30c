"""From texts to vectors: the embedder protocol, the one door to embedders, what may go wrong."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from audience.errors import BadInput
from audience.llm.kinds import Gateway
from audience.plugins import find

if TYPE_CHECKING:
    from audience.llm.embedding_kept import Kept

Vectors: TypeAlias = NDArray[np.float32]
_NEAR_ONE = 1e-5


class NoVectors(Exception):
    """Some texts have no vectors now. Whoever asked goes on without them, and counts it."""

    def __init__(self, why: str, found: Mapping[str, Vectors] | None = None) -> None:
        """`found` holds the vectors that did come, by text: they are not asked for again."""
        super().__init__(why)
        self.why = why
        self.found: Mapping[str, Vectors] = found or {}


class Embedder(Protocol):
    """Gives texts of like meaning vectors of like direction. Equal texts have equal vectors."""

    name: str
    """What its thresholds are kept under."""

    @property
    def size(self) -> int:
        """How many numbers a vector has; 0 until that is known."""
        ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row per text, of length one, or zero where no word is known.

        Raises `NoVectors` where some cannot be had; a spent budget passes through.
        """
        ...


def open_embedder(
    kind: str = "wordllama", *, gateway: Gateway | None = None, model: str = ""
) -> Kept:
    """Return an embedder by kind, or by `file.py:Class`, with its vectors kept by content.

    Those that need neither gateway nor model are opened once per process.
    """
    if gateway is None and not model and ":" not in kind:
        return _shared(kind)
    return _kept(kind, gateway, model)


@cache
def _shared(kind: str) -> Kept:
    return _kept(kind, None, "")


def _kept(kind: str, gateway: Gateway | None, model: str) -> Kept:
    from audience.llm.embedding_kept import Kept

    make = find("embedders", kind)
    given: dict[str, Any] = {"gateway": gateway, "model": model}
    taken = inspect.signature(make).parameters
    made = make(**{name: value for name, value in given.items() if name in taken})
    for name in ("name", "size", "embed"):
        if not hasattr(made, name):
            raise BadInput(
                f"embedder {kind!r} has no {name!r}; it needs name, size (0 while unknown) and "
                "async embed(texts), which returns one row of numbers per text"
            )
    return Kept(made)


def unit(rows: NDArray[Any]) -> Vectors:
    """Return rows at length one; zero rows stay, and rows that are so already keep every bit."""
    rows = np.ascontiguousarray(rows, np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
    lengths[(np.abs(lengths - 1.0) < _NEAR_ONE) | (lengths == 0.0)] = 1.0
    found: Vectors = rows / lengths.astype(np.float32)[:, None]
    return found
