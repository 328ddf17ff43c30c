"""What a dataset is: something that makes a genesis."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from audience.world.clock import Clock
from audience.world.genesis import Genesis


@runtime_checkable
class Dataset(Protocol):
    """A source of catalogue, people and ties."""

    def genesis(self, people: int, seed: int, clock: Clock) -> Genesis:
        """Return what is true before the first event. Equal arguments give equal bytes."""
        ...
