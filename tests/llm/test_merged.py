"""A model's file and its adapter made into one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.llm.adapter_file import LAYERS, WIDTH, write_adapter

from audience.errors import BadInput
from audience.llm import embedded
from audience.llm.merged import Q8_0, ModelFile, Tensor, eight_bits, merge

needs_model = pytest.mark.skipif(
    bool(embedded.missing()), reason=embedded.missing() or "it is here"
)


def test_eight_bits_keep_a_matrix_to_a_250th_of_the_largest_of_a_block() -> None:
    whole = np.random.default_rng(1).normal(size=(6, 96)).astype(np.float32)
    whole[2, :32] = 0.0
    back = Tensor("any", (96, 6), Q8_0, memoryview(eight_bits(whole))).weights()
    worst = np.abs(whole.reshape(-1, 32)).max(axis=1)
    assert (np.abs(back - whole).reshape(-1, 32).max(axis=1) <= worst / 250 + 1e-9).all()


@needs_model
def test_only_what_the_adapter_changes_is_changed(tmp_path: Path) -> None:
    adapter, base = write_adapter(tmp_path, strength=0.01), embedded.model_file()
    merge(base, adapter, tmp_path / "both.gguf")
    before, after = ModelFile(base), ModelFile(tmp_path / "both.gguf")
    assert (after.about, after.values) == (before.about, before.values)
    change = {tensor.name: tensor for tensor in ModelFile(adapter).tensors}
    changed = 0
    for old, new in zip(before.tensors, after.tensors, strict=True):
        assert (old.name, old.shape) == (new.name, new.shape)
        if f"{old.name}.lora_a" not in change:
            assert old.data == new.data
            continue
        changed += 1
        down, up = (change[f"{old.name}.lora_{side}"].weights() for side in "ab")
        wanted = old.weights() + up @ down
        assert np.abs(new.weights() - wanted).max() < np.abs(wanted).max() / 200
        assert np.abs(new.weights() - old.weights()).max() > np.abs(up @ down).max() / 2
    assert changed == LAYERS


@needs_model
@pytest.mark.parametrize("width", [WIDTH // 2, 2 * WIDTH])
def test_an_adapter_of_another_width_does_not_fit(tmp_path: Path, width: int) -> None:
    adapter = write_adapter(tmp_path, width=width)
    with pytest.raises(BadInput, match="is no adapter to"):
        merge(embedded.model_file(), adapter, tmp_path / "both.gguf")
    assert not (tmp_path / "both.gguf").exists()


@pytest.mark.parametrize("body", [b"", b"GGUF", b"GGUF" + bytes(40), b"something else " * 10])
def test_what_is_no_whole_file_is_named(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "odd.gguf"
    path.write_bytes(body)
    if body.endswith(bytes(40)):
        assert not ModelFile(path).tensors
        return
    with pytest.raises(BadInput, match=r"odd\.gguf is no whole GGUF file"):
        ModelFile(path)


@needs_model
def test_a_file_cut_short_is_named(tmp_path: Path) -> None:
    adapter = write_adapter(tmp_path)
    adapter.write_bytes(adapter.read_bytes()[:3000])
    with pytest.raises(BadInput, match="is no whole GGUF file"):
        merge(embedded.model_file(), adapter, tmp_path / "both.gguf")
