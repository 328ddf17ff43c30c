"""Embedders: the protocol, opening one by its kind, and a cache of vectors."""

from __future__ import annotations

import asyncio
import inspect
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from audience.errors import AudienceError, BadInput
from audience.llm.request import Gateway
from audience.plugins import find

Vectors: TypeAlias = NDArray[np.float32]
_NEAR_ONE = 1e-5


class NoVectors(Exception):
    """Some texts have no vectors now; the caller continues without them and counts it."""

    def __init__(self, why: str, found: Mapping[str, Vectors] | None = None) -> None:
        """`found` holds the vectors that did come, by text; they are not asked for again."""
        super().__init__(why)
        self.why = why
        self.found: Mapping[str, Vectors] = found or {}


class Embedder(Protocol):
    """Maps texts of similar meaning to similar vectors, and equal texts to equal vectors."""

    name: str
    """The name under which its thresholds are stored."""

    @property
    def size(self) -> int:
        """The dimension of the vectors; 0 while unknown."""
        ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row per text, zero if no word is known.

        Raises `NoVectors` if some are not available; a spent budget passes through.
        """
        ...


def open_embedder(
    kind: str = "wordllama", *, gateway: Gateway | None = None, model: str = ""
) -> VectorCache:
    """Return an embedder by kind or `file.py:Class`, with a cache of its vectors.

    Embedders that need neither gateway nor model are opened once per process.
    """
    if gateway is None and not model and ":" not in kind:
        return _shared(kind)
    return _kept(kind, gateway, model)


@cache
def _shared(kind: str) -> VectorCache:
    return _kept(kind, None, "")


def _kept(kind: str, gateway: Gateway | None, model: str) -> VectorCache:
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
    return VectorCache(made)


def unit(rows: NDArray[Any]) -> Vectors:
    """Return rows scaled to length 1; zero rows and unit rows stay as they are."""
    rows = np.ascontiguousarray(rows, np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
    lengths[(np.abs(lengths - 1.0) < _NEAR_ONE) | (lengths == 0.0)] = 1.0
    scaled: Vectors = rows / lengths.astype(np.float32)[:, None]
    return scaled


_FIRST = 1024


class _Batch:
    """Texts that are embedded together."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.texts: dict[str, None] = {}
        self.done: asyncio.Future[None] = loop.create_future()
        self.task: asyncio.Task[None] | None = None
        self.rows: Vectors = np.zeros((0, 0), np.float32)
        self.places: dict[str, int] = {}
        """The rows of the texts that have one."""
        self.why = ""

    def rows_of(self, texts: Sequence[str]) -> Vectors:
        """Return the rows of texts; raise `NoVectors` if one is missing."""
        try:
            return self.rows[[self.places[text] for text in texts]]
        except KeyError:
            raise NoVectors(self.why) from None


