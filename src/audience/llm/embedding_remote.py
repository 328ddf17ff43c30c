"""Embeddings of any OpenAI-compatible endpoint, through the gateway."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence

import numpy as np

from audience.errors import BadInput
from audience.llm.embedding import NoVectors, Vectors, unit
from audience.llm.kinds import Gateway, Message, Reply, Request
from audience.llm.together import together

PURPOSE = "embed"
LONGEST = 16_000
"""Characters of a text that are sent; what embedding models read ends a little later."""


class RemoteEmbedder:
    """Asks for one text at a time, so that the call store knows each by its content."""

    def __init__(self, gateway: Gateway | None = None, model: str = "") -> None:
        """`model` is the embedding model's name; empty: the endpoint's own model."""
        if gateway is None:
            raise BadInput("the embedder 'openai' asks a model endpoint; give one with --llm URL")
        self.name = f"openai/{model}" if model else "openai"
        self.size = 0
        self._gateway = gateway
        self._model = model

    async def embed(self, texts: Sequence[str]) -> Vectors:
        replies = await together(self._gateway.ask(request_of(one, self._model)) for one in texts)
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
    """Return the request for the vector of one text. It has no salt: only the content counts."""
    return Request(PURPOSE, (Message("user", text[:LONGEST]),), model=model, embed=True)


def vector_of(reply: Reply) -> Vectors | None:
    """Return the vector that a reply holds, at length one; None where it holds none."""
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
