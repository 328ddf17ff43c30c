"""What a recommender is: a recipe that is fitted into a ranker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from audience.world.interactions import Interactions
from audience.world.rng import Dice, Generator, Ints


class Context(msgspec.Struct, frozen=True):
    """What a ranker is told besides who asks: one entry per user."""

    moments: Ints
    """Seconds since 1970."""
    pages: Ints
    """Pages already seen in this visit."""
    exclude: Sequence[tuple[int, ...]]
    """Items that must not be shown: lived already, or shown in this visit."""
    dice: Dice
    """One key per user, for rankers that draw."""


class Ranker(Protocol):
    """A fitted ranking. Ranks a batch exactly as it would rank each user alone."""

    def rank(self, users: Ints, k: int, context: Context) -> Ints:
        """Return [users, k] item ids, best first; -1 where nothing is left to show."""
        ...


class Recommender(Protocol):
    """A recipe. `fit` returns a new object each time, so branches are safe."""

    def fit(self, interactions: Interactions, rng: Generator) -> Ranker:
        """Return a ranker learnt from all interactions so far. Unknown users must be fine."""
        ...
