from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from audience.llm import NoVectors, Vectors
from audience.memory import Life
from audience.testing import tiny_genesis
from audience.world import Agent, AnyEvent, Dice, Genesis, dice, taste_of

SIZE = 64
NOW = 1_000 * 86_400


class Words:
    """A vector for each word, drawn from its letters; counts how often it is asked."""

    name = "words"
    size = SIZE

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []
        self.broken = False

    async def embed(self, texts: Sequence[str]) -> Vectors:
        if self.broken:
            raise NoVectors("out of order")
        self.asked.append(tuple(texts))
        return np.array([_vector(text) for text in texts], np.float32).reshape(len(texts), SIZE)


def _vector(text: str) -> Vectors:
    total = np.zeros(SIZE, np.float32)
    for word in text.lower().split():
        letters = blake2b(word.encode(), digest_size=SIZE).digest()
        total += np.frombuffer(letters, np.uint8).astype(np.float32) - 127.5
    length = float(np.sqrt((total * total).sum()))
    return total / length if length else total


def person(agent: int = 0, **fields: object) -> Agent:
    genesis = tiny_genesis(6, 12)
    profile = genesis.profiles[agent]
    return Agent(profile, taste_of(profile, genesis.catalogue.tag_ids), **fields)  # type: ignore[arg-type]


def life_of(me: Agent, *lived: AnyEvent, now: int = NOW, genesis: Genesis | None = None) -> Life:
    world = genesis or tiny_genesis(6, 12)
    names = {profile.id: profile.name for profile in world.profiles}
    return Life(me, lived, world.catalogue, world.domain, names, now)


def some_dice(*names: int) -> Dice:
    return dice(11, "memory", *names)
