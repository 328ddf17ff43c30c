"""A model's file and an adapter to it made into one, which is faster than the two apart.

Matrices that the adapter changes are written with 8 bits a weight (Q8_0), which keeps what 4 bits
and a change of low rank add up to, and which llama.cpp multiplies faster than either.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from audience.errors import BadInput
from audience.files import replacing

_BLOCK, _ALIGNMENT = 32, 32
_TEXT, _LIST = 8, 9
_SCALARS = dict(zip((0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12), "BbHhIif?Qqd", strict=True))
F16, Q4_1, Q8_0 = 1, 3, 8
"""Kinds of numbers: in half precision, and in blocks with 4 or 8 bits each."""
_FOUR = np.dtype([("scale", "<f2"), ("least", "<f2"), ("steps", "u1", _BLOCK // 2)])
_EIGHT = np.dtype([("scale", "<f2"), ("steps", "i1", _BLOCK)])
_KINDS = {F16: (np.dtype("<f2"), 1), Q4_1: (_FOUR, _BLOCK), Q8_0: (_EIGHT, _BLOCK)}

Matrix = np.ndarray[tuple[int, ...], np.dtype[np.float32]]


class Tensor(NamedTuple):
    """A tensor of a file."""

    name: str
    shape: tuple[int, ...]
    """Columns before rows, as files have it."""
    kind: int
    data: memoryview

    def weights(self) -> Matrix:
        """Return a matrix as numbers."""
        kind, size = _KINDS[self.kind]
        columns, rows = self.shape
        count = rows * columns // size
        blocks = np.frombuffer(self.data[: count * kind.itemsize], kind)
        if self.kind == F16:
            return blocks.astype(np.float32).reshape(rows, columns)
        steps = blocks["steps"]
        if self.kind == Q4_1:
            steps = np.concatenate([steps & 15, steps >> 4], axis=1)
        made = steps * blocks["scale"].astype(np.float32)[:, None]
        if self.kind == Q4_1:
            made += blocks["least"].astype(np.float32)[:, None]
        return made.reshape(rows, columns)


class ModelFile:
    """A GGUF file: what it tells about itself, and its tensors."""

    def __init__(self, path: Path) -> None:
        """Read a file; raise BadInput if it is none."""
        self.values: dict[str, float | str] = {}
        self._bytes, self._at = memoryview(path.read_bytes()), 4
        try:
            tensors = self._start()
            self.about = bytes(self._bytes[: self._at])
            """All that stands before the tensors, as it is written."""
            self.tensors = self._tensors(tensors)
        except (struct.error, UnicodeDecodeError, ValueError) as error:
            raise BadInput(f"{path} is no whole GGUF file; get it again") from error

    def _start(self) -> int:
        """Read what the file tells about itself, and return how many tensors there are."""
        if bytes(self._bytes[:4]) != b"GGUF":
            raise ValueError("another kind of file")
        _, tensors, values = self._take("IQQ")
        for _ in range(values):
            name = self._text()
            [kind] = self._take("I")
            value = self._value(kind)
            if value is not None:
                self.values[name] = value
        return tensors

    def _tensors(self, count: int) -> tuple[Tensor, ...]:
        infos = [self._listed() for _ in range(count)]
        start = self._at + -self._at % _ALIGNMENT
        places = [start + place for *_, place in infos] + [len(self._bytes)]
        made = []
        for number, (name, shape, kind, _) in enumerate(infos):
            data = self._bytes[places[number] : places[number + 1]]
            if not len(data):
                raise ValueError("cut short")
            made.append(Tensor(name, shape, kind, data))
        return tuple(made)

    def _listed(self) -> tuple[str, tuple[int, ...], int, int]:
        name = self._text()
        [count] = self._take("I")
        shape = self._take(f"{count}Q")
        kind, place = self._take("IQ")
        return name, shape, kind, place

    def _take(self, form: str) -> tuple[int, ...]:
        found = struct.unpack_from(f"<{form}", self._bytes, self._at)
        self._at += struct.calcsize(f"<{form}")
        return found

    def _text(self) -> str:
        [length] = self._take("Q")
        self._at += length
        return str(self._bytes[self._at - length : self._at], "utf-8")

    def _value(self, kind: int) -> float | str | None:
        """Return a value; None for a list, which is passed over."""
        if kind == _TEXT:
            return self._text()
        if kind in _SCALARS:
            return self._take(_SCALARS[kind])[0]
        if kind != _LIST:
            raise ValueError("a value of no known kind")
        of, count = self._take("IQ")
        if of in _SCALARS:
            self._at += count * struct.calcsize(f"<{_SCALARS[of]}")
        else:
            for _ in range(count):
                self._value(of)
        return None


def merge(base: Path, adapter: Path, into: Path) -> None:
    """Write a model with its adapter as one file; raise BadInput if they do not fit."""
    model, change = ModelFile(base), ModelFile(adapter)
    low_rank = {tensor.name: tensor for tensor in change.tensors}
    alpha = float(change.values.get("adapter.lora.alpha", 0.0))
    made: list[Tensor] = []
    for tensor in model.tensors:
        sides = [low_rank.pop(f"{tensor.name}.lora_{side}", None) for side in "ab"]
        down, up = (side.weights() if side and side.kind == F16 else None for side in sides)
        if down is None or up is None:
            made.append(tensor)
        elif tensor.kind == Q4_1 and tensor.shape == (down.shape[1], len(up)):
            whole = tensor.weights() + (up @ down) * np.float32(alpha / len(down))
            made.append(Tensor(tensor.name, tensor.shape, Q8_0, memoryview(eight_bits(whole))))
        else:
            low_rank[tensor.name] = tensor
    if low_rank:
        raise BadInput(f"{adapter} is no adapter to {base}; use the one that was made for it")
    with replacing(into) as file:
        for part in _written(model.about, made):
            file.write(part)


def eight_bits(whole: Matrix) -> bytes:
    """Return a matrix in blocks of 32 numbers with 8 bits each, and a scale."""
    cut = whole.reshape(-1, _BLOCK)
    scale = np.abs(cut).max(axis=1) / np.float32(127.0)
    blocks = np.zeros(len(cut), _EIGHT)
    blocks["scale"] = scale
    blocks["steps"] = np.rint(cut / np.where(scale > 0.0, scale, np.float32(1.0))[:, None])
    return blocks.tobytes()


def _written(about: bytes, tensors: Sequence[Tensor]) -> Iterator[bytes | memoryview]:
    """Yield a file: what it tells about itself, where its tensors lie, and they, each padded."""
    head, place = [about], 0
    for name, shape, kind, data in tensors:
        named = name.encode()
        form = f"<Q{len(named)}sI{len(shape)}QIQ"
        head.append(struct.pack(form, len(named), named, len(shape), *shape, kind, place))
        place += len(data) + -len(data) % _ALIGNMENT
    yield from head
    yield bytes(-sum(map(len, head)) % _ALIGNMENT)
    for tensor in tensors:
        yield tensor.data
        yield bytes(-len(tensor.data) % _ALIGNMENT)
