from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from audience.errors import BadInput
from audience.llm import Wordllama, open_embedder
from audience.llm.embedder import VectorCache, unit
from audience.plugins import known

OWN = """
import numpy as np


class Letters:
    name = "letters"
    size = 0

    async def embed(self, texts):
        return np.array([[text.count(letter) for letter in "aeiou"] for text in texts])


class Nameless:
    pass
"""
REGISTERED = pytest.mark.skipif(
    "wordllama" not in known("embedders"), reason="the installed metadata lists no embedders"
)


@REGISTERED
def test_the_default_is_opened_once_per_process() -> None:
    embedder = open_embedder()
    assert embedder is open_embedder("wordllama")
    assert isinstance(embedder.inner, Wordllama)
    assert (embedder.name, embedder.size) == ("wordllama-256", 256)


def test_an_embedder_of_ones_own_is_a_class_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(OWN)
    embedder = open_embedder(f"{path}:Letters")
    rows = asyncio.run(embedder.embed(["aie", "aaa", "xyz"]))
    assert (embedder.name, embedder.size) == ("letters", 5)
    assert rows.dtype == np.float32
    assert rows[1].tolist() == [1.0, 0.0, 0.0, 0.0, 0.0]
    assert np.linalg.norm(rows[0]) == pytest.approx(1.0)
    assert not rows[2].any()


def test_what_is_no_embedder_is_told(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(OWN)
    with pytest.raises(BadInput, match="has no 'name'"):
        open_embedder(f"{path}:Nameless")
    with pytest.raises(BadInput, match="embedder 'wordlama' is unknown"):
        open_embedder("wordlama")


@REGISTERED
def test_an_endpoint_is_needed_for_its_kind() -> None:
    with pytest.raises(BadInput, match="--llm"):
        open_embedder("openai")


def test_rows_of_length_one_keep_every_bit() -> None:
    rows = unit(np.array([[3.0, 4.0], [0.0, 0.0], [1e-30, 0.0]]))
    assert rows.tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0.0, 0.0], [1.0, 0.0]]
    assert np.array_equal(unit(rows), rows)


def test_nothing_heavy_is_imported_before_the_first_text() -> None:
    code = (
        "import sys; from audience.llm.embedders import Wordllama; Wordllama();"
        "import audience.llm.embedders, audience.memory.similarity;"
        "print({'torch', 'tokenizers', 'safetensors', 'wordllama'} & set(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"


def test_kept_takes_what_an_embedder_tells_of_itself() -> None:
    kept = VectorCache(Wordllama())
    assert (kept.name, kept.size, len(kept)) == ("wordllama-256", 256, 0)