class VectorCache:
    """Caches the vectors of the most recently used texts.

    All requests of one tick of the event loop go to the embedder together.
    """

    def __init__(self, inner: Embedder, *, most: int = 65_536) -> None:
        self.inner = inner
        self.name = inner.name
        self.most = most
        self._size = inner.size
        self._slots: OrderedDict[str, int] = OrderedDict()
        self._arena: Vectors = np.zeros((0, self._size), np.float32)
        self._open: _Batch | None = None
        self._under_way: dict[str, _Batch] = {}

    @property
    def size(self) -> int:
        """The dimension of the vectors; 0 while unknown."""
        return self._size

    def __len__(self) -> int:
        return len(self._slots)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row per text; blank texts have zero rows and are never embedded."""
        slots = [self._slot(text) for text in texts]
        if texts and min(slots) >= 0:
            return self._arena[slots]
        kept = [place for place, slot in enumerate(slots) if slot >= 0]
        # Copied now: awaiting below may evict these.
        rows = self._arena[[slots[place] for place in kept]] if kept else None
        wanted = {text: self._batch_of(text) for text in texts if self._is_missing(text)}
        for batch in dict.fromkeys(wanted.values()):
            await asyncio.shield(batch.done)
        found = np.zeros((len(texts), self._size), np.float32)
        if rows is not None:
            found[kept] = rows
        for batch in dict.fromkeys(wanted.values()):
            places = [place for place, text in enumerate(texts) if wanted.get(text) is batch]
            found[places] = batch.rows_of([texts[place] for place in places])
        return found

    def _slot(self, text: str) -> int:
        slot = self._slots.get(text, -1)
        if slot >= 0:
            self._slots.move_to_end(text)
        return slot

    def _is_missing(self, text: str) -> bool:
        return text not in self._slots and not text.isspace() and text != ""

    def _batch_of(self, text: str) -> _Batch:
        """Return the batch of a text: one in progress, or the one to start at the next tick."""
        loop = asyncio.get_running_loop()
        coming = self._under_way.get(text)
        # An earlier loop may have ended before its batches finished.
        if coming is not None and coming.loop is loop:
            return coming
        if self._open is None or self._open.loop is not loop:
            self._open = _Batch(loop)
            loop.call_soon(self._leave, self._open)
        self._open.texts[text] = None
        self._under_way[text] = self._open
        return self._open

    def _leave(self, batch: _Batch) -> None:
        if self._open is batch:
            self._open = None
        batch.task = batch.loop.create_task(self._bring(batch))

    async def _bring(self, batch: _Batch) -> None:
        try:
            await self._fill(batch)
        except asyncio.CancelledError:
            batch.done.cancel()
            raise
        except Exception as error:
            batch.done.set_exception(error)
            # Read once, so that asyncio does not complain if the callers are gone.
            batch.done.exception()
        else:
            self._keep(batch)
            batch.done.set_result(None)
        finally:
            for text in batch.texts:
                if self._under_way.get(text) is batch:
                    del self._under_way[text]

    async def _fill(self, batch: _Batch) -> None:
        texts = list(batch.texts)
        try:
            came = await self.inner.embed(texts)
        except NoVectors as lack:
            batch.why = lack.why
            texts = [text for text in texts if text in lack.found]
            if not texts:
                return
            came = np.stack([lack.found[text] for text in texts])
        except AudienceError:
            raise
        except Exception as error:
            batch.why = f"embedder {self.name!r} failed: {error!r}"
            return
        fault = self._fault(came, len(texts))
        if fault:
            batch.why = fault
            return
        batch.rows = unit(came)
        batch.places = {text: place for place, text in enumerate(texts)}

    def _fault(self, came: object, count: int) -> str:
        """Return what is wrong with the result of an embedder, or an empty text."""
        if not isinstance(came, np.ndarray) or came.dtype.kind not in "fiu":
            return f"embedder {self.name!r} gave no array of numbers"
        if came.ndim != 2 or came.shape[0] != count or came.shape[1] == 0:
            return f"embedder {self.name!r} gave an array of shape {came.shape} for {count} texts"
        if self._size and came.shape[1] != self._size:
            return (
                f"embedder {self.name!r} gave vectors of {came.shape[1]} numbers where they have "
                f"{self._size}"
            )
        if not np.isfinite(came).all():
            return f"embedder {self.name!r} gave numbers that are not finite"
        return ""

    def _keep(self, batch: _Batch) -> None:
        if not batch.places:
            return
        self._size = batch.rows.shape[1]
        news = [text for text in batch.places if text not in self._slots][-self.most :]
        used, wanted = len(self._slots), len(self._slots) + len(news)
        if wanted > len(self._arena):
            size = min(self.most, max(_FIRST, 2 * wanted))
            grown = np.zeros((size, self._size), np.float32)
            if used:
                grown[:used] = self._arena[:used]
            self._arena = grown
        # The rows of the least recently used texts are overwritten when no others are left.
        free = list(range(used, min(wanted, self.most)))
        free += [self._slots.popitem(last=False)[1] for _ in range(wanted - self.most)]
        self._slots.update(zip(news, free, strict=True))
        self._arena[free] = batch.rows[[batch.places[text] for text in news]]
