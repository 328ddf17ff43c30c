"""Adapters for tests: GGUF files of low-rank changes to the embedded model, at random."""

from __future__ import annotations

import struct
from hashlib import sha256
from pathlib import Path

import numpy as np

LAYERS, WIDTH, RANK = 30, 576, 2
_TEXT, _FLOAT, _FLOAT16, _ALIGN = 8, 6, 1, 32


def write_adapter(folder: Path, strength: float = 0.05, width: int = WIDTH) -> Path:
    """Write an adapter and its checksum as the package holds them; `width` of the model."""
    rng = np.random.default_rng(7)
    tensors: list[tuple[str, np.ndarray]] = []
    for layer in range(LAYERS):
        name = f"blk.{layer}.attn_q.weight"
        down, up = rng.normal(size=(RANK, width)), rng.normal(size=(width, RANK))
        tensors += [(f"{name}.lora_a", strength * down), (f"{name}.lora_b", up)]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "audience-135m.gguf"
    path.write_bytes(_packed(tensors))
    note = f"{sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
    (folder / f"{path.name}.sha256").write_text(note)
    return path


def _packed(tensors: list[tuple[str, np.ndarray]]) -> bytes:
    known = {"general.architecture": "llama", "general.type": "adapter", "adapter.type": "lora"}
    fields = [_text(key) + struct.pack("<I", _TEXT) + _text(value) for key, value in known.items()]
    fields.append(_text("adapter.lora.alpha") + struct.pack("<If", _FLOAT, float(RANK)))
    infos, data = [], b""
    for name, array in tensors:
        shape = array.shape[::-1]
        infos.append(
            _text(name)
            + struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
            + struct.pack("<IQ", _FLOAT16, len(data))
        )
        data += _padded(array.astype("<f2").tobytes())
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(fields))
    return _padded(head + b"".join(fields) + b"".join(infos)) + data


def _text(text: str) -> bytes:
    return struct.pack("<Q", len(text)) + text.encode()


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % _ALIGN)
